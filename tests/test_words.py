"""Numbers with their nouns."""

import doctest

import pytest

from tactful import words
from tactful.words import counted, cut_words, plain, shown


def test_the_examples_hold() -> None:
    assert doctest.testmod(words).failed == 0


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, "0 items"), (1, "1 item"), (2, "2 items"), (1_000, "1,000 items")],
)
def test_one_is_singular_and_all_else_plural(number: int, written: str) -> None:
    assert counted(number, "item") == written


@pytest.mark.parametrize(
    ("char", "written"),
    [("\xff", "ÿ"), ("\x9f", "\\x9f"), ("\u0600", "\\u0600"), ("\uffff", "\\uffff"),
     ("\U000f0000", "\\U000f0000"), ("\u200d", "\u200d")],
)  # fmt: skip
def test_what_cannot_be_shown_is_written_as_its_shortest_code(char: str, written: str) -> None:
    assert shown(char) == written


def test_long_pieces_are_cut_at_a_word() -> None:
    assert cut_words("one two three", 3, 40) == "one two three"
    assert cut_words("one two, three", 2, 40) == "one two…"
    assert cut_words("x" * 100, 3, 10) == "x" * 10 + "…"
    assert cut_words("a\x1b[31m\u202eb", 3, 40) == "a [31m b"
    assert plain("\x00\n ") == ""
