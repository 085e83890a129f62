"""The bytes before the first row of a source: a byte-order mark, and the header of CSV.

Parquet and Arrow files list their columns and count their rows, and any rows can be read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, TypeVar

from tactful.errors import FileFormatError, InputError
from tactful.libraries import Library
from tactful.scale.tables.records import record_ends
from tactful.scale.tables.sources import Source, open_source
from tactful.scale.tables.where import first_line

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

T = TypeVar("T")
MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LETTER = 2
"""Of the first two bytes, one is zero if Latin letters are written as UTF-16."""
_BLOCK, _MOST_BYTES = 1 << 16, 1 << 20
"""A longer header is an error: a quote was never closed."""
TEXT = "text"
"""The column of a plain text file, whose rows are its lines."""


def schema_of(source: Source) -> pl.Schema:
    """Return the columns of a file with their types."""
    return _tried(source, lambda: _scan(source).collect_schema())


def row_count(source: Source) -> int:
    """Return how many rows a file has."""
    return int(_tried(source, lambda: _scan(source).select(pl.len()).collect().item()))


def read_rows(source: Source, start: int, end: int) -> pl.DataFrame:
    """Read some rows of a file."""
    return _tried(source, lambda: _scan(source).slice(start, end - start).collect())


def _scan(source: Source) -> pl.LazyFrame:
    # A pattern in a file's name is a part of its name.
    if source.format.kind == "parquet":
        return pl.scan_parquet(source.name, glob=False)
    return pl.scan_ipc(source.name, glob=False)


def _tried(source: Source, read: Callable[[], T]) -> T:
    try:
        return read()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileFormatError(
            f"{source.name}: found no {source.format.kind} file that can be read "
            f"({first_line(error)}); expected a complete one; write it again."
        ) from None


@dataclass(frozen=True, slots=True)
class Header:
    """The start of a source."""

    size: int = 0
    """How many bytes come before the first row."""
    lines: int = 0
    columns: tuple[str, ...] = ()
    """The names in the header of a delimited file, or of the columns of a table."""
    schema: pl.Schema | None = None
    """The types of a Parquet or Arrow file."""
    rest: bytes = b""
    """Rows that were read with the header, from a stream that cannot be read twice."""

    @property
    def types(self) -> Mapping[str, Any]:
        """The columns with their types; those of text files have none."""
        return dict.fromkeys(self.columns) if self.schema is None else self.schema


def read_headers(sources: Sequence[Source]) -> list[Header]:
    """Read the starts of all sources; files with different columns are refused."""
    headers: list[Header] = []
    for source in sources:
        if source.format.is_columnar:
            schema = schema_of(source)
            head = Header(columns=tuple(schema), schema=schema)
        else:
            with open_source(source) as file:
                head = read_header(file, source)
        if headers:
            refuse_other_columns(source.name, head.types, sources[0].name, headers[0].types)
        headers.append(head)
    return headers


def refuse_other_columns(
    name: str, types: Mapping[str, Any], first_name: str, first_types: Mapping[str, Any]
) -> None:
    """Refuse a file with other columns than the first one, or other types; the order may differ.

    An engine would leave out what the first file does not have, without a message.
    """
    other = set(types) ^ set(first_types)
    if other:
        raise InputError(
            f"{name}: found other columns than in {first_name} ({', '.join(sorted(other)[:5])}); "
            "expected the same in all files; score them separately."
        )
    for column, kind in types.items():
        if kind != first_types[column]:
            raise InputError(
                f"{name}: found '{column}' as {kind}, and as {first_types[column]} in "
                f"{first_name}; expected the same type in all files; score them separately."
            )


def read_header(file: IO[bytes], source: Source) -> Header:
    """Read the start of an open source."""
    data = b""
    while True:
        block = file.read(_BLOCK)
        data += block
        found = header_of(data, source, is_all=not block or len(data) >= _MOST_BYTES)
        if found is not None:
            # A stream cannot be read twice, so the rows after the header are kept.
            return replace(found, rest=data[found.size :]) if source.path is None else found


def header_of(data: bytes, source: Source, is_all: bool) -> Header | None:
    """Return the header at the start of some bytes; None while it is incomplete."""
    if data.startswith(_UTF16_MARKS) or b"\0" in data[:_LETTER]:
        raise FileFormatError(
            f"{source.name}: found UTF-16 or no text at all; expected UTF-8; save it as UTF-8."
        )
    if len(data) < len(MARK) and not is_all:
        return None
    mark = len(MARK) if data.startswith(MARK) else 0
    if source.format.kind not in ("csv", "tsv"):
        return Header(mark, 0, (TEXT,) if source.format.kind == "txt" else ())
    body = data[mark:]
    ends = record_ends(body, source.format)
    if not len(ends) and not is_all:
        return None
    if not len(ends) and len(data) >= _MOST_BYTES:
        raise FileFormatError(
            f"{source.name}, line 1: found a header that does not end within "
            f"{_MOST_BYTES >> 20} MB; expected the names of the columns; look for a quote that is "
            "never closed."
        )
    size = int(ends[0]) if len(ends) else len(body)
    return Header(mark + size, body.count(b"\n", 0, size), _names(body[:size], source))


def _names(header: bytes, source: Source) -> tuple[str, ...]:
    try:
        text = header.decode("utf-8")
        lines = io.StringIO(text, newline="")
        rows = list(csv.reader(lines, delimiter=source.format.separator, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(
            f"{source.name}, line 1: found a header that cannot be read ({error}); expected the "
            "names of the columns, in UTF-8."
        ) from None
    if len(rows) > 1:
        raise FileFormatError(
            f"{source.name}, line 1: found a carriage return without a line feed; "
            "expected a line feed after each row; save the file with the line ends of Unix or "
            "Windows."
        )
    names = rows[0] if rows else []
    if not names:
        raise FileFormatError(
            f"{source.name}, line 1: found nothing; expected the names of the columns."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FileFormatError(
            f"{source.name}, line 1: found the column '{twice}' twice; expected each name once; "
            "rename one."
        )
    return tuple(names)


def empty_table(head: Header) -> pl.DataFrame:
    """Return a table without rows that has the source's columns, for checks before the start."""
    if head.schema is not None:
        return pl.DataFrame(schema=head.schema)
    return pl.DataFrame(schema=dict.fromkeys(head.columns, pl.String))
