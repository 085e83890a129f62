"""The files of ``tactful agreement --spans``: who read which text, and what they marked in it.

A row is a span, or says that an annotator read a text and marked nothing in it. An annotator
without a row for a text did not read it. Rows that do not fit are reported together, with file and
line; nothing is measured then.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tactful.agreement.span_report import SpanReadings
from tactful.cli.answers import Faults, Table, show_cell
from tactful.corpora.files.problems import show
from tactful.errors import BadRowsError, InputError
from tactful.registry import unknown_name
from tactful.tables import as_ids

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0+)?")
_SCHEMA = {
    "item": pl.String, "annotator": pl.String, "start": pl.Int64, "end": pl.Int64, "id": pl.String,
}  # fmt: skip


class SpanColumns(NamedTuple):
    """Which columns of the table of spans hold what."""

    item: str
    annotator: str
    start: str
    end: str
    id: str


def read_span_files(file: Path, texts: Path, columns: SpanColumns) -> SpanReadings:
    """Read both tables, and report all bad rows together."""
    marked, written = Table(file), Table(texts)
    key = _text_key(written.frame.columns, columns.item)
    missing = [*_missing(marked, columns), *_missing(written, (key, "text"))]
    if missing:
        raise InputError("\n  ".join(missing))
    names = _names(marked, columns.item)
    file_faults, text_faults = Faults(file), Faults(texts)
    found = _read_texts(written, key, set(names), text_faults)
    rows = _read_rows(marked, columns, found, texts, file_faults)
    if problems := [
        replace(problem, action="nothing was measured")
        for problem in (*file_faults.kept, *text_faults.kept)
    ]:
        raise BadRowsError(problems, file_faults.total + text_faults.total)
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    read = {name: text for name, text in found.items() if text is not None}
    return SpanReadings(
        frame.drop_nulls("start").unique(maintain_order=True),
        frame.select("item", "annotator").unique(maintain_order=True),
        read,
        len(set(_names(written, key)) - {None} - set(names)),
    )


def _text_key(known: list[str], item: str) -> str:
    """Return the column that names the texts; where there is none, the one most likely meant."""
    for name in (item, "item", "id"):
        if name in known:
            return name
    return next((name for name in ("item", "id") if unknown_name("", name, known).nearest), "item")


def _missing(found: Table, columns: Sequence[str]) -> list[str]:
    return [
        f"{found.path}: {unknown_name('column', name, found.frame.columns)}"
        for name in columns
        if name not in found.frame.columns
    ]


def _names(found: Table, column: str) -> list[str | None]:
    cells = found.frame[column]
    if cells.dtype.is_nested():
        raise InputError(f"{found.path}: column '{column}': found lists; expected names.")
    return as_ids(cells).to_list()


def _read_texts(
    written: Table, key: str, wanted: set[str | None], faults: Faults
) -> dict[str, str | None]:
    """Return the texts of the wanted items; None where one has a row and no text."""
    found: dict[str, str | None] = {}
    first: dict[str, int] = {}
    for row, (name, text) in enumerate(
        zip(_names(written, key), written.cells("text"), strict=True)
    ):
        if name is None or name not in wanted:
            continue
        if not isinstance(text, str):
            written.add(faults, row, show_cell(text), f"the text of {show(name)}", "text")
        elif found.get(name, text) != text:
            line = written.line(first[name])
            where = f"row {first[name] + 1:,}" if line is None else f"line {line}"
            again = f"a text of {show(name)} that is not the one of {where}"
            written.add(faults, row, again, "one text for each item", "text")
        first.setdefault(name, row)
        found.setdefault(name, text if isinstance(text, str) else None)
    return found


def _read_rows(
    marked: Table,
    columns: SpanColumns,
    found: dict[str, str | None],
    texts: Path,
    faults: Faults,
) -> list[tuple[Any, ...]]:
    """Return a row per span, and one without offsets for a reading without spans."""
    rows: list[tuple[Any, ...]] = []
    empty: dict[tuple[str, str], int] = {}
    busy: set[tuple[str, str]] = set()
    unknown: set[str] = set()
    named = (_names(marked, name) for name in (columns.item, columns.annotator, columns.id))
    offsets = (marked.cells(name) for name in (columns.start, columns.end))
    for row, (item, who, label, start, end) in enumerate(zip(*named, *offsets, strict=True)):
        for name, column in ((item, columns.item), (who, columns.annotator)):
            if name is None:
                marked.add(faults, row, "nothing", "a name in each row", column)
        if item is None or who is None:
            continue
        if item not in found:
            if item not in unknown:
                marked.add(faults, row, f"the item {show(item)}", f"its text in {texts.name}")
            unknown.add(item)
            continue
        if label is None and _is_empty(start) and _is_empty(end):
            empty.setdefault((item, who), row)
            rows.append((item, who, None, None, None))
            continue
        busy.add((item, who))
        span = _span(start, end, label, columns)
        if isinstance(span, _Fault):
            marked.add(faults, row, span.found, span.expected, span.column)
            continue
        text = found[item]
        if text is not None and span[1] > len(text):
            marked.add(
                faults,
                row,
                f"a span from {span[0]} to {span[1]} in {show(item)}",
                f"an end of at most {len(text)}, the length of its text in {texts.name}",
            )
        rows.append((item, who, *span, label))
    for (item, who), row in empty.items():
        if (item, who) in busy:
            again = f"nothing marked by {show(who)} in {show(item)}, where they marked something"
            marked.add(faults, row, again, "spans, or one row without any")
    return rows


class _Fault(NamedTuple):
    found: str
    expected: str
    column: str | None = None


def _span(
    start: Any, end: Any, label: str | None, columns: SpanColumns
) -> tuple[int, int] | _Fault:
    """Return the offsets of a span, or what is wrong with it."""
    cells = {columns.start: start, columns.end: end, columns.id: label}
    absent = [name for name, value in cells.items() if _is_empty(value)]
    if absent:
        return _Fault(
            f"a row without {' and '.join(absent)}",
            f"{columns.start}, {columns.end} and {columns.id}, or none of them where nothing is "
            "marked",
        )
    first, last = _offset(start), _offset(end)
    if first is None:
        return _Fault(show_cell(start), "a whole number", columns.start)
    if last is None:
        return _Fault(show_cell(end), "a whole number", columns.end)
    if first < 0:
        return _Fault(f"{first}", "0 or more", columns.start)
    if first >= last:
        return _Fault(f"a span from {first} to {last}", "a start before the end")
    return first, last


def _is_empty(cell: Any) -> bool:
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _offset(cell: Any) -> int | None:
    """Read a whole number; tables with empty cells often write 7 as 7.0."""
    text = "" if isinstance(cell, bool) else str(cell).strip()
    return int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else None
