"""Reading a plain table: CSV, TSV, JSON Lines (all three gzipped too) or Parquet.

What cannot be read is one sentence with the file, the line, what was found and what was expected.
Cells of CSV and TSV stay text, exactly as written; an empty cell is a missing one.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import csv_rows, has_bad_bytes, not_utf8, open_text
from tactful.libraries import Library
from tactful.registry import unknown_name
from tactful.words import counted

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
_PACKED = (".gz", ".zip")
_SAME = {".tab": ".tsv", ".ndjson": ".jsonl", ".pq": ".parquet"}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_BATCH_ROWS = 50_000


def read_table(path: Path) -> pl.DataFrame:
    """Read a table; the ending of the file's name says how it is written."""
    ending = _checked_ending(path)
    if ending == ".parquet":
        return _read_parquet(path)
    frame = _read_jsonl(path) if ending == ".jsonl" else _read_delimited(path, _DELIMITERS[ending])
    if frame.height == 0:
        raise FileFormatError(f"{path}: found no rows; expected at least one.")
    return frame


def read_columns(path: Path, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return some columns of a table, row by row; only Parquet needs the library for tables."""
    ending = _checked_ending(path)
    if ending == ".parquet":
        frame = _read_parquet(path)
        require_columns(frame, names, path)
        return frame.select(names).rows()
    if ending == ".jsonl":
        objects = _objects(path, _jsonl_lines(path))
        _require(list(dict.fromkeys(key for each in objects for key in each)), names, path)
        return [tuple(each.get(name) for name in names) for each in objects]
    rows = _delimited_rows(path, _DELIMITERS[ending])
    known = next(rows)
    _require([name for name in known if name], names, path)
    places = [known.index(name) for name in names]
    found = [tuple(row[at] or None for at in places) for row in rows]
    if not found:
        raise FileFormatError(f"{path}: found no rows; expected at least one.")
    return found


def require_columns(frame: pl.DataFrame, names: Sequence[str], path: Path) -> None:
    """Refuse a table that lacks a column, with the nearest name and the list."""
    _require(frame.columns, names, path)


def _require(known: list[str], names: Sequence[str], path: Path) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"{path}: {unknown_name('column', name, known)}")


def split_questions(
    frame: pl.DataFrame, path: Path, column: str, wanted: Sequence[str] = ()
) -> dict[str | None, pl.DataFrame]:
    """Return the rows of each question in the order of the file; of ``wanted`` ones, if any.

    A table without the column is one question that has no name.
    """
    if column not in frame.columns:
        if wanted:
            require_columns(frame, [column], path)
        return {None: frame}
    named = frame.with_columns(pl.col(column).cast(pl.String))
    if absent := named[column].null_count():
        raise InputError(
            f"{path}: found {counted(absent, 'row')} without '{column}'; expected one in each "
            "row; fill them in, or name another column with --question-column."
        )
    known = named[column].unique(maintain_order=True).to_list()
    for name in wanted:
        if name not in known:
            raise unknown_name("question", name, known)
    parts = named.partition_by(column, as_dict=True, maintain_order=True)
    return {name: parts[(name,)] for name in known if not wanted or name in wanted}


def _checked_ending(path: Path) -> str:
    """Return the ending of a file that is not empty."""
    ending = _ending(path)
    size = path.stat().st_size
    if path.is_dir():
        raise UsageError(f"{path}: found a folder; expected a file; name one file in it.")
    if size == 0:
        raise FileFormatError(f"{path}: found an empty file; expected a table.")
    return ending


def _ending(path: Path) -> str:
    endings = [ending.lower() for ending in path.suffixes]
    packed = bool(endings) and endings[-1] in _PACKED
    last = endings[-2:-1] if packed else endings[-1:]
    ending = _SAME.get(last[0], last[0]) if last else ""
    if ending not in ENDINGS or (packed and ending == ".parquet"):
        found = "".join(path.suffixes[-2:] if packed else path.suffixes[-1:])
        raise UsageError(
            f"{path}: found the ending '{found}'; expected {', '.join(ENDINGS)}, or one of the "
            "first three with .gz behind it."
        )
    return ending


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileFormatError(
            f"{path}: found a file that is not Parquet, or is cut off; expected a Parquet file."
        ) from error
    if frame.height == 0:
        raise FileFormatError(f"{path}: found no rows; expected at least one.")
    return frame


def _read_jsonl(path: Path) -> pl.DataFrame:
    lines = _jsonl_lines(path)
    try:
        return pl.read_ndjson(io.BytesIO("".join(lines).encode()), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        _objects(path, lines)  # finds the line that cannot be read: the fast reader does not say
        raise FileFormatError(
            f"{path}: found objects that make no table; expected the same fields in each line."
        ) from error


def _jsonl_lines(path: Path) -> list[str]:
    with open_text(path) as handle:
        lines = handle.readlines()
    for number, line in enumerate(lines, 1):
        if has_bad_bytes(line):
            raise not_utf8(path, number)
    if not any(map(str.strip, lines)):
        raise FileFormatError(f"{path}: found no rows; expected at least one.")
    return lines


def _objects(path: Path, lines: Sequence[str]) -> list[dict[str, Any]]:
    """Return the lines as objects; the first that is none is an error with its number."""
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            reason = str(error).partition(":")[0]
            raise FileFormatError(
                f"{path}, line {number}: found invalid JSON ({reason}); expected an object."
            ) from None
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise FileFormatError(
                f"{path}, line {number}: found a JSON {kind}; expected an object."
            )
        found.append(value)
    return found


def _read_delimited(path: Path, delimiter: str) -> pl.DataFrame:
    rows = _delimited_rows(path, delimiter)
    names = next(rows)
    batches = [pl.DataFrame(schema=dict.fromkeys(filter(None, names), pl.String))]
    while batch := list(islice(rows, _BATCH_ROWS)):
        batches.append(_text_columns(names, batch))
    return pl.concat(batches)


def _delimited_rows(path: Path, delimiter: str) -> Iterator[list[str]]:
    """Yield the names of the columns, and then the cells of each row."""
    with open_text(path) as handle:
        rows = csv_rows(path, handle, delimiter)
        first = next(rows, None)
        if first is None:
            raise FileFormatError(f"{path}: found an empty file; expected a table.")
        names = _header(path, first[1])
        yield names
        for number, row in rows:
            if len(row) == len(names):
                yield row
            elif any(row):
                raise FileFormatError(
                    f"{path}, line {number}: found {len(row)} fields; expected {len(names)}, as in "
                    "the first line."
                )


def _header(path: Path, row: Sequence[str]) -> list[str]:
    names = [name.strip() for name in row]
    if not any(names):
        raise FileFormatError(f"{path}, line 1: found no names; expected those of the columns.")
    # Columns without a name are row numbers or empty ones beside the table: they are left out.
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise FileFormatError(
            f"{path}, line 1: found the column '{twice}' twice; expected it once; remove one."
        )
    return names


def _text_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    columns = zip(names, zip(*rows, strict=True), strict=True)
    frame = pl.DataFrame([pl.Series(name, cells, pl.String) for name, cells in columns if name])
    return frame.with_columns(
        pl.when(pl.all() != "").then(pl.all())  # an empty cell holds nothing
    )


def lines_of(path: Path) -> list[int]:
    """Return the line on which each row of a table starts; empty for Parquet, which has none."""
    ending = _ending(path)
    if ending == ".parquet":
        return []
    delimiter = _DELIMITERS.get(ending)
    with open_text(path) as handle:
        if delimiter is None:
            return [number for number, line in enumerate(handle, 1) if line.strip()]
        rows = csv_rows(path, handle, delimiter)
        width = len(next(rows)[1])
        return [start for start, row in rows if len(row) == width]


def as_ids(column: pl.Series) -> pl.Series:
    """Write ids as text: 7 and 7.0 are the same id."""
    if column.dtype.is_float():
        known = column.drop_nulls()
        whole = bool((known == known.round()).all())
        column = column.cast(pl.Int64, strict=False) if whole else column
    text = column.cast(pl.String).str.strip_chars()
    return text.set(text == "", None)


def as_number(cell: Any) -> float | None:
    """Read a finite number; None where it is none."""
    if isinstance(cell, str) and "_" in cell:
        # Python takes 1_0 as 10; nobody who writes it in a table means that.
        return None
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
