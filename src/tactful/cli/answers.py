"""Tables of answers that users bring: what does not fit is collected, with file and line.

Everything that is wrong in a file is reported together. Nothing is guessed, repaired or left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tactful.corpora.files.problems import show
from tactful.errors import BadRowsError, Problem
from tactful.tables import as_ids, lines_of, read_table, require_columns

ACTION = "nothing was scored"
_KEPT = 10


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
        return lines_of(self.path)


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


def show_cell(cell: Any) -> str:
    """Show a found cell without showing a long text."""
    return show(None if cell is None else str(cell))
