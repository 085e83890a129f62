"""The text of a Word document (``.docx``): paragraphs, tables, text boxes, footnotes and endnotes.

The file is a zip of XML. Nothing is fetched or run, a document type declaration is refused (it
could define entities that grow without end), and no more than a fixed amount is unpacked. Deleted
and hidden text, comments, headers and footers are left out. The source of the document is its text,
one paragraph a line; a landmark says which paragraph, cell or note a line is.
"""

import io
import posixpath
import zipfile
import zlib
from xml.parsers import expat

from tactful.errors import FileFormatError

MOST_BYTES = 100_000_000
"""No more is unpacked from one document."""
MOST_DEPTH = 500
"""Elements nested deeper are no document that a word processor wrote."""
_CHUNK = 1 << 16
_MAIN = "/officeDocument"
_NOTES = {"/footnotes": "footnote", "/endnotes": "endnote"}
_DEFAULT = "word/document.xml"
_FALSE = ("0", "false", "off", "none")


class Paragraph:
    """A paragraph while it is read."""

    __slots__ = ("kind", "pieces", "place")

    def __init__(self, kind: str, place: str):
        self.kind, self.place = kind, place
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """The words, with one space for all white space."""
        return " ".join("".join(self.pieces).split())


def read_docx(data: bytes, name: str) -> list[Paragraph]:
    """Return the paragraphs with words of a document, in the order of reading.

    Parameters
    ----------
    data
        The bytes of the file.
    name
        What error messages call it.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            package = _Package(archive, name)
            main = package.related("", _MAIN) or _DEFAULT
            found = package.paragraphs(main, "")
            for ending, kind in _NOTES.items():
                part = package.related(main, ending)
                if part:
                    found += package.paragraphs(part, kind)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, KeyError,
            ValueError, RuntimeError) as error:  # fmt: skip
        raise _damaged(name, str(error) or type(error).__name__) from None
    return found


def _damaged(name: str, found: str) -> FileFormatError:
    shown = " ".join(found.split())[:200]
    return FileFormatError(
        f"{name}: found a damaged or protected Word file ({shown}); expected a .docx; save it "
        "again with a word processor, without a password."
    )


class _Package:
    def __init__(self, archive: zipfile.ZipFile, name: str):
        self.archive, self.name = archive, name
        self.left = MOST_BYTES

    def related(self, part: str, ending: str) -> str | None:
        """Return the part that another one names, by the ending of the relationship's type."""
        folder, file = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{file}.rels")
        if rels not in self.archive.namelist():
            return None
        targets: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag.endswith("Relationship") and attributes.get("Type", "").endswith(ending):
                targets.append(attributes.get("Target", ""))

        self._parse(rels, start, lambda tag: None, lambda text: None)
        if not targets:
            return None
        target = posixpath.normpath(posixpath.join("/", folder, targets[0])).lstrip("/")
        return target if target in self.archive.namelist() else None

    def paragraphs(self, part: str, note: str) -> list[Paragraph]:
        reader = _Reader(note)
        self._parse(part, reader.start, reader.end, reader.characters)
        return [each for each in reader.found if each.text]

    def _parse(self, part: str, start: object, end: object, characters: object) -> None:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = start  # type: ignore[assignment]
        parser.EndElementHandler = end  # type: ignore[assignment]
        parser.CharacterDataHandler = characters  # type: ignore[assignment]
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        try:
            with self.archive.open(part) as file:
                while chunk := file.read(_CHUNK):
                    self.left -= len(chunk)
                    if self.left < 0:
                        raise FileFormatError(
                            f"{self.name}: found more than {MOST_BYTES:,} bytes when it was "
                            "unpacked; expected a smaller document; check its parts one by one."
                        )
                    parser.Parse(chunk, False)
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise _damaged(self.name, f"{part}: {error}") from None

    def _refuse_doctype(self, *_: object) -> None:
        raise _damaged(self.name, "a document type declaration")


class _Reader:
    """Follows the elements of WordprocessingML by their local names."""

    def __init__(self, note: str):
        self.note = note
        self.found: list[Paragraph] = []
        self.open: list[Paragraph] = []
        """Paragraphs that are not finished; a text box is inside one."""
        self.tags: list[str] = []
        self.skipped_from: int | None = None
        """How deep the outermost element is that is not read."""
        self.hidden = False
        self.tables: list[list[int]] = []
        """The number, row and cell of the tables around."""
        self.table_count = self.paragraph_count = self.note_count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        self.tags.append(name)
        if len(self.tags) > MOST_DEPTH:
            raise ValueError(f"elements nested more than {MOST_DEPTH} deep")
        if self.skipped_from is not None:
            return
        value = next((each for key, each in attributes.items() if key.endswith("}val")), None)
        if name in ("Fallback", "del", "moveFrom") or (
            self._is_note(name) and _is_rule(attributes)
        ):
            self.skipped_from = len(self.tags)
        elif self._is_note(name):
            self.note_count += 1
        elif name == "tbl":
            self.table_count += 1
            self.tables.append([self.table_count, 0, 0])
        elif name == "tr" and self.tables:
            self.tables[-1][1:] = [self.tables[-1][1] + 1, 0]
        elif name == "tc" and self.tables:
            self.tables[-1][2] += 1
        elif name == "p" and not tag.startswith("http://schemas.openxmlformats.org/drawingml"):
            self._open_paragraph()
        elif name == "r":
            self.hidden = False
        elif self.open:
            self._inside(name, value)

    def _inside(self, name: str, value: str | None) -> None:
        paragraph = self.open[-1]
        if name == "pStyle" and paragraph.kind == "paragraph":
            paragraph.kind = _kind_of(value or "")
        elif name == "numPr" and paragraph.kind == "paragraph":
            paragraph.kind = "list item"
        elif name == "vanish" and "rPr" in self.tags and "pPr" not in self.tags:
            self.hidden = (value or "true").lower() not in _FALSE
        elif name in ("tab", "br", "cr", "ptab") and "tabs" not in self.tags:
            paragraph.pieces.append(" ")
        elif name == "noBreakHyphen":
            paragraph.pieces.append("-")

    def end(self, tag: str) -> None:
        depth, name = len(self.tags), self.tags.pop()
        if self.skipped_from is not None:
            if depth == self.skipped_from:
                self.skipped_from = None
        elif name == "tbl" and self.tables:
            self.tables.pop()
        elif (
            name == "p"
            and self.open
            and not tag.startswith("http://schemas.openxmlformats.org/drawingml")
        ):
            self.open.pop()

    def characters(self, text: str) -> None:
        if self.open and self.tags[-1] == "t" and self.skipped_from is None and not self.hidden:
            self.open[-1].pieces.append(text)

    def _is_note(self, name: str) -> bool:
        return bool(self.note) and name == self.note

    def _open_paragraph(self) -> None:
        if self.tables:
            table, row, cell = self.tables[-1]
            paragraph = Paragraph("cell", f"table {table}, row {row}, cell {cell}")
        elif self.note:
            paragraph = Paragraph("footnote", f"{self.note} {self.note_count}")
        else:
            self.paragraph_count += 1
            paragraph = Paragraph("paragraph", f"paragraph {self.paragraph_count}")
        self.found.append(paragraph)
        self.open.append(paragraph)


def _is_rule(attributes: dict[str, str]) -> bool:
    """Say whether a note is only the line above the notes."""
    kinds = [value for key, value in attributes.items() if key.endswith("}type")]
    return bool(kinds) and kinds[0] != "normal"


def _kind_of(style: str) -> str:
    name = style.casefold().replace(" ", "")
    if name.startswith(("heading", "berschrift", "ttulo", "titre")):
        return "heading"
    kinds = {
        "title": "title",
        "subtitle": "heading",
        "caption": "caption",
        "listparagraph": "list item",
    }
    return "quote" if name.endswith("quote") else kinds.get(name, "paragraph")
