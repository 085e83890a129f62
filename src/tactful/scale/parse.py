"""Pieces become tables: fast where all is well, and slowly where a line must be found to blame."""

import json
from dataclasses import dataclass
from math import isinf

import polars as pl

from tactful.errors import InputError
from tactful.scale.columnar import read_rows
from tactful.scale.delimited import read_delimited
from tactful.scale.heads import TEXT, Head
from tactful.scale.lines import readable
from tactful.scale.pieces import Piece
from tactful.scale.scored import LINE
from tactful.scale.sources import Source

_ANY_OBJECT = pl.Struct({"\0": pl.Null})
"""With no field to look for, reading is fast, and tells only whether lines are objects."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of a piece, and how many could not be read."""

    table: pl.DataFrame
    skipped: int = 0


def parse(piece: Piece, source: Source, head: Head, skip_bad_rows: bool = False) -> Parsed:
    """Return the rows of a piece; a bad one is refused with its line, or skipped and counted."""
    kind = source.format.kind
    if source.format.is_columnar:
        return Parsed(read_rows(source, piece.start, piece.end))
    if kind == "jsonl":
        return _lines_of_json(piece, source, skip_bad_rows)
    if kind == "txt":
        found = _lines(piece, source, skip_bad_rows)
        return Parsed(found.table.rename({LINE: TEXT}), found.skipped)
    return Parsed(
        *read_delimited(piece.data, source, head.columns, piece.line, skip_bad_rows=skip_bad_rows)
    )


def _lines(piece: Piece, source: Source, skip_bad_rows: bool) -> Parsed:
    """Return the lines of a piece that are not blank."""
    bad = 0
    try:
        lines = piece.data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        if not skip_bad_rows:
            line = piece.line + piece.data.count(b"\n", 0, error.start)
            raise InputError(
                f"{source.name}, line {line}: found bytes that are not UTF-8 text; expected UTF-8; "
                "save the file as UTF-8, or pass --bad-rows skip."
            ) from None
        each = [_decoded(line) for line in piece.data.split(b"\n")]
        lines = [line for line in each if line is not None]
        bad = len(each) - len(lines)
    series = pl.Series(LINE, lines, pl.String).str.strip_chars_end("\r\n")
    return Parsed(pl.DataFrame(series).filter(series.str.strip_chars() != ""), bad)


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _lines_of_json(piece: Piece, source: Source, skip_bad_rows: bool) -> Parsed:
    found = _lines(piece, source, skip_bad_rows)
    lines = found.table[LINE]
    if _are_objects(lines) or _are_objects(readable(lines)):
        return found
    keep = [_fault(line) is None for line in lines]
    if not skip_bad_rows and not all(keep):
        raise _bad_line(piece, source)
    kept = pl.Series(keep, dtype=pl.Boolean)
    return Parsed(found.table.filter(kept), found.skipped + keep.count(False))


def _are_objects(lines: pl.Series) -> bool:
    try:
        lines.str.json_decode(_ANY_OBJECT)
    except pl.exceptions.PolarsError:
        return False
    return lines.str.strip_chars_start().str.starts_with("{").all()


def _bad_line(piece: Piece, source: Source) -> InputError:
    """Name the first line that is no object; all of them are text."""
    lines = piece.data.decode("utf-8").split("\n")
    faults = (_fault(line.rstrip("\r")) if line.strip() else None for line in lines)
    number, fault = next((at, said) for at, said in enumerate(faults, piece.line) if said)
    return InputError(
        f"{source.name}, line {number}: found {fault}; expected a JSON object on each line; mend "
        "the line, or pass --bad-rows skip."
    )


def _fault(line: str) -> str | None:
    """Say what is wrong with a line; what only some readers take is wrong, too."""
    try:
        value = json.loads(line, parse_constant=_no_number, parse_float=_float)
    except ValueError as error:
        return f"no JSON ({error})"
    except RecursionError:
        return "JSON that is nested too deeply"
    if not isinstance(value, dict):
        return f"JSON that is a {type(value).__name__}"
    return None if _are_objects(readable(pl.Series([line]))) else "JSON that cannot be read"


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _float(digits: str) -> float:
    if isinf(float(digits)):
        raise ValueError(f"the number {digits} is too large")
    return float(digits)
