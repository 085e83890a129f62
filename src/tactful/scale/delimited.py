"""CSV and TSV: fast where all rows are well, and row by row where one is not.

Cells are text, as they were written; an empty cell is null, and one of two quotes is empty text.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.scale.formats import Format
from tactful.scale.records import record_ends
from tactful.scale.sources import Source

_LONGEST_BLANK = len(b"\r\n")
_NOT_TEXT = "bytes that are not UTF-8 text"
_MOST_LETTERS = 1 << 30
_LINE_END, _RETURN, _QUOTE = 10, 13, 34


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    raw: bytes
    cells: Sequence[str]
    fault: str | None = None


def read_delimited(
    data: bytes, source: Source, columns: Sequence[str], line: int, *, skip_bad_rows: bool
) -> tuple[pl.DataFrame, int]:
    """Return the rows, and how many could not be read; ``line`` is that of the first row.

    A bad row is refused with its line, unless it is to be skipped.
    """
    found = _quickly(data, source.format, columns)
    if found is not None:
        return found, 0
    rows: list[_Row] = []
    skipped = 0
    for row in _rows(data, source.format.separator, line):
        fault = row.fault
        if fault is None and len(row.cells) != len(columns):
            fault = f"{len(row.cells)} cells"
        if fault is None:
            rows.append(row)
        elif skip_bad_rows:
            skipped += 1
        else:
            raise InputError(
                f"{source.name}, line {row.line}: found {fault}; expected {len(columns)} cells as "
                "in the header, in UTF-8, with quotes inside a quoted cell doubled; mend the line, "
                "or pass --bad-rows skip."
            )
    found = _quickly(b"".join(row.raw for row in rows), source.format, columns)
    return _as_table(rows, columns) if found is None else found, skipped


def _as_table(rows: Sequence[_Row], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows that the fast reader does not take, as it is with a quote inside a cell."""
    cells = [[cell or None for cell in row.cells] for row in rows]
    return pl.DataFrame(cells, schema=dict.fromkeys(columns, pl.String), orient="row")


def _quickly(data: bytes, kind: Format, columns: Sequence[str]) -> pl.DataFrame | None:
    """Read all rows at once; None where not all are as they should be."""
    ends = record_ends(data, kind)
    if len(ends) and np.diff(ends, prepend=0).min() <= _LONGEST_BLANK:
        data = _without_blank_lines(data, ends)
        ends = record_ends(data, kind)
    schema = dict.fromkeys(columns, pl.String)
    if not data:
        return pl.DataFrame(schema=schema)
    if not _cells_add_up(data, ends, kind, len(columns)):
        return None
    try:
        return pl.read_csv(
            data, has_header=False, schema=schema, separator=kind.separator, quote_char='"'
        )
    except pl.exceptions.PolarsError:
        return None


def _without_blank_lines(data: bytes, ends: NDArray[np.int64]) -> bytes:
    starts = [0, *ends.tolist()]
    records = [data[one:two] for one, two in zip(starts, [*starts[1:], len(data)], strict=True)]
    return b"".join(record for record in records if record.strip(b"\r\n"))


def _cells_add_up(data: bytes, ends: NDArray[np.int64], kind: Format, columns: int) -> bool:
    """Say whether quotes stand where they may, and separators outside them are as many as should.

    The fast reader fills short rows with nulls, and a row that is cut off must not pass for one;
    long rows it refuses, so that these two cannot make up for each other. A quote inside a cell
    without quotes would make one row of two.
    """
    rows = len(ends) + (not len(ends) or int(ends[-1]) < len(data))
    mark = kind.separator.encode()
    if b'"' not in data:
        return data.count(mark) == rows * (columns - 1)
    letters = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE)
    if len(quotes) % 2 or not _stand_well(letters, quotes, mark[0]):
        return False
    inside = np.searchsorted(quotes, np.flatnonzero(letters == mark[0])) % 2
    return int((inside == 0).sum()) == rows * (columns - 1)


def _stand_well(letters: NDArray[np.uint8], quotes: NDArray[np.intp], mark: int) -> bool:
    """Say whether each quote that opens stands before a cell, and each that closes behind one."""
    opening, closing = quotes[0::2], quotes[1::2]
    before = letters[opening[opening > 0] - 1]
    behind = letters[closing[closing < len(letters) - 1] + 1]
    may = np.zeros(256, dtype=bool)
    may[[mark, _LINE_END, _QUOTE]] = True
    opens = bool(may[before].all())
    may[_RETURN] = True
    return opens and bool(may[behind].all())


def _rows(data: bytes, separator: str, first: int) -> Iterator[_Row]:
    """Yield row after row; behind a quoting mistake, begin again with the next line."""
    csv.field_size_limit(_MOST_LETTERS)
    lines = _split(data)
    at = 0
    while at < len(lines):
        if not lines[at].strip(b"\r\n"):
            at += 1
            continue
        reader = csv.reader(_texts(lines, at), delimiter=separator, strict=True)
        try:
            cells = next(reader)
        except csv.Error as error:
            yield _Row(first + at, lines[at], (), f"a quoting mistake ({error})")
            at += 1
            continue
        raw = b"".join(lines[at : at + reader.line_num])
        yield _Row(first + at, raw, cells, None if _is_text(raw) else _NOT_TEXT)
        at += reader.line_num


def _texts(lines: Sequence[bytes], start: int) -> Iterator[str]:
    for at in range(start, len(lines)):
        yield lines[at].decode("utf-8", "surrogateescape")


def _split(data: bytes) -> list[bytes]:
    """Split at line feeds only: a carriage return may stand inside a cell."""
    *whole, last = data.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
