"""Parsing pieces into tables: fast if all rows are valid, else row by row or line by line.

Cells of CSV and TSV are text, as they were written; an empty cell is null, and one of two quotes is
empty text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from tactful.errors import InputError
from tactful.libraries import Library
from tactful.scale.rejects import Reject, reject
from tactful.scale.scoring import LINE
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import MARK, TEXT, Header, read_rows
from tactful.scale.tables.json_lines import UNUSED, first_of_each, readable
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.records import (
    NEWLINE,
    QUOTE,
    RETURN,
    decoded,
    quotes_stand_well,
    record_ends,
)
from tactful.scale.tables.sources import Source
from tactful.words import counted

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

_BLANK = (b"\n", b"\r\n", b"\r")
_LONGEST_BLANK = len(b"\r\n")
_NUMBER = "number"
TOO_DEEP = "JSON that is nested too deeply"
_NOT_TEXT = "found bytes that are not UTF-8 text; expected UTF-8"
_SMALLEST, _LARGEST = -(1 << 127), (1 << 128) - 1
"""Between these are the integers that can be read."""
_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    raw: bytes
    cells: Sequence[bytes | None] = ()
    fault: str | None = None


def read_delimited(
    data: bytes, source: Source, columns: Sequence[str], line: int, *, skip_bad_rows: bool
) -> tuple[pl.DataFrame, list[Reject]]:
    """Return the rows, and those that cannot be read; ``line`` is that of the first row.

    A bad row is refused with its line, unless it is to be skipped.
    """
    found = _quickly(data, source.format, columns)
    if found is not None:
        return found, []
    rows, rejects = read_cells(data, source, columns, line, skip_bad_rows=skip_bad_rows)
    mark = source.format.separator.encode()
    # With quotes around all cells, as around one that has a quote inside.
    mended = (
        mark.join(b"" if cell is None else b'"%s"' % cell.replace(b'"', b'""') for cell in row)
        for row in rows
    )
    found = _quickly(b"".join(row + b"\n" for row in mended), source.format, columns)
    if found is None:
        raise InputError(
            f"{source.name}, from line {line} on: found rows that cannot be read; expected CSV as "
            "spreadsheets write it; save the file again with such a program."
        )
    return found, rejects


def read_cells(
    data: bytes, source: Source, columns: Sequence[str], line: int, *, skip_bad_rows: bool
) -> tuple[list[Sequence[bytes | None]], list[Reject]]:
    """Return the cells of each row in UTF-8, None for an empty one; and the rows with a fault."""
    rows: list[Sequence[bytes | None]] = []
    rejects: list[Reject] = []
    expected = (
        f"expected {counted(len(columns), 'cell')} as in the header, in UTF-8, with quotes inside "
        "a quoted cell doubled"
    )
    for row in _rows(data, source.format.separator, len(columns), line):
        if row.fault is None:
            rows.append(row.cells)
        else:
            said = f"found {row.fault}; {expected}"
            rejects.append(rejected(source, row.line, said, row.raw, skip_bad_rows))
    return rows, rejects


def rejected(
    source: Source, line: int, said: str, raw: bytes, skip: bool, todo: str = "repair the line"
) -> Reject:
    """Return a bad row that is to be skipped; refuse any other."""
    if skip:
        return reject(source.name, line, said, raw)
    raise InputError(f"{source.name}, line {line}: {said}; {todo}, or pass --bad-rows skip.")


def _quickly(data: bytes, kind: Format, columns: Sequence[str]) -> pl.DataFrame | None:
    """Read all rows together; None if any is not as expected."""
    ends = record_ends(data, kind, is_all=True)
    if len(ends) and np.diff(ends, prepend=0).min() <= _LONGEST_BLANK:
        records = (data[one:two] for one, two in pairwise([0, *ends.tolist()]))
        data = b"".join(record for record in records if record not in _BLANK)
        ends = record_ends(data, kind, is_all=True)
    schema = dict.fromkeys(columns, pl.String)
    if not data:
        return pl.DataFrame(schema=schema)
    # The fast reader drops a byte-order mark, which is text after the header.
    if data.startswith(MARK) or not _cells_add_up(data, len(ends), kind, len(columns)):
        return None
    try:
        return pl.read_csv(
            data, has_header=False, schema=schema, separator=kind.separator, quote_char='"'
        )
    except pl.exceptions.PolarsError:
        return None


def _cells_add_up(data: bytes, rows: int, kind: Format, columns: int) -> bool:
    """Say whether quotes are valid, and the number of separators outside them is as expected.

    The fast reader fills short rows with nulls, and a row that is cut off must not pass for one;
    long rows it refuses, so that these two cannot make up for each other. A quote inside a cell
    without quotes would make one row of two, and a carriage return there it may leave out.
    """
    mark = kind.separator.encode()
    if b'"' not in data and b"\r" not in data:
        return data.count(mark) == rows * (columns - 1)
    letters = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(letters == QUOTE)
    if len(quotes) % 2 or not quotes_stand_well(letters, quotes, mark[0]):
        return False
    returns = np.flatnonzero(letters[:-1] == RETURN)
    alone = returns[letters[returns + 1] != NEWLINE]
    if not (np.searchsorted(quotes, alone) % 2).all():
        return False
    inside = np.searchsorted(quotes, np.flatnonzero(letters == mark[0])) % 2
    return int((inside == 0).sum()) == rows * (columns - 1)


def _rows(data: bytes, separator: str, columns: int, line: int) -> Iterator[_Row]:
    """Yield row after row; after a quoting mistake, continue with the next line."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        if data[at:end] not in _BLANK:
            cells, behind = _cells(data, at, separator)
            end = behind or end
            if decoded(data[at:end]) is None:
                yield _Row(line, data[at:end], fault="bytes that are not UTF-8 text")
            elif cells is None:
                said = "a quote that is not closed, or not doubled inside a cell"
                yield _Row(line, data[at:end], fault=f"a quoting mistake ({said})")
            else:
                fault = None if len(cells) == columns else counted(len(cells), "cell")
                yield _Row(line, data[at:end], cells, fault)
        line += data.count(b"\n", at, end)
        at = end


def _cells(data: bytes, at: int, separator: str) -> tuple[list[bytes | None] | None, int]:
    """Return the cells of the row at an offset, and the offset after it; None if it is bad."""
    pattern, mark = _cell(separator), ord(separator)
    cells: list[bytes | None] = []
    while True:
        found = pattern.match(data, at)
        if found is None:
            return None, 0
        at = found.end()
        is_last = at == len(data) or data[at] != mark
        quoted, bare = found.groups()
        if quoted is not None:
            cells.append(quoted.replace(b'""', b'"'))
        else:
            # A carriage return is a part of the line end.
            cells.append((bare.removesuffix(b"\r") if is_last else bare) or None)
        if is_last:
            return cells, data.find(b"\n", at) + 1 or len(data)
        at += 1


@cache
def _cell(separator: str) -> re.Pattern[bytes]:
    """Return the pattern of a cell, quoted or not."""
    mark = re.escape(separator.encode())
    return re.compile(
        rb'"([^"]*+(?:""[^"]*+)*+)"(?=%s|\r?\n|\r?\Z)|(?!")([^%s\n]*+)' % (mark, mark)
    )


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of a piece, and those that cannot be read."""

    table: pl.DataFrame
    rejects: Sequence[Reject] = ()


def parse(piece: Piece, source: Source, head: Header, skip_bad_rows: bool = False) -> Parsed:
    """Return the rows of a piece; a bad row is refused with its line, or listed as a reject."""
    kind = source.format.kind
    if source.format.is_columnar:
        return Parsed(read_rows(source, piece.start, piece.end))
    if kind == "jsonl":
        return _lines_of_json(piece, source, skip_bad_rows)
    if kind == "txt":
        found = _lines(piece, source, skip_bad_rows)
        return Parsed(found.table.select(pl.col(LINE).alias(TEXT)), found.rejects)
    return Parsed(
        *read_delimited(piece.data, source, head.columns, piece.line, skip_bad_rows=skip_bad_rows)
    )


def piece_behind(head: Header) -> Piece:
    """Return the whole lines that were read together with the head of a source."""
    return Piece(data=head.rest[: head.rest.rfind(b"\n") + 1] or head.rest)


def decoded_lines(
    piece: Piece, source: Source, skip_bad_rows: bool
) -> tuple[list[str | None], list[Reject]]:
    """Return all lines of a piece, None for one that is no text; and those as rejects."""
    bad: list[Reject] = []
    try:
        lines: list[str | None] = [*piece.data.decode("utf-8").split("\n")]
    except UnicodeDecodeError:
        raw = piece.data.split(b"\n")
        lines = [decoded(line) for line in raw]
        todo = "save the file as UTF-8"
        bad = [
            rejected(source, piece.line + at, _NOT_TEXT, raw[at], skip_bad_rows, todo)
            for at, line in enumerate(lines)
            if line is None
        ]
    return lines, bad


def _lines(piece: Piece, source: Source, skip_bad_rows: bool) -> Parsed:
    """Return the lines of a piece that are not blank, with their numbers."""
    lines, bad = decoded_lines(piece, source, skip_bad_rows)
    series = pl.Series(LINE, lines, pl.String).str.strip_chars_end("\r\n")
    numbered = pl.DataFrame(series).with_row_index(_NUMBER, piece.line)
    return Parsed(numbered.filter(series.str.strip_chars() != ""), bad)


def _lines_of_json(piece: Piece, source: Source, skip_bad_rows: bool) -> Parsed:
    found = _lines(piece, source, skip_bad_rows)
    table = found.table.select(LINE)
    if _are_objects(table[LINE]) or _are_objects(readable(table[LINE])):
        return Parsed(table, found.rejects)
    rejects, keep = [*found.rejects], []
    for number, line in found.table.select(_NUMBER, LINE).iter_rows():
        fault = _fault(line)
        keep.append(fault is None)
        if fault is not None:
            rejects.append(rejected_json(source, number, fault, line, skip_bad_rows))
    rejects.sort(key=lambda each: each.line)
    return Parsed(table.filter(pl.Series(keep, dtype=pl.Boolean)), rejects)


def rejected_json(source: Source, number: int, fault: str, line: str, skip: bool) -> Reject:
    """Return a line that is no JSON object and is to be skipped; refuse any other."""
    said = f"found {fault}; expected a JSON object on each line"
    return rejected(source, number, said, line.encode(), skip)


def _are_objects(lines: pl.Series) -> bool:
    # Reading without fields is fast, and checks only whether lines are objects.
    try:
        lines.str.json_decode(pl.Struct({UNUSED: pl.Null}))
    except pl.exceptions.PolarsError:
        return False
    return lines.str.strip_chars_start().str.starts_with("{").all()


def read_object(line: str) -> dict[str, Any] | str:
    """Return a line as an object, or what is wrong with it; strict JSON only.

    Of a repeated key, the first value counts. Too deep an object is a ``RecursionError``.
    """
    try:
        value: Any = json.loads(
            line,
            object_pairs_hook=first_of_each,
            parse_constant=_no_number,
            parse_float=_float,
            parse_int=_int,
        )
    except ValueError as error:
        return f"no JSON ({error})"
    if not isinstance(value, dict):
        return f"JSON that is {_NAMES.get(type(value), 'a number')}"
    return value


def _fault(line: str) -> str | None:
    """Say what is wrong with a line."""
    try:
        value = read_object(line)
    except RecursionError:
        value = {}  # the other reader goes somewhat deeper, and decides
    if isinstance(value, str):
        return value
    return None if _are_objects(readable(pl.Series([line]))) else TOO_DEEP


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _float(digits: str) -> float:
    if isinf(float(digits)):
        raise ValueError(f"the number {digits} is too large")
    return float(digits)


def _int(digits: str) -> int:
    number = int(digits)
    if not _SMALLEST <= number <= _LARGEST:
        raise ValueError(f"the number {digits} is too large")
    return number
