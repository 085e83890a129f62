"""Tables of answers that users bring: what does not fit is collected, with file and line.

Everything that is wrong in a file is reported together. Nothing is guessed, repaired or left out.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from tactful.corpora.files.problems import show
from tactful.errors import BadRowsError, Problem
from tactful.files import csv_rows, open_text
from tactful.tables import read_table, require_columns

ACTION = "nothing was scored"
_KEPT = 10
_CSV_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


@dataclass
class Faults:
    """Collects what is wrong in one file."""

    path: Path
    kept: list[Problem] = field(default_factory=list)
    rows: set[int | None] = field(default_factory=set)
    total: int = 0

    def add(self, line: int | None, found: str, expected: str, column: str | None = None) -> None:
        """Count a fault, and keep it if it is among the first."""
        self.total += line is None or line not in self.rows
        self.rows.add(line)
        if len(self.kept) < _KEPT + 1:
            name = self.path.name
            self.kept.append(Problem(name, line, "answer", found, expected, ACTION, column=column))

    def raise_any(self) -> None:
        """Raise all of them as one error, if there are any."""
        if self.kept:
            raise BadRowsError(self.kept, self.total)


@dataclass
class Answers:
    """The answers in one file: a value for each id, and its line."""

    path: Path
    ids: list[str]
    values: list[Any]
    lines: Callable[[int], int | None]
    """The line of the answer at a place; None where the file has no lines."""


class Table:
    """A table of the user's, that knows on which line each row starts."""

    def __init__(self, path: Path):
        self.path = path
        self.frame = read_table(path)

    def line(self, row: int) -> int | None:
        """Return the line of a row; None in Parquet, which has none."""
        return self._lines[row] if row < len(self._lines) else None

    def add(
        self, faults: Faults, row: int, found: str, expected: str, column: str | None = None
    ) -> None:
        """Count a fault of a row, by its line or, where there are none, by its number."""
        line = self.line(row)
        where = "" if line is not None else f"in row {row + 1:,} "
        faults.add(line, where + found, expected, column)

    def ids(self, column: str) -> list[str]:
        """Return the ids; a missing or repeated one is a fault."""
        require_columns(self.frame, [column], self.path)
        ids = as_ids(self.frame[column]).to_list()
        faults = Faults(self.path)
        for row, value in enumerate(ids):
            if value is None:
                self.add(faults, row, "no id", "one in each row", column)
        faults.raise_any()
        refuse_repeated(Answers(self.path, ids, ids, self.line), column)
        return ids

    def rows_by_id(self, column: str, faults: Faults) -> dict[str, list[int]]:
        """Return the rows of each id, where an id may have several; a missing one is a fault."""
        rows: dict[str, list[int]] = {}
        for row, value in enumerate(as_ids(self.frame[column]).to_list()):
            if value is None:
                self.add(faults, row, "no id", "one in each row", column)
            else:
                rows.setdefault(value, []).append(row)
        return rows

    def answers_of(self, rows: dict[str, list[int]], values: list[Any]) -> Answers:
        """Return a value for each id of :meth:`rows_by_id`; its line is that of its first row."""
        first = [each[0] for each in rows.values()]
        return Answers(self.path, list(rows), values, lambda at: self.line(first[at]))

    def cells(self, column: str) -> list[Any]:
        """Return the cells of a column."""
        require_columns(self.frame, [column], self.path)
        return self.frame[column].to_list()

    @cached_property
    def _lines(self) -> list[int]:
        endings = [ending.lower() for ending in self.path.suffixes]
        delimiter = next((_CSV_DELIMITERS[e] for e in endings if e in _CSV_DELIMITERS), None)
        if ".parquet" in endings or ".pq" in endings:
            return []
        with open_text(self.path) as handle:
            if delimiter is None:
                return [number for number, line in enumerate(handle, 1) if line.strip()]
            rows = csv_rows(self.path, handle, delimiter)
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


def refuse_repeated(answers: Answers, column: str | None = None) -> None:
    """Refuse a repeated id: it is not clear which answer counts."""
    first: dict[str, int] = {}
    faults = Faults(answers.path)
    for at, value in enumerate(answers.ids):
        if value in first:
            there = answers.lines(first[value])
            where = "" if there is None else f", which is already on line {there}"
            faults.add(answers.lines(at), f"the id {show(value)} again{where}", "it once", column)
        first.setdefault(value, at)
    faults.raise_any()


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


def show_cell(cell: Any) -> str:
    """Show a found cell without showing a long text."""
    return show(None if cell is None else str(cell))
