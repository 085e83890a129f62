"""Reading a plain table: CSV, TSV, JSON Lines (all three gzipped too) or Parquet.

What cannot be read is one sentence with the file, the line, what was found and what was expected.
Cells of CSV and TSV stay text, exactly as written; an empty cell is a missing one.
"""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import csv_rows, has_bad_bytes, not_utf8, open_text
from tactful.registry import unknown_name
from tactful.words import counted

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
_PACKED = (".gz", ".zip")
_SAME = {".tab": ".tsv", ".ndjson": ".jsonl", ".pq": ".parquet"}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_BATCH_ROWS = 50_000


def read_table(path: Path) -> pl.DataFrame:
    """Read a table; the ending of the file's name says how it is written."""
    ending = _ending(path)
    size = path.stat().st_size
    if path.is_dir():
        raise UsageError(f"{path}: found a folder; expected a file; name one file in it.")
    if size == 0:
        raise FileFormatError(f"{path}: found an empty file; expected a table.")
    if ending == ".parquet":
        return _read_parquet(path)
    frame = _read_jsonl(path) if ending == ".jsonl" else _read_delimited(path, _DELIMITERS[ending])
    if frame.height == 0:
        raise FileFormatError(f"{path}: found no rows; expected at least one.")
    return frame


def require_columns(frame: pl.DataFrame, names: Sequence[str], path: Path) -> None:
    """Refuse a table that lacks a column, with the nearest name and the list."""
    for name in names:
        if name not in frame.columns:
            raise InputError(f"{path}: {unknown_name('column', name, frame.columns)}")


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
    with open_text(path) as handle:
        lines = handle.readlines()
    for number, line in enumerate(lines, 1):
        if has_bad_bytes(line):
            raise not_utf8(path, number)
    if not any(map(str.strip, lines)):
        raise FileFormatError(f"{path}: found no rows; expected at least one.")
    try:
        return pl.read_ndjson(io.BytesIO("".join(lines).encode()), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(_bad_json(path, lines)) from error


def _bad_json(path: Path, lines: Sequence[str]) -> str:
    """Find the line that cannot be read: the fast reader does not say."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            reason = str(error).partition(":")[0]
            return f"{path}, line {number}: found invalid JSON ({reason}); expected an object."
        if not isinstance(value, dict):
            kind = type(value).__name__
            return f"{path}, line {number}: found a JSON {kind}; expected an object."
    return f"{path}: found objects that make no table; expected the same fields in each line."


def _read_delimited(path: Path, delimiter: str) -> pl.DataFrame:
    with open_text(path) as handle:
        rows = csv_rows(path, handle, delimiter)
        first = next(rows, None)
        if first is None:
            raise FileFormatError(f"{path}: found an empty file; expected a table.")
        names = _header(path, first[1])
        batches = [pl.DataFrame(schema=dict.fromkeys(filter(None, names), pl.String))]
        batch: list[list[str]] = []
        for number, row in rows:
            if len(row) != len(names):
                if not any(row):
                    continue
                raise FileFormatError(
                    f"{path}, line {number}: found {len(row)} fields; expected {len(names)}, as in "
                    "the first line."
                )
            batch.append(row)
            if len(batch) >= _BATCH_ROWS:
                batches.append(_text_columns(names, batch))
                batch = []
        if batch:
            batches.append(_text_columns(names, batch))
    return pl.concat(batches)


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
