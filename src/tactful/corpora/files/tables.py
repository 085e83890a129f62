"""How a table of a corpus looks in its authors' file: columns, types, ranges, quoting."""

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

Kind = Literal["text", "id", "integer", "number", "flag"]

DTYPES: dict[Kind, type[pl.DataType]] = {
    "text": pl.String,
    "id": pl.String,
    "integer": pl.Int64,
    "number": pl.Float64,
    "flag": pl.Int8,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in Tactful, its spellings in the releases, and what it may hold."""

    name: str
    kind: Kind = "text"
    aliases: tuple[str, ...] = ()
    required: bool = True
    """Whether the file must have the column."""
    empty: Literal["error", "null", "note"] = "error"
    """What an empty cell means: a bad row, no value, or no value and worth a note."""
    low: float | None = None
    high: float | None = None
    allowed: tuple[str, ...] = ()

    def expectation(self) -> str:
        """Say in words what a cell should hold."""
        if self.allowed:
            return "one of " + ", ".join(self.allowed)
        noun = {"integer": "a whole number", "number": "a number", "flag": "0 or 1"}.get(self.kind)
        if noun is None:
            return "some text" if self.kind == "text" else "an identifier"
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:,} to {self.high:,}"
        if self.low is not None:
            return f"{noun}, {self.low:,} or more"
        return noun if self.high is None else f"{noun}, {self.high:,} at most"


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows are written in the file."""

    delimiter: str = ","
    quoted: bool = True
    header: bool = True
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table of a corpus."""

    name: str
    columns: tuple[Column, ...]
    patterns: tuple[str, ...] = ()
    """File names (lower case, without .gz or .zip) that hold this table."""
    layout: Layout = field(default_factory=Layout)
    key: tuple[str, ...] = ()
    """Columns that together name a row: a second row with the same values is refused."""

    open: bool = False
    """Whether further columns are part of the table rather than a surprise."""

    def column(self, name: str) -> Column:
        """Return the column with this name."""
        return next(column for column in self.columns if column.name == name)

    def required(self) -> list[Column]:
        """Return the columns that a file of this table must have."""
        return [column for column in self.columns if column.required]
