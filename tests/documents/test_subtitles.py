"""Subtitles: what is spoken, sentences over several cues, and the lines of the file."""

import pytest

from tactful.documents.document import document_of
from tactful.documents.ignores import find_ignores
from tactful.errors import FileFormatError

SRT = """\
1
00:00:01,000 --> 00:00:02,500
<i>With our help</i>

2
00:00:02,600 --> 00:00:04,000
even they can
hope again.

3
00:00:05,000 --> 00:00:06,000
{\\an8}2026
"""
VTT = """\
WEBVTT - The film

STYLE
::cue { color: red }

NOTE tactful: ignore-next pcl

intro
00:01.000 --> 00:02.000 align:start
<v Ana>Tom &amp; I <c.loud>sing</c>.

00:00:03.000 --> 00:00:04.000
Why not?
"""


def read(text: str) -> list[tuple[int, str]]:
    document = document_of(text, "subtitles")
    return [(document.line_column(each.start)[0], each.text) for each in document.segments]


def test_subrip() -> None:
    assert read(SRT) == [(3, "With our help even they can hope again."), (12, "2026")]
    document = document_of(SRT, "subtitles")
    segment = document.segments[0]
    at = segment.text.index("even they")
    start, end = segment.to_source(at, at + len("even they"))
    assert SRT[start:end] == "even they"
    assert segment.block == "cue"


def test_webvtt() -> None:
    assert read(VTT) == [(10, "Tom & I sing."), (13, "Why not?")]
    document = document_of(VTT, "subtitles")
    ignores = find_ignores(document)
    assert [ignores.silences(each, "pcl") for each in document.segments] == [True, False]


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["windows", "mac"])
def test_line_ends(end: str) -> None:
    assert read(SRT.replace("\n", end)) == read(SRT)
    assert read(VTT.replace("\n", end)) == read(VTT)


def test_cues_without_empty_lines_between_them() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:03,000 --> 00:00:04,000\nTwo.\n3"
    assert read(text) == [(3, "One."), (6, "Two. 3")]


def test_signs_that_are_no_tags_stay() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\n1 < 2 > 0 & {x} <3 you\n"
    assert read(text) == [(3, "1 < 2 > 0 & {x} <3 you")]


def test_a_file_without_cues_is_refused() -> None:
    with pytest.raises(FileFormatError, match="text: found no cue with a time"):
        document_of("A text with words.\n", "subtitles")


@pytest.mark.parametrize("text", ["", "\n", "WEBVTT", "WEBVTT\n\n"])
def test_an_empty_file_has_no_cues(text: str) -> None:
    assert read(text) == []


def test_a_long_file_without_full_stops_is_cut() -> None:
    cue = "00:00:01,000 --> 00:00:02,000\nla la la\n\n"
    found = read(cue * 1000)
    assert len(found) > 20
    assert found[1][0] > found[0][0]
