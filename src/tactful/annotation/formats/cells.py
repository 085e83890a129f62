"""CSV cells that a spreadsheet would run as a formula, and how they are made harmless.

A text that starts with ``=``, ``+``, ``-``, ``@`` (also in their wide forms), a tab or a line break
gets an apostrophe in front, and so does a text that starts with an apostrophe: taking one leading
apostrophe away gives every text back as it was.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

MARK = "'"
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", MARK)  # noqa: RUF001


def would_run(cell: object) -> bool:
    """Say whether a spreadsheet may run a cell, or hide its mark; numbers are harmless."""
    return isinstance(cell, str) and cell.startswith(_RUN)


def neutralise(cell: object) -> object:
    """Put the mark before a text that a spreadsheet would run.

    >>> neutralise("=1+1"), neutralise("1+1"), neutralise(-1)
    ("'=1+1", '1+1', -1)
    """
    return f"{MARK}{cell}" if would_run(cell) else cell


def restore(cell: str) -> str:
    """Take the mark away."""
    return cell.removeprefix(MARK)


def write_csv(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    safe: bool,
) -> int:
    """Write a table; count the cells that a spreadsheet would run, neutralised if ``safe``.

    None is an empty cell.
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
