"""CSV cells that a spreadsheet would run as formulas, and how they are made harmless.

A text that starts with ``=``, ``+``, ``-``, ``@`` (also in their wide forms, also behind spaces), a
tab or a line break gets an apostrophe in front, and so does a text that starts with an apostrophe.
That way the added apostrophes can be removed again, and no others.
"""

import csv
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.log import ABOUT
from tactful.annotation.formats.losses import Lost

MARK = "'"
NEUTRALISED = "neutralised"
"""The field of ``export.json`` that says whether its cells have added apostrophes."""
_CHANGED = ("cells changed", "an apostrophe was added, so that a spreadsheet does not run them")
_DANGEROUS = (
    "cells that a spreadsheet would run",
    "do not open the file in a spreadsheet, or export with --spreadsheet",
)
_RUN = re.compile("[\t\r\n']|[\\s\u200b\ufeff]*[=+@\uff1d\uff0b\uff0d\uff20-]")


def would_run(cell: object) -> bool:
    """Say whether a spreadsheet may run a cell as a formula; numbers are harmless."""
    return isinstance(cell, str) and _RUN.match(cell) is not None


def neutralise(cell: object) -> object:
    """Put an apostrophe before a text that a spreadsheet would run.

    >>> neutralise("=1+1"), neutralise("1+1"), neutralise(-1)
    ("'=1+1", '1+1', -1)
    """
    return f"{MARK}{cell}" if would_run(cell) else cell


def restore(cell: str) -> str:
    """Remove the apostrophe that :func:`neutralise` added, and no other.

    >>> restore("'=1+1"), restore("'Tis"), restore("''Tis")
    ('=1+1', "'Tis", "'Tis")
    """
    return cell[1:] if cell.startswith(MARK) and would_run(cell[1:]) else cell


def was_neutralised(path: Path) -> bool:
    """Say whether a table, or the tables of a folder, come from an export with apostrophes."""
    folder = path if path.is_dir() else path.parent
    # A table may be in a subfolder of the export.
    for place in (folder, *folder.parents[:2]):
        try:
            about = json.loads((place / ABOUT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return isinstance(about, dict) and about.get(NEUTRALISED) is True
    return False


def write_csv(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    safe: bool,
) -> int:
    """Write a table; return the number of cells that a spreadsheet would run.

    ``safe`` neutralises these cells. None is an empty cell.
    """
    running = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as handle:
        # With "\n" alone, Python's writer leaves a lone carriage return without quotes.
        writer = csv.writer(handle, lineterminator="\r\n")
        writer.writerow(header)
        for row in rows:
            running += sum(map(would_run, row))
            writer.writerow([neutralise(cell) for cell in row] if safe else row)
    return running


def write_table(
    source: Source, path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], lost: Lost
) -> None:
    """Write a table of another format; count the cells that a spreadsheet would run."""
    running = write_csv(path, header, rows, source.spreadsheet)
    lost[_CHANGED if source.spreadsheet else _DANGEROUS] += running
