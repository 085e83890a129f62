"""Documents: a file or a text, what kind it is, the pieces to read, and which files to leave out.

Offsets count the code points of the text as it came; a byte-order mark at the start of a file is
not part of the text.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from tactful.documents.segments import MOST_WORDS, Block, Segment, Writer, lines_in, segments_of
from tactful.errors import FileFormatError, UsageError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.documents.ignores import Directive

TextKind = Literal["plain", "markdown", "html", "rst", "subtitles", "notebook"]
Kind = Literal["plain", "markdown", "html", "rst", "subtitles", "notebook", "docx"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ENDINGS: dict[str, Kind] = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".mkd"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    ".rst": "rst",
    **dict.fromkeys((".srt", ".vtt"), "subtitles"),
    ".ipynb": "notebook",
    ".docx": "docx",
}
"""Every other ending is plain text."""
WITHOUT_LINES: tuple[Kind, ...] = ("docx",)
"""Files of these kinds have no lines; those of the document are paragraphs taken from the file."""
MOST_BYTES = 100_000_000
"""A larger file is refused."""

_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NOT_IN_TEXT = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b"))
_LOOKED_AT = 65_536
_MOST_CONTROLS = 0.05
# Atomic groups: CR LF is one end of a line, never two with a blank line between.
_PARAGRAPH_END = re.compile(r"(?>\r\n|\r|\n)(?:[ \t\f\v]*+(?>\r\n|\r|\n))++")
_LIST_MARK = r"[ \t]*+(?:[-*•‣◦▪]|\d{1,3}[.)])[ \t]++(?=\S)"
_ITEM = re.compile(_LIST_MARK)
_NEXT_ITEM = re.compile(r"[\r\n]" + _LIST_MARK)
_LEAST_ITEMS = 2
"""A single line that begins with a dash or a number may be a wrapped sentence."""
_HAS_WORDS = re.compile(r"[^\W_]|[^\x00-\x7f]")


class Extract(NamedTuple):
    """What was taken from a source: blocks of text, and directives to Tactful."""

    blocks: list[Block]
    directives: "list[Directive]"
    landmarks: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True)
class Document:
    """A text with its kind, cut into the segments that detectors read."""

    path: Path | None
    source: str = field(repr=False)
    kind: Kind
    segments: tuple[Segment, ...] = field(repr=False)
    directives: "tuple[Directive, ...]" = ()
    """Every ``tactful: …`` found; :func:`tactful.documents.ignores.find_ignores` reads them."""
    landmarks: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    """Where readers find an offset if they see no lines: ``cell 3, line 2``, ``paragraph 7``."""

    whole: "Document | None" = field(default=None, repr=False, compare=False)
    """The document that this is a part of."""

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset; both count from 1, in code points.

        A line ends with LF, CR LF or CR.
        """
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def where(self, offset: int) -> str | None:
        """Return the landmark of an offset, in a document that has landmarks."""
        at = bisect_right(self.landmarks, offset, key=lambda each: each[0])
        return self.landmarks[at - 1][1] if at else None

    @cached_property
    def _line_starts(self) -> list[int]:
        return lines_in(self.source)[0]


def kind_of(path: Path) -> Kind:
    """Return the kind of a file by the ending of its name."""
    return ENDINGS.get(path.suffix.lower(), "plain")


def read_document(path: Path, kind: Kind | None = None, most_words: int = MOST_WORDS) -> Document:
    """Read a file; its kind is that of its ending unless ``kind`` says otherwise."""
    if path.is_dir():
        raise UsageError(f"{path}: found a folder; expected a file; name one file in it.")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise FileFormatError(
            f"{path}: found more than {MOST_BYTES:,} bytes; expected a smaller file; cut it into "
            "several."
        )
    kind = kind or kind_of(path)
    if kind == "docx":
        return docx_document(data, path, most_words)
    return document_of(_decoded(path, data), kind, path, most_words)


def document_of(
    text: str, kind: Kind = "plain", path: Path | None = None, most_words: int = MOST_WORDS
) -> Document:
    """Cut a text into the segments that detectors read, at most ``most_words`` words each."""
    blocks, directives, landmarks = _extract(text, kind, str(path or "text"))
    segments = tuple(_segments(blocks, most_words))
    return Document(path, text, kind, segments, tuple(directives), tuple(landmarks))


def docx_document(data: bytes, path: Path | None = None, most_words: int = MOST_WORDS) -> Document:
    """Cut the text of a Word document, which becomes the source, into segments."""
    from tactful.documents.docx import read_docx

    blocks: list[Block] = []
    landmarks: list[tuple[int, str]] = []
    directives: list[Directive] = []
    found = [(each, each.text) for each in read_docx(data, str(path or "text"))]
    source = "\n".join(text for _, text in found)
    at = 0
    for paragraph, text in found:
        landmarks.append((at, paragraph.place))
        inner, directives_here, _ = _part(source, at, at + len(text))
        directives += [each._replace(block=len(blocks)) for each in directives_here]
        blocks += [block._replace(kind=paragraph.kind) for block in inner]
        at += len(text) + 1
    segments = tuple(_segments(blocks, most_words))
    return Document(path, source, "docx", segments, tuple(directives), tuple(landmarks))


def _segments(blocks: Iterable[Block], most_words: int) -> Iterator[Segment]:
    for number, block in enumerate(blocks):
        if _HAS_WORDS.search(block.text):
            yield from segments_of(block, number, most_words)


def _extract(text: str, kind: str, name: str) -> Extract:
    match kind:
        case "plain":
            return plain_blocks(text)
        case "markdown":
            from tactful.documents.markdown import markdown_blocks

            return Extract(*markdown_blocks(text))
        case "html":
            from tactful.documents.html import html_blocks

            return Extract(*html_blocks(text))
        case "rst":
            from tactful.documents.restructuredtext import rst_blocks

            return Extract(*rst_blocks(text, lambda start, end: _part(text, start, end).blocks))
        case "subtitles":
            from tactful.documents.subtitles import subtitle_blocks

            return Extract(*subtitle_blocks(text, name))
        case "notebook":
            from tactful.documents.notebook import notebook_blocks

            return Extract(*notebook_blocks(text, name))
        case "docx":
            raise UsageError(
                "Found a text of the kind 'docx'; expected the bytes of a Word document; name the "
                "file, or give it on standard input."
            )
    raise unknown_name("kind of document", kind, list(KINDS))


def plain_blocks(source: str) -> Extract:
    """Cut plain text at blank lines and list items; lines of one paragraph become one text."""
    found: list[Directive] = []
    if "tactful:" in source:  # most texts have no directive
        from tactful.documents.ignores import directives_in_plain

        found = list(directives_in_plain(source))
    blocks: list[Block] = []
    directives: list[Directive] = []
    at = passed = 0
    for start, end, kind in _pieces(source):
        writer = Writer(source)
        at = start
        while passed < len(found) and found[passed].start < end:
            directive = found[passed]
            writer.flow(at, directive.start)
            writer.space(directive.start, directive.end)
            directives.append(directive._replace(block=len(blocks)))
            at = directive.end
            passed += 1
        writer.flow(at, end)
        writer.trim()
        text, offsets = writer.finish()
        blocks.append(Block(text, (offsets,), kind))
    return Extract(blocks, directives)


def _part(source: str, start: int, end: int) -> Extract:
    """Return a part of a text as plain paragraphs, with places in the whole."""
    writer = Writer(source)
    writer.add(source[start:end], start, end)
    text, offsets = writer.finish()
    found = plain_blocks(text)
    blocks = [block._replace(maps=(offsets, *block.maps)) for block in found.blocks if block.text]
    if not found.directives:
        return Extract(blocks, [])
    from tactful.documents.ignores import placed_directive

    return Extract(blocks, [placed_directive(each, offsets, 0) for each in found.directives])


def _pieces(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield the paragraphs of a plain text; lists are cut into items, without their marks."""
    for start, end in _paragraphs(source):
        first = _ITEM.match(source, start, end)
        items = [*([first] if first else []), *_NEXT_ITEM.finditer(source, start, end)]
        if len(items) < _LEAST_ITEMS:
            yield start, end, "paragraph"
            continue
        if items[0].start() > start:
            yield start, items[0].start(), "paragraph"
        ends = [*(each.start() for each in items[1:]), end]
        for item, stop in zip(items, ends, strict=True):
            yield item.end(), stop, "list item"


def _paragraphs(source: str) -> Iterator[tuple[int, int]]:
    at = 0
    for found in _PARAGRAPH_END.finditer(source):
        yield at, found.start()
        at = found.end()
    yield at, len(source)


def _decoded(path: Path, data: bytes) -> str:
    if data.startswith(_UTF16_MARKS):
        raise FileFormatError(f"{path}: found UTF-16 text; expected UTF-8; save the file as UTF-8.")
    start = data[:_LOOKED_AT]
    controls = len(start) - len(start.translate(None, _NOT_IN_TEXT))
    if controls > _MOST_CONTROLS * len(start) + 1:
        raise FileFormatError(
            f"{path}: found a binary file; expected text in UTF-8; leave this file out."
        )
    body = data.removeprefix(_MARK)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        if b"\0" in start:
            raise FileFormatError(
                f"{path}: found a binary file; expected text in UTF-8; leave this file out."
            ) from None
        before = body[: error.start]
        line = len(lines_in(before.decode("utf-8"))[0])
        raise FileFormatError(
            f"{path}, line {line}: found the byte 0x{body[error.start]:02X} at byte "
            f"{error.start + len(data) - len(body):,} of the file, which is not UTF-8; "
            "expected text in UTF-8; save the file as UTF-8."
        ) from None


class Exclusion:
    """Decides which paths are left out, by globs.

    A glob without a slash matches any file or folder of that name; one with a slash matches the
    path from ``base``. ``**`` means any number of folders.
    """

    def __init__(self, globs: Sequence[str], base: Path):
        self._base = base.resolve()
        self._names = [_as_regex(glob) for glob in globs if "/" not in glob.strip("/")]
        self._paths = [_as_regex(glob) for glob in globs if "/" in glob.strip("/")]

    def __call__(self, path: Path) -> bool:
        """Return whether the file or folder, or a folder that it is in, is left out."""
        # Not resolved: a link is known by its own name, not by that of what it leads to.
        whole = Path(os.path.normpath(Path.cwd() / path))
        inside = whole.is_relative_to(self._base)
        parts = whole.relative_to(self._base).parts if inside else (path.name,)
        if any(name.fullmatch(part) for part in parts for name in self._names):
            return True
        heads = ("/".join(parts[:size]) for size in range(1, len(parts) + 1))
        return inside and any(glob.fullmatch(head) for head in heads for glob in self._paths)


def _as_regex(glob: str) -> re.Pattern[str]:
    """Turn a glob into a pattern: ``*`` and ``?`` stay within a folder, ``**`` does not."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob.strip("/").removeprefix("./"))
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(piece) or re.escape(piece) for piece in pieces))
