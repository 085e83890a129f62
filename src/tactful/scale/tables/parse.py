"""Parsing pieces into tables: fast if all rows are valid, else line by line."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

import polars as pl

from tactful.errors import InputError
from tactful.scale.rejects import Reject, reject
from tactful.scale.scoring import LINE
from tactful.scale.tables.columnar import read_rows
from tactful.scale.tables.delimited import read_delimited
from tactful.scale.tables.headers import TEXT, Header
from tactful.scale.tables.json_lines import UNUSED, readable
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.records import decoded
from tactful.scale.tables.sources import Source

_NUMBER = "number"
_NOT_TEXT = "found bytes that are not UTF-8 text; expected UTF-8"
_SMALLEST, _LARGEST = -(1 << 127), (1 << 128) - 1
"""Between these are the integers that can be read."""
_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
_ANY_OBJECT = pl.Struct({UNUSED: pl.Null})
"""Reading without fields is fast, and checks only whether lines are objects."""


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
    except UnicodeDecodeError as error:
        if not skip_bad_rows:
            line = piece.line + piece.data.count(b"\n", 0, error.start)
            raise InputError(
                f"{source.name}, line {line}: {_NOT_TEXT}; save the file as UTF-8, or pass "
                "--bad-rows skip."
            ) from None
        raw = piece.data.split(b"\n")
        lines = [decoded(line) for line in raw]
        bad = [
            reject(source.name, piece.line + at, _NOT_TEXT, raw[at])
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
        if fault is None:
            continue
        said = f"found {fault}; expected a JSON object on each line"
        if not skip_bad_rows:
            raise InputError(
                f"{source.name}, line {number}: {said}; repair the line, or pass --bad-rows skip."
            )
        rejects.append(reject(source.name, number, said, line.encode("utf-8", "surrogatepass")))
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
