"""A job's input, cut into pieces: the same cuts each time, so that a part is always the same rows.

Lines are cut where a record ends, at a given number of rows or bytes. Parquet and Arrow files are
cut by row numbers, and workers read the rows themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from tactful.scale.tables.headers import Header, row_count
from tactful.scale.tables.records import cut_records
from tactful.scale.tables.sources import Source, open_source, packed_size


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of one source that become one part."""

    number: int = 0
    source: int = 0
    start: int = 0
    """In bytes of the decompressed file, or in rows of a Parquet or Arrow file."""
    end: int = 0
    line: int = 1
    """The line of the file with the first row; in Parquet and Arrow, the row."""
    next_line: int = 0
    data: bytes = b""
    """The rows themselves, where they are lines."""
    packed: int | None = field(default=None, compare=False)
    """About how many bytes of a compressed file they are; None if it is not compressed."""

    @property
    def size(self) -> int:
        """How much of the input this is: bytes on the disk, or rows."""
        return self.end - self.start if self.packed is None else self.packed

    def record(self) -> dict[str, Any]:
        """Return the record of the piece for the manifest."""
        return {
            "source": self.source,
            "start": self.start,
            "end": self.end,
            "line": self.line,
            "next line": self.next_line,
            "digest": blake2b(self.data, digest_size=16).hexdigest() if self.data else "",
        }


@dataclass(frozen=True, slots=True)
class Begin:
    """Where to start: at the beginning, or after the finished pieces without a gap."""

    number: int = 0
    source: int = 0
    offset: int | None = None
    line: int = 1


def begin_behind(parts: Mapping[int, Mapping[str, Any]]) -> Begin:
    """Return where the first missing piece begins."""
    number = 0
    while number in parts:
        number += 1
    if not number:
        return Begin()
    last = parts[number - 1]
    return Begin(number, int(last["source"]), int(last["end"]), int(last["next line"]))


def cut_pieces(
    sources: Sequence[Source],
    headers: Sequence[Header],
    rows: int,
    most_bytes: int,
    begin: Begin | None = None,
) -> Iterator[Piece]:
    """Yield the pieces of all sources in order; without any rows, one empty piece.

    So that there is always a part, which has the columns at least.
    """
    begin = begin or Begin()
    number = begin.number
    for at in range(begin.source, len(sources)):
        here = begin if at == begin.source else Begin()
        if sources[at].format.is_columnar:
            total = row_count(sources[at])
            pieces: Iterator[Piece] = (
                Piece(start=first, end=end, line=first + 1, next_line=end + 1)
                for first in range(here.offset or 0, total, rows)
                for end in [min(first + rows, total)]
            )
        else:
            pieces = _cut_lines(sources[at], headers[at], here, rows, most_bytes)
        for piece in pieces:
            yield replace(piece, number=number, source=at)
            number += 1
    if not number:
        start, line = headers[0].size, 1 + headers[0].lines
        yield Piece(0, 0, start, start, line, line)


def _cut_lines(
    source: Source, head: Header, begin: Begin, rows: int, most_bytes: int
) -> Iterator[Piece]:
    offset, line = (
        (head.size, 1 + head.lines) if begin.offset is None else (begin.offset, begin.line)
    )
    with open_source(source) as file:
        # The header of standard input is already read.
        if source.path is not None:
            file.seek(offset)
        records = cut_records(file, source.format, rows, most_bytes, source.name, head.rest, line)
        packed, done = None, -1
        for data in records:
            end, next_line = offset + len(data), line + data.count(b"\n")
            if source.path is not None and source.format.packing:
                if done < 0:
                    done = 0 if begin.offset is None else packed_size(file, offset)
                packed = max(packed_size(file, end) - done, 0)
                done += packed
            yield Piece(0, 0, offset, end, line, next_line, data, packed)
            offset, line = end, next_line
