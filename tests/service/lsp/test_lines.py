import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, Range

from tactful.service.lsp.lines import EditedText, Places, column, split_lines, units

ENCODINGS = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab é😀\u2028\x0c\x85\r\n"), max_size=30)


def test_only_the_three_ends_of_the_protocol_end_a_line() -> None:
    assert split_lines("a\u2028b\x0cc\x85\nd\re\r\n") == ["a\u2028b\x0cc\x85\n", "d\r", "e\r\n", ""]


@given(TEXTS)
def test_lines_are_the_whole_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == 1 + len(re.findall(r"\r\n|\r|\n", text))


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_emoji_have_as_many_units_as_the_encoding_says(encoding: str, expected: int) -> None:
    assert units("aé😀", encoding) == expected


@pytest.mark.parametrize(
    ("encoding", "inside"), [("utf-8", (1, 2, 3)), ("utf-16", (1,)), ("utf-32", ())]
)
def test_a_unit_inside_a_character_leads_to_its_beginning(
    encoding: str, inside: tuple[int, ...]
) -> None:
    assert {column("😀b\n", at, encoding) for at in inside} <= {0}
    assert column("😀b\n", units("😀", encoding), encoding) == 1
    assert column("😀b\r\n", 99, encoding) == 2


def test_a_lone_surrogate_is_one_unit_of_utf_16() -> None:
    assert units("\ud83d", "utf-16") == 1
    assert units("\ud83d", "utf-8") == 3


@given(TEXTS, st.data(), st.sampled_from(ENCODINGS))
def test_offsets_come_back_from_their_positions(
    text: str, data: st.DataObject, encoding: str
) -> None:
    places = Places(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    found = places.offset(places.position(offset))
    # Between CR and LF there is no position: it is the end of the line.
    assert found == (offset - 1 if text[offset - 1 : offset + 1] == "\r\n" else offset)


@given(TEXTS, TEXTS, st.data(), st.sampled_from(ENCODINGS))
def test_a_change_is_that_of_the_text(
    text: str, new: str, data: st.DataObject, encoding: str
) -> None:
    places = Places(text, encoding)
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    start, end = (places.offset(places.position(each)) for each in ends)
    edited = EditedText(text, encoding)
    edited.change(places.range(start, end), new)
    assert str(edited) == text[:start] + new + text[end:]
    again = EditedText(str(edited), encoding)
    assert edited._lines == again._lines


def test_a_change_outside_the_text_goes_to_its_end() -> None:
    edited = EditedText("one\n", "utf-16")
    edited.change(Range(Position(7, 3), Position(9, 0)), "two")
    assert str(edited) == "one\ntwo"


def test_a_change_that_ends_before_it_begins_only_inserts() -> None:
    edited = EditedText("one two", "utf-16")
    edited.change(Range(Position(0, 4), Position(0, 1)), "X")
    assert str(edited) == "one Xtwo"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_positions_in_a_very_long_line_are_those_of_its_units(encoding: str, end: str) -> None:
    line = "a\U0001f469é" * 1_500
    places = Places(f"{line}{end}b", encoding)
    for offset in (0, 1, 2, 1_023, 1_024, 1_025, 2_048, 4_499, 4_500):
        assert places.position(offset).character == units(line[:offset], encoding)
        assert places.offset(places.position(offset)) == offset
    for offset in range(4_500, 4_500 + len(end)):
        assert places.position(offset).character == units(line, encoding)


def test_many_positions_in_a_long_line_count_its_units_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[int] = []

    def counting(piece: str, encoding: str) -> int:
        counted.append(len(piece))
        return units(piece, encoding)

    monkeypatch.setattr("tactful.service.lsp.lines.units", counting)
    places = Places("é" * 100_000, "utf-16")
    for offset in range(0, 100_000, 100):
        places.position(offset)
    assert sum(counted) < 100_000 + 1_000 * 1_024
