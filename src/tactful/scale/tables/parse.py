"""Parsing pieces into tables: fast if all rows are valid, else row by row or line by line.

Cells of CSV and TSV are text, as they were written; an empty cell is null, and one of two quotes is
empty text.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import isinf
from typing import Any

import numpy as np
import polars as pl

from tactful.errors import InputError
from tactful.scale.rejects import Reject, reject
from tactful.scale.scoring import LINE
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import MARK, TEXT, Header, read_rows
from tactful.scale.tables.json_lines import UNUSED, readable
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

_BLANK = (b"\n", b"\r\n", b"\r")
_LONGEST_BLANK = len(b"\r\n")
_NUMBER = "number"
_NOT_TEXT = "found bytes that are not UTF-8 text; expected UTF-8"
_SMALLEST, _LARGEST = -(1 << 127), (1 << 128) - 1
"""Between these are the integers that can be read."""
_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
_ANY_OBJECT = pl.Struct({UNUSED: pl.Null})
"""Reading without fields is fast, and checks only whether lines are objects."""


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    raw: bytes = b""
    """As it was written; a row without a fault as it should be for the fast reader."""
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
    rows: list[bytes] = []
    rejects: list[Reject] = []
    expected = (
        f"expected {counted(len(columns), 'cell')} as in the header, in UTF-8, with quotes inside "
        "a quoted cell doubled"
    )
    for row in _rows(data, source.format.separator, len(columns), line):
        if row.fault is None:
            rows.append(row.raw)
        else:
            said = f"found {row.fault}; {expected}"
            rejects.append(_rejected(source, row.line, said, row.raw, skip_bad_rows))
    found = _quickly(b"".join(rows), source.format, columns)
    if found is None:
        raise InputError(
            f"{source.name}, from line {line} on: found rows that cannot be read; expected CSV as "
            "spreadsheets write it; save the file again with such a program."
        )
    return found, rejects


def _rejected(
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
                yield _Row(line, data[at:end], "bytes that are not UTF-8 text")
            else:
                yield _mended(data[at:end], cells, separator, columns, line)
        line += data.count(b"\n", at, end)
        at = end


def _mended(
    raw: bytes, cells: Sequence[bytes | None] | None, separator: str, columns: int, line: int
) -> _Row:
    """Return a row with quotes around all cells, as around one that has a quote inside."""
    if cells is None:
        said = "a quote that is not closed, or not doubled inside a cell"
        return _Row(line, raw, f"a quoting mistake ({said})")
    if len(cells) != columns:
        return _Row(line, raw, counted(len(cells), "cell"))
    quoted = (b"" if cell is None else b'"%s"' % cell.replace(b'"', b'""') for cell in cells)
    return _Row(line, separator.encode().join(quoted) + b"\n")


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


def lines_behind(head: Header, source: Source, skip_bad_rows: bool = False) -> pl.Series:
    """Return the lines of JSON that were read together with the head of a source."""
    whole = head.rest[: head.rest.rfind(b"\n") + 1] or head.rest
    return parse(Piece(data=whole), source, head, skip_bad_rows).table[LINE]


def _lines(piece: Piece, source: Source, skip_bad_rows: bool) -> Parsed:
    """Return the lines of a piece that are not blank, with their numbers."""
    bad: list[Reject] = []
    try:
        lines: list[str | None] = [*piece.data.decode("utf-8").split("\n")]
    except UnicodeDecodeError:
        raw = piece.data.split(b"\n")
        lines = [decoded(line) for line in raw]
        todo = "save the file as UTF-8"
        bad = [
            _rejected(source, piece.line + at, _NOT_TEXT, raw[at], skip_bad_rows, todo)
            for at, line in enumerate(lines)
            if line is None
        ]
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
            said, raw = f"found {fault}; expected a JSON object on each line", line.encode()
            rejects.append(_rejected(source, number, said, raw, skip_bad_rows))
    rejects.sort(key=lambda each: each.line)
    return Parsed(table.filter(pl.Series(keep, dtype=pl.Boolean)), rejects)


def _are_objects(lines: pl.Series) -> bool:
    try:
        lines.str.json_decode(_ANY_OBJECT)
    except pl.exceptions.PolarsError:
        return False
    return lines.str.strip_chars_start().str.starts_with("{").all()


def _fault(line: str) -> str | None:
    """Say what is wrong with a line; strict JSON only."""
    try:
        value: Any = json.loads(line, parse_constant=_no_number, parse_float=_float, parse_int=_int)
    except ValueError as error:
        return f"no JSON ({error})"
    except RecursionError:
        value = {}  # the other reader goes somewhat deeper, and decides
    if not isinstance(value, dict):
        return f"JSON that is {_NAMES.get(type(value), 'a number')}"
    return None if _are_objects(readable(pl.Series([line]))) else "JSON that is nested too deeply"


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
