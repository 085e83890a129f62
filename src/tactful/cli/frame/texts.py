"""The texts that ``tactful frame`` reads: passages of documents, lines, or rows of tables."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tactful.checking.report import Unread
from tactful.cli.documents import Files, sources
from tactful.cli.output import echo_sentence
from tactful.documents.document import Document, read_document
from tactful.errors import InputError, TactfulError, UsageError
from tactful.files import open_text
from tactful.frames.load import Framer
from tactful.tables import ENDINGS, read_columns
from tactful.types import Frame
from tactful.words import visible

BATCH = 64


@dataclass(frozen=True, slots=True)
class Given:
    """A text to read, and its place in the input."""

    text: str
    path: str | None = None
    line: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One text with its frame."""

    given: Given
    frame: Frame


def read_texts(
    paths: Sequence[Path],
    text: str | None,
    *,
    lines: bool = False,
    text_column: str = "text",
    id_column: str | None = None,
) -> list[Given]:
    """Return all texts; a file that cannot be read is an error before any work."""
    tables = [path for path in paths if path.suffix.lower() in ENDINGS]
    found = [row for path in tables for row in _rows(path, text_column, id_column)]
    others = [path for path in paths if path not in tables]
    if id_column is not None and not tables:
        raise UsageError("--id-column is for tables; found none among the files.")
    if lines:
        found += [each for path in others for each in _lines(path)]
        if not paths and text is None:
            found += _split(sys.stdin.read(), None)
    elif others or text is not None or not tables:
        for source in sources(Files(others, text)):
            found += _passages(source)
    if not found:
        raise InputError("Found no text to read; expected at least one.")
    return found


def _rows(path: Path, text_column: str, id_column: str | None) -> Iterator[Given]:
    columns = [text_column, *([id_column] if id_column else [])]
    for number, (text, *name) in enumerate(read_columns(path, columns), 1):
        if not isinstance(text, str) or not text.strip():
            raise InputError(
                f"{path}, row {number}: found no text in '{text_column}'; expected one in every "
                "row; leave such rows out."
            )
        given = name[0] if name else None
        yield Given(text, str(path), number, None if given is None else str(given))


def _lines(path: Path) -> Iterator[Given]:
    with open_text(path) as file:
        yield from _split(file.read(), str(path))


def _split(text: str, path: str | None) -> Iterator[Given]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield Given(line.strip(), path, number)


def _passages(source: Path | Document | Unread) -> Iterator[Given]:
    if isinstance(source, Unread):
        echo_sentence(f"Not read: {visible(str(source))}", err=True)
        return
    try:
        document = read_document(source, None) if isinstance(source, Path) else source
    except TactfulError as error:
        echo_sentence(f"Not read: {visible(str(error))}", err=True)
        return
    path = None if document.path is None else str(document.path)
    for segment in document.segments:
        yield Given(segment.text, path, document.line_column(segment.start)[0])


def framed(
    framer: Framer, batches: Iterable[Sequence[Given]], kept: list[Found]
) -> Iterator[Found]:
    """Yield each text with its frame, and keep them."""
    for batch in batches:
        frames = framer.frame([each.text for each in batch])
        for given, frame in zip(batch, frames, strict=True):
            kept.append(Found(given, frame))
            yield kept[-1]


def in_batches(texts: Sequence[Given]) -> list[Sequence[Given]]:
    """Cut texts into parts that are read at a time."""
    return [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
