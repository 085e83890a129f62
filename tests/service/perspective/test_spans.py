"""Counting in UTF-16, and cutting comments into pieces."""

from itertools import pairwise

import pytest

from tactful.service.engine.excerpts import whole_pieces
from tactful.service.perspective.spans import MOST_SPANS, Utf16, sentence_pieces

TEXTS = ["", "plain", "🙂", "a🙂b👩‍🔬c", "e\u0301e\u0301", "日本語🗾", "\U0010ffff\uffff"]


@pytest.mark.parametrize("text", TEXTS)
def test_offsets_are_those_of_the_encoding(text: str) -> None:
    units = Utf16(text)
    for at in range(len(text) + 1):
        assert units.offset(at) == len(text[:at].encode("utf-16-le")) // 2


def test_one_sentence_is_the_whole_comment() -> None:
    assert sentence_pieces("  Good morning!  ") == [(0, 17)]
    assert sentence_pieces("One thing. Another.") == [(0, 10), (11, 19)]


@pytest.mark.parametrize("count", [2, MOST_SPANS, MOST_SPANS + 1, 1000])
def test_never_too_many_spans_and_none_lost(count: int) -> None:
    text = "Yes! " * count
    pieces = sentence_pieces(text)
    assert len(pieces) <= MOST_SPANS
    assert pieces[0][0] == 0
    assert pieces[-1][1] == len(text) - 1
    assert all(before[1] <= after[0] for before, after in pairwise(pieces))


def test_a_long_comment_is_read_in_windows() -> None:
    text = "one two three four five. " * 40
    pieces = whole_pieces(text)
    assert len(pieces) > 1
    assert "".join(text[start:end] for start, end in pieces).count("five.") == 40
    assert whole_pieces("\u200b") == [(0, 1)]
