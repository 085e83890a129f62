"""Spans of a written text lead back to the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.documents.segments import Writer, through


def test_a_decoded_piece_maps_as_a_whole() -> None:
    writer = Writer("a &amp; b")
    writer.flow(0, 2)
    writer.add("&", 2, 7)
    writer.flow(7, 9)
    text, offsets = writer.finish()
    assert text == "a & b"
    assert offsets.to_source(2, 3) == (2, 7)
    assert offsets.to_source(0, 5) == (0, 9)
    assert offsets.to_source(4, 5) == (8, 9)


def test_white_space_flows_into_one_space() -> None:
    source = "one \r\n\t two\nthree  "
    writer = Writer(source)
    writer.flow(0, len(source))
    writer.trim()
    text, offsets = writer.finish()
    assert text == "one two three"
    assert source[slice(*offsets.to_source(3, 4))] == " \r\n\t "
    assert offsets.to_source(4, 13) == (8, 17)
    with pytest.raises(ValueError, match="needs 0 <= start < end"):
        offsets.to_source(4, 14)


@pytest.mark.parametrize("span", [(-1, 1), (1, 1), (2, 1), (0, 4)])
def test_a_span_outside_the_text_is_refused(span: tuple[int, int]) -> None:
    writer = Writer("abc")
    writer.add("abc", 0, 3)
    _, offsets = writer.finish()
    with pytest.raises(ValueError, match="a text of 3 characters"):
        offsets.to_source(*span)


def test_without_changes_a_span_is_its_own_source() -> None:
    assert through((), 3, 5) == (3, 5)


@given(st.lists(st.tuples(st.text("ab \n", max_size=4), st.booleans()), max_size=12))
def test_every_character_leads_to_itself_or_to_white_space(pieces: list[tuple[str, bool]]) -> None:
    source = "".join(piece for piece, _ in pieces)
    writer, at = Writer(source), 0
    for piece, is_kept in pieces:
        if is_kept:
            writer.flow(at, at + len(piece))
        else:
            writer.space(at, at + len(piece))
        at += len(piece)
    writer.trim()
    text, offsets = writer.finish()
    assert "  " not in text
    assert text.strip() == text
    before = 0
    for place, character in enumerate(text):
        start, end = offsets.to_source(place, place + 1)
        assert before <= start <= end
        assert character == " " or source[start:end] == character
        before = end
