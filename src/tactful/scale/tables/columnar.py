"""Parquet and Arrow files: their columns, how many rows they have, and some of the rows."""

from collections.abc import Callable
from typing import TypeVar

import polars as pl

from tactful.errors import FileFormatError
from tactful.scale.tables.sources import Source
from tactful.scale.tables.where import first_line

T = TypeVar("T")


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
