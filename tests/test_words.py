"""Numbers with their nouns."""

import doctest

import pytest

from tactful import words
from tactful.words import counted


def test_the_examples_hold() -> None:
    assert doctest.testmod(words).failed == 0


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, "0 items"), (1, "1 item"), (2, "2 items"), (1_000, "1,000 items")],
)
def test_one_is_singular_and_all_else_plural(number: int, written: str) -> None:
    assert counted(number, "item") == written
