"""Word documents: paragraphs, tables and notes; and zips and XML that want to do harm."""

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from tactful.documents import docx
from tactful.documents.document import docx_document, read_document
from tactful.documents.ignores import find_ignores
from tactful.errors import FileFormatError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def p(*runs: str, style: str = "", more: str = "") -> str:
    shown = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{shown}{more}</w:pPr>{''.join(runs)}</w:p>"


def r(text: str, rest: str = "") -> str:
    return f'<w:r>{rest}<w:t xml:space="preserve">{text}</w:t></w:r>'


def xml(body: str, root: str = "document", inner: str = "body") -> str:
    content = f"<w:{inner}>{body}</w:{inner}>" if inner else body
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} xmlns:w="{W}">{content}</w:{root}>'


def relations(**targets: str) -> str:
    listed = "".join(
        f'<Relationship Id="r{name}" Type="{TYPES}/{name}" Target="{target}"/>'
        for name, target in targets.items()
    )
    return f'<Relationships xmlns="{RELATIONS}">{listed}</Relationships>'


def zipped(**parts: str | bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def word(body: str, **notes: str) -> bytes:
    parts = {
        "_rels/.rels": relations(officeDocument="word/document2.xml"),
        "word/document2.xml": xml(body),
        "word/_rels/document2.xml.rels": relations(**{name: f"{name}.xml" for name in notes}),
    }
    for name, content in notes.items():
        parts[f"word/{name}.xml"] = xml(content, name, "")
    return zipped(**parts)


def read(data: bytes) -> list[tuple[str, str | None, str]]:
    document = docx_document(data)
    return [(each.block, document.where(each.start), each.text) for each in document.segments]


BODY = (
    p(r("Our village"), style="Title")
    + p(r("News"), style="Heading1")
    + p()
    + p(
        r("We "),
        r("help", "<w:rPr><w:b/></w:rPr>"),
        r(" them,"),
        "<w:r><w:br/></w:r>",
        r("always."),
    )
    + p(r("An item"), more='<w:numPr><w:ilvl w:val="0"/></w:numPr>')
    + p(r("Wise words."), style="IntenseQuote")
    + f"<w:tbl><w:tr><w:tc>{p(r('Day'))}</w:tc><w:tc>{p(r('Who'))}</w:tc></w:tr>"
    f"<w:tr><w:tc>{p(r('Monday'))}</w:tc></w:tr></w:tbl>"
    + p(r("Kept"), "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>", r(" &amp; shown"))
    + p(r("seen"), r(" hidden", "<w:rPr><w:vanish/></w:rPr>"), r(" again"))
)
NOTES = (
    f'<w:footnote w:type="separator" w:id="-1">{p(r("rule"))}</w:footnote>'
    f'<w:footnote w:id="1">{p(r("First note."))}</w:footnote>'
    f'<w:footnote w:id="2">{p(r("Second note."))}</w:footnote>'
)


def test_paragraphs_tables_and_notes() -> None:
    assert read(word(BODY, footnotes=NOTES)) == [
        ("title", "paragraph 1", "Our village"),
        ("heading", "paragraph 2", "News"),
        ("paragraph", "paragraph 4", "We help them, always."),
        ("list item", "paragraph 5", "An item"),
        ("quote", "paragraph 6", "Wise words."),
        ("cell", "table 1, row 1, cell 1", "Day"),
        ("cell", "table 1, row 1, cell 2", "Who"),
        ("cell", "table 1, row 2, cell 1", "Monday"),
        ("paragraph", "paragraph 7", "Kept & shown"),
        ("paragraph", "paragraph 8", "seen again"),
        ("footnote", "footnote 1", "First note."),
        ("footnote", "footnote 2", "Second note."),
    ]


def test_the_source_is_the_text() -> None:
    document = docx_document(word(BODY))
    for segment in document.segments:
        assert document.source[segment.start : segment.end] == segment.text
    assert document.source.splitlines()[2] == "We help them, always."


def test_text_boxes_are_read_once() -> None:
    inner = f"<w:txbxContent>{p(r('In the box.'))}</w:txbxContent>"
    box = f"<w:r><m:AlternateContent xmlns:m='x'><m:Choice>{inner}</m:Choice><m:Fallback>{inner}</m:Fallback></m:AlternateContent></w:r>"  # noqa: E501
    assert [text for *_, text in read(word(p(r("Before "), box, r("after."))))] == [
        "Before after.",
        "In the box.",
    ]


def test_directives() -> None:
    body = p(r("One.")) + p(r("tactful: ignore-next pcl")) + p(r("Two.")) + p(r("Three."))
    document = docx_document(word(body))
    ignores = find_ignores(document)
    assert [
        (each.text, ignores.silences(each, "pcl")) for each in document.segments
    ] == [("One.", False), ("Two.", True), ("Three.", False)]  # fmt: skip


def test_without_relationships_the_usual_part_is_read() -> None:
    assert read(zipped(**{"word/document.xml": xml(p(r("Hello there.")))})) == [
        ("paragraph", "paragraph 1", "Hello there.")
    ]


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1 or str()};" * 10}">' for n in range(1, 9))
    + f']><w:document xmlns:w="{W}"><w:body>{p(r("&a8;"))}</w:body></w:document>'
)
EXTERNAL = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    f'<w:document xmlns:w="{W}"><w:body>{p(r("&e;"))}</w:body></w:document>'
)
WHOLE = word(BODY)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 not a zip",
        b"plain text",
        WHOLE[: len(WHOLE) // 2],
        zipped(**{"other.xml": "<a/>"}),
        zipped(**{"word/document.xml": "<w:document"}),
        zipped(**{"word/document.xml": b"\xff\xfe\x00"}),
        zipped(**{"word/document.xml": BOMB}),
        zipped(**{"word/document.xml": EXTERNAL}),
        zipped(**{"word/document.xml": xml("<w:p>" * 5000 + "</w:p>" * 5000)}),
        zipped(**{"_rels/.rels": "<", "word/document.xml": xml("")}),
    ],
    ids=[
        "empty", "magic", "text", "cut", "no document", "broken", "bytes", "entities", "external",
        "deep", "relations",
    ],
)  # fmt: skip
def test_damaged_and_hostile_files_are_one_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "letter.docx"
    path.write_bytes(data)
    with pytest.raises(
        FileFormatError, match=r"letter\.docx: found a damaged or protected"
    ) as error:
        read_document(path)
    assert "\n" not in str(error.value)


def test_a_zip_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx, "MOST_BYTES", 1_000_000)
    bomb = zipped(**{"word/document.xml": xml(p(r(" " * 2_000_000)))})
    assert len(bomb) < 10_000
    with pytest.raises(FileFormatError, match="found more than 1,000,000 bytes"):
        docx_document(bomb)
    monkeypatch.setattr(docx, "MOST_BYTES", 10_000_000)
    assert read(bomb) == []


def test_every_cut_of_a_file_is_answered() -> None:
    for size in range(0, len(WHOLE), 7):
        with pytest.raises(FileFormatError):
            docx_document(WHOLE[:size])
    for at in range(0, len(WHOLE), 3):
        changed = bytearray(WHOLE)
        changed[at] ^= 0x55
        with suppress(FileFormatError):
            docx_document(bytes(changed))
