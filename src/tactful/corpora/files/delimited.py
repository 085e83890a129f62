"""Reading comma- and tab-separated files in batches of text columns, with line numbers.

Nothing is guessed: a row with the wrong number of fields, bytes that are not text, a quote that
never closes or a file that is cut off is reported with its line, and reading continues.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tactful.corpora.files.problems import ProblemLog, show
from tactful.corpora.files.tables import TableSpec
from tactful.errors import FileFormatError, Severity
from tactful.files import BROKEN_ARCHIVE, has_bad_bytes, open_text
from tactful.registry import unknown_name

LINE = "line"
"""The column with the line on which a row starts."""
_RESERVED = {LINE: "line_", "split": "split_"}
"""Columns that Tactful adds, and what a file's own column of that name is renamed to."""


@dataclass
class Lines:
    """The lines of a file, watched: which hold bad bytes, and whether the last one has an end.

    ``bad`` holds the lines of the row being read; the collector empties it after each row.
    """

    handle: Iterable[str]
    count: int = 0
    bad: set[int] = field(default_factory=set)
    ended: bool = True

    def __iter__(self) -> Iterator[str]:
        for line in self.handle:
            self.count += 1
            self.ended = line.endswith(("\n", "\r"))
            if has_bad_bytes(line):
                self.bad.add(self.count)
            yield line


def read_rows(lines: Lines, spec: TableSpec) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Yield the line on which each row starts, and its fields or why it cannot be read."""
    layout = spec.layout
    if not layout.quoted:
        for line in lines:
            text = line.rstrip("\n").removesuffix("\r")
            yield lines.count, text.split(layout.delimiter)
        return
    reader = csv.reader(lines, delimiter=layout.delimiter, strict=True)
    while True:
        start = lines.count + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield start, error
        else:
            yield start, row


def match_header(path: Path, header: list[str], spec: TableSpec) -> list[str]:
    """Return Tactful's name for each column of a header; unknown columns keep their own."""
    names = {name: c.name for c in spec.columns for name in (c.name, *c.aliases)}
    folded = {name.casefold(): target for name, target in names.items()}
    found = [name.strip() for name in header]
    matched = [
        names.get(name) or folded.get(name.casefold()) or _RESERVED.get(name, name)
        for name in found
    ]
    missing = [c for c in spec.required() if c.name not in matched]
    if missing:
        nearest = unknown_name("column", missing[0].name, found).nearest
        guess = f" (is it '{nearest}'?)" if nearest and nearest not in names else ""
        wanted = ", ".join(
            f"'{column.aliases[0] if column.aliases else column.name}'" for column in missing
        )
        raise FileFormatError(
            f"{path}, line 1: found the columns {', '.join(found)[:300]}; expected also {wanted}"
            f"{guess}; check that this is the authors' file and that its first line is complete."
        )
    # Columns without a name are empty ones beside a table or row numbers: nothing is kept of them.
    twice = next((name for name in matched if name and matched.count(name) > 1), None)
    if twice is not None:
        raise FileFormatError(
            f"{path}, line 1: found the column '{twice}' twice; expected it once; remove one."
        )
    return matched


def read_batches(
    path: Path, spec: TableSpec, log: ProblemLog, batch_rows: int, encoding: str | None = None
) -> Iterator[pl.DataFrame]:
    """Yield batches of text columns plus ``line``; rows that cannot be read go to the log."""
    # A lone carriage return ends a line only where quotes can hold one.
    newline = "" if spec.layout.quoted else "\n"
    with open_text(path, encoding or spec.layout.encoding, newline) as handle:
        lines = Lines(handle)
        rows = read_rows(lines, spec)
        collector = _Collector(path, lines, log)
        try:
            if spec.layout.header:
                first = next(rows, None)
                if first is None or isinstance(first[1], csv.Error) or lines.bad:
                    raise FileFormatError(
                        f"{path}, line 1: found {'no' if first is None else 'an unreadable'} "
                        "header; expected the names of the columns; check the file."
                    )
                names = match_header(path, first[1], spec)
                _note_extra_columns(path, names, spec, log)
            else:
                names = [column.name for column in spec.columns]
                collector.in_preamble = True
            for start, row in rows:
                collector.add(start, row, len(names))
                if len(collector.rows) >= batch_rows:
                    yield collector.batch(names)
        except BROKEN_ARCHIVE:
            if lines.count == 0:
                raise
            collector.cut_off()
        if lines.count == 0:
            raise FileFormatError(f"{path}: found an empty file; expected rows; fetch it again.")
        if collector.in_preamble and not collector.refused:
            raise FileFormatError(
                f"{path}: found no line with {len(names)} fields; expected them separated by "
                f"{spec.layout.delimiter!r}; check that this is the authors' file."
            )
        if collector.rows:
            yield collector.batch(names)


class _Collector:
    """Gathers readable rows until a batch is full; logs the others."""

    def __init__(self, path: Path, lines: Lines, log: ProblemLog):
        self.path, self.lines, self.log = path, lines, log
        self.rows: list[list[str]] = []
        self.starts: list[int] = []
        self.refused = 0
        self.in_preamble = False
        """Whether lines without a delimiter are still the authors' disclaimer before the rows."""

    def add(self, start: int, row: list[str] | csv.Error, width: int) -> None:
        """Keep a row, or log why not."""
        if isinstance(row, csv.Error):
            found, expected, advice = _explain(row)
            self._refuse(start, "unreadable row", found, expected, self._left_out(start, advice))
        elif len(row) == width:
            self.in_preamble = False
            if self.lines.bad:
                self._refuse(
                    min(self.lines.bad),
                    "encoding",
                    "bytes that are not UTF-8 text",
                    "UTF-8",
                    "the row was left out; if the file is in another encoding, pass --encoding",
                )
            else:
                self.rows.append(row)
                self.starts.append(start)
        elif row and row != [""] and not (self.in_preamble and len(row) == 1):
            advice = "" if self.lines.ended else "; the file may be cut off"
            found = "1 field" if len(row) == 1 else f"{len(row)} fields"
            self._refuse(
                start, "field count", found, f"{width} fields", self._left_out(start, advice)
            )
        self.lines.bad.clear()

    def cut_off(self) -> None:
        """Log that the archive breaks off: how many rows are missing nobody can say."""
        self._refuse(
            self.lines.count + 1,
            "cut-off archive",
            "the end of the file",
            "more packed data",
            "this row and those after it are missing; fetch it again",
        )

    def _left_out(self, start: int, advice: str) -> str:
        """Say how far a row reaches: a stray quote can take many good rows with it."""
        end = self.lines.count
        what = "the row was" if end == start else f"lines {start:,} to {end:,} were"
        return f"{what} left out{advice}"

    def _refuse(self, line: int, code: str, found: str, expected: str, action: str) -> None:
        self.log.report(self.path, line, code, found, expected, action)
        self.log.rows_left_out += 1
        self.refused += 1

    def batch(self, names: list[str]) -> pl.DataFrame:
        """Return the collected rows as text columns, and start a new batch."""
        columns = list(zip(*self.rows, strict=True))
        frame = pl.DataFrame(
            [
                pl.Series(name, values, pl.String)
                for name, values in zip(names, columns, strict=True)
                if name
            ]
            + [pl.Series(LINE, self.starts, pl.Int64)]
        )
        self.rows, self.starts = [], []
        return frame


def _explain(error: csv.Error) -> tuple[str, str, str]:
    reason = str(error)
    if "unexpected end of data" in reason:
        return (
            "a quote that never closes",
            "a closing quote before the end of the file",
            "; the file may be cut off",
        )
    if "field larger" in reason:
        return (
            "a field of more than 131,072 characters",
            "a closing quote",
            "; look for a quote that is never closed",
        )
    return f"a quoting mistake ({reason})", "doubled quotes in a quoted field", ""


def _note_extra_columns(path: Path, names: list[str], spec: TableSpec, log: ProblemLog) -> None:
    known = {column.name for column in spec.columns}
    for name in names:
        if name and name not in known and not spec.open:
            expected = f"only the columns of the {spec.name} table"
            found, action = f"the column {show(name)}", "it is kept as it is, under 'meta'"
            log.report(path, 1, "extra column", found, expected, action, Severity.NOTE)
