"""From a file or a text to segments: kinds, encodings, lines and plain paragraphs."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.documents.document import Document, Kind, document_of, kind_of, read_document
from tactful.errors import FileFormatError, UnknownNameError, UsageError

ANY_TEXT: tuple[Kind, ...] = ("plain", "markdown", "html", "rst")
"""The kinds that every text is one of; the others are refused where their structure is missing."""


def texts(document: Document) -> list[str]:
    return [segment.text for segment in document.segments]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"),
        ("A.MARKDOWN", "markdown"),
        ("a.mdx", "markdown"),
        ("a.html", "html"),
        ("a.htm", "html"),
        ("a.xhtml", "html"),
        ("a.rst", "rst"),
        ("a.srt", "subtitles"),
        ("a.vtt", "subtitles"),
        ("a.ipynb", "notebook"),
        ("a.DOCX", "docx"),
        ("a.txt", "plain"),
        ("README", "plain"),
        ("a.md.txt", "plain"),
    ],
)
def test_the_ending_tells_the_kind(name: str, kind: str) -> None:
    assert kind_of(Path(name)) == kind


def test_a_file_is_read_by_its_ending_or_as_told(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# A *title*\n\nText.", encoding="utf-8")
    document = read_document(path)
    assert (document.path, document.kind) == (path, "markdown")
    assert texts(document) == ["A title", "Text."]
    assert texts(read_document(path, "plain")) == ["# A *title*", "Text."]


def test_an_unknown_kind_answers_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match="plain, markdown, html"):
        document_of("x", "markup")  # type: ignore[arg-type]


def test_paragraphs_end_at_blank_lines_and_wrapped_lines_join() -> None:
    text = "They also have\n  the right\r\nto love.\r\n \t\r\n\rSecond.\n\n\n-----\n\nThird 🙂"
    document = document_of(text)
    assert texts(document) == ["They also have the right to love.", "Second.", "Third 🙂"]
    first = document.segments[0]
    start = first.text.index("the right")
    assert text[slice(*first.to_source(start, start + 9))] == "the right"
    assert [segment.number for segment in document.segments] == [0, 1, 3]
    assert {segment.block for segment in document.segments} == {"paragraph"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("To do:\n- paint\n  the hall\n- call Ana", ["To do:", "paint the hall", "call Ana"]),
        ("  • one\r\n  • two\r3) three", ["one", "two", "three"]),
        ("1. one\n2. two", ["one", "two"]),
        ("It rained\n- as it does in June.", ["It rained - as it does in June."]),
        ("Born in\n1975. He left\n12. May", ["Born in 1975. He left 12. May"]),
        ("-5 degrees\n-7 at night", ["-5 degrees -7 at night"]),
        ("—Hola.\n—Adiós.", ["—Hola. —Adiós."]),
    ],
)
def test_the_items_of_a_list_in_plain_text_are_read_one_by_one(
    text: str, expected: list[str]
) -> None:
    document = document_of(text)
    assert texts(document) == expected
    for segment in document.segments:
        start, end = segment.to_source(0, len(segment.text))
        assert " ".join(text[start:end].split()) == segment.text
    assert document.segments[-1].block == ("paragraph" if len(expected) == 1 else "list item")


def test_windows_of_one_paragraph_share_its_number() -> None:
    document = document_of("One two three. " * 100 + "\n\nLast.", most_words=30)
    assert [segment.number for segment in document.segments] == [0] * 10 + [1]


def test_lines_and_columns_count_code_points_from_one() -> None:
    document = document_of("a😀b\r\nc\rd\ne")
    found = [document.line_column(offset) for offset in range(len(document.source) + 1)]
    assert found == [
        (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ANY_TEXT)
@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n", "---", "***\n\n* * *"])
def test_without_words_there_are_no_segments(kind: Kind, text: str) -> None:
    assert document_of(text, kind).segments == ()


def test_an_empty_file_has_no_segments(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    assert read_document(tmp_path / "empty.txt").segments == ()


def test_offsets_count_from_behind_the_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "mark.txt"
    path.write_bytes(b"\xef\xbb\xbfH\xc3\xa9llo")
    document = read_document(path)
    assert document.source == "Héllo"
    assert (document.segments[0].start, document.segments[0].end) == (0, 5)


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("one\r\ntwo\nEl ni\xf1o".encode("latin-1"))
    with pytest.raises(FileFormatError) as error:
        read_document(path)
    assert str(error.value) == (
        f"{path}, line 3: found the byte 0xF1 at byte 14 of the file, which is not UTF-8; "
        "expected text in UTF-8; save the file as UTF-8."
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), "found a binary file"),
        (b"text\x00\xff\xfe", "found a binary file"),
        (b"\x00\x01\x02\x03" * 100, "found a binary file"),
        ("text".encode("utf-16"), "found UTF-16 text"),
    ],
)
def test_what_is_not_text_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=message) as error:
        read_document(path)
    assert str(error.value).startswith(str(path))


def test_a_text_with_a_nul_is_still_a_text(tmp_path: Path) -> None:
    path = tmp_path / "nul.txt"
    path.write_bytes(b"They also \x00 have the right to love.")
    assert texts(read_document(path)) == ["They also \x00 have the right to love."]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found a folder"):
        read_document(tmp_path)


ADVERSARIAL = {
    "zero-width": "They\u200b also\u200d have",
    "homoglyphs": "Thеy аlso",
    "emoji": "👩\u200d👩\u200d👧 ok 🏴\U000e0067\U000e007f",
    "right-to-left": "\u202eقال *مرحبا* \u2066x\u2069",
    "nul": "a\x00b\n\n\x00\n\n# \x00c\n\n|a\x00|b|\n|-|-|\n|c|\x00d|",
    "lone surrogates": "a\ud800 *b\udfff* <b>\udc80</b>",
    "mixed newlines": "a\rb\n\rc\r\n\r\n# d\r\n> e\r> f\n\u2028g\u2029h\x85i\x0bj\x0ck",
    "a million letters": "x" * 1_000_000,
}


@pytest.mark.parametrize("kind", ANY_TEXT)
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_text_keeps_its_offsets(name: str, kind: Kind) -> None:
    check_offsets(document_of(ADVERSARIAL[name], kind))


@settings(max_examples=200)
@given(
    st.text(
        st.one_of(
            st.sampled_from("ab \n\r\t*_`~[]()<>!&;\\#-+|:.0\x00\ud800é👩\u200d"), st.characters()
        ),
        max_size=60,
    ),
    st.sampled_from(ANY_TEXT),
)
def test_any_text_keeps_its_offsets(text: str, kind: Kind) -> None:
    check_offsets(document_of(text, kind))


def check_offsets(document: Document) -> None:
    """Every character leads to a place; the places are in order and inside the segment's own."""
    for segment in document.segments:
        assert 0 <= segment.start < segment.end <= len(document.source)
        assert segment.text == segment.text.strip(" \n")
        before = (segment.start, segment.start)
        step = max(1, len(segment.text) // 200)
        for place in range(0, len(segment.text), step):
            start, end = segment.to_source(place, place + 1)
            assert segment.start <= start < end <= segment.end
            assert start >= before[0]
            assert end >= before[1]
            before = (start, end)
