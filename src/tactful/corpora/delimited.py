"""Reading comma- and tab-separated files in batches of text columns, with line numbers.

Nothing is guessed: a row with the wrong number of fields, bytes that are not text, a quote that
never closes or a file that is cut off is reported with its line, and the reader goes on.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tactful.corpora.problems import ProblemLog, show
from tactful.corpora.tables import TableSpec
from tactful.errors import FileFormatError, Problem, Severity
from tactful.files import BROKEN_ARCHIVE, has_bad_bytes, open_text
from tactful.registry import unknown_name

LINE = "line"
"""The column with the line on which a row starts."""


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
    matched = [names.get(name) or folded.get(name.casefold()) or name for name in found]
    missing = [c for c in spec.required() if c.name not in matched]
    if missing:
        nearest = unknown_name("column", missing[0].name, found).nearest
        guess = f" (is it '{nearest}'?)" if nearest and nearest not in names else ""
        wanted = ", ".join(
            f"'{column.aliases[0] if column.aliases else column.name}'" for column in missing
        )
        raise FileFormatError(
            f"{path}, line 1: found the columns {', '.join(found)[:300]}; expected also {wanted}"
            f"{guess}; check that this is the authors' file and that its first line is whole."
        )
    if len(set(matched)) < len(matched):
        twice = next(name for name in matched if matched.count(name) > 1)
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
            for start, row in rows:
                collector.add(start, row, len(names))
                if len(collector.rows) >= batch_rows:
                    yield collector.batch(names)
        except BROKEN_ARCHIVE:
            log.add(
                Problem(
                    path.name,
                    lines.count + 1,
                    "cut-off archive",
                    "the end of the file",
                    "more packed data",
                    "the rows after this line are missing; fetch it again",
                )
            )
        if lines.count == 0:
            raise FileFormatError(f"{path}: found an empty file; expected rows; fetch it again.")
        if collector.rows:
            yield collector.batch(names)


class _Collector:
    """Gathers readable rows until a batch is full; logs the others."""

    def __init__(self, path: Path, lines: Lines, log: ProblemLog):
        self.path, self.lines, self.log = path, lines, log
        self.rows: list[list[str]] = []
        self.starts: list[int] = []
        self._preamble = True

    def add(self, start: int, row: list[str] | csv.Error, width: int) -> None:
        """Keep a row, or log why not."""
        if isinstance(row, csv.Error):
            self._refuse(start, "unreadable row", *_explain(row))
        elif len(row) == width:
            self._preamble = False
            if self.lines.bad:
                self._refuse_bytes()
            else:
                self.rows.append(row)
                self.starts.append(start)
        elif row and row != [""] and not self._is_preamble(row):
            cut = "" if self.lines.ended else "; the file may be cut off"
            self._refuse(
                start,
                "field count",
                f"{len(row)} fields",
                f"{width} fields",
                f"the row was left out{cut}",
            )
        self.lines.bad.clear()

    def _is_preamble(self, row: list[str]) -> bool:
        """Lines without a delimiter before the first row are the authors' disclaimer."""
        return self._preamble and len(row) == 1

    def _refuse_bytes(self) -> None:
        self._refuse(
            min(self.lines.bad),
            "encoding",
            "bytes that are not UTF-8 text",
            "UTF-8",
            "the row was left out; if the file is in another encoding, pass --encoding",
        )

    def _refuse(self, line: int, code: str, found: str, expected: str, action: str) -> None:
        self.log.add(Problem(self.path.name, line, code, found, expected, action))
        self.log.rows_left_out += 1

    def batch(self, names: list[str]) -> pl.DataFrame:
        """Return the gathered rows as text columns and start anew."""
        columns = list(zip(*self.rows, strict=True))
        frame = pl.DataFrame(
            [
                pl.Series(name, values, pl.String)
                for name, values in zip(names, columns, strict=True)
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
            "the row was left out; the file may be cut off",
        )
    if "field larger" in reason:
        return (
            "a field of more than 131,072 characters",
            "a closing quote",
            "the row was left out; look for a quote that is never closed",
        )
    return (
        f"a quoting mistake ({reason})",
        "doubled quotes in a quoted field",
        "the row was left out",
    )


def _note_extra_columns(path: Path, names: list[str], spec: TableSpec, log: ProblemLog) -> None:
    known = {column.name for column in spec.columns}
    for name in names:
        if name and name not in known and not spec.open:
            log.add(
                Problem(
                    path.name,
                    1,
                    "extra column",
                    f"the column {show(name)}",
                    f"only the columns of the {spec.name} table",
                    "it is kept as it is, under 'meta'",
                    Severity.NOTE,
                )
            )
