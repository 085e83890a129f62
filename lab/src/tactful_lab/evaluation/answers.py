"""The answers of a file, one for each id: read, checked and matched, for ``tactful evaluate``.

Everything that does not fit is collected and reported together, with file and line. Nothing is
guessed, repaired or scored as 0.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tactful.cli.answers import Answers, Faults, Table, show_cell
from tactful.corpora.files.problems import show
from tactful.errors import FileFormatError
from tactful.files import open_text
from tactful.tables import as_number

_SUM_TOLERANCE = 1e-6


def match(gold: Answers, predictions: Answers) -> list[Any]:
    """Return the predictions in the order of gold; ids that only one side has are an error."""
    place = {value: at for at, value in enumerate(predictions.ids)}
    known = set(gold.ids)
    faults = Faults(predictions.path)
    for at, value in enumerate(predictions.ids):
        if value not in known:
            expected = f"an id of {gold.path.name}"
            faults.add(predictions.lines(at), f"the unknown id {show(value)}", expected)
    for at, value in enumerate(gold.ids):
        if value not in place:
            line = gold.lines(at)
            where = gold.path.name if line is None else f"{gold.path.name}, line {line}"
            faults.add(None, f"no answer for the id {show(value)} ({where})", "one for each id")
    faults.raise_any()
    return [predictions.values[place[value]] for value in gold.ids]


def parse_cells(
    table: Table, columns: Sequence[str], parse: Callable[[Any], Any], expected: str
) -> dict[str, list[Any]]:
    """Parse the cells of columns; a cell that ``parse`` answers with None is a fault."""
    faults = Faults(table.path)
    parsed = {}
    for column in columns:
        values = [parse(cell) for cell in table.cells(column)]
        parsed[column] = values
        for row, value in enumerate(values):
            if value is None:
                found = show_cell(table.frame[column][row])
                table.add(faults, row, found, expected, column)
    faults.raise_any()
    return parsed


def as_flag(cell: Any) -> int | None:
    """Read 0 or 1; None where it is neither."""
    if isinstance(cell, str):
        return {"0": 0, "1": 1, "0.0": 0, "1.0": 1}.get(cell.strip())
    return int(cell) if isinstance(cell, bool | int | float) and cell in (0, 1) else None


def as_probability(cell: Any) -> float | None:
    """Read a number from 0 to 1; None where it is none."""
    number = as_number(cell)
    return number if number is not None and 0 <= number <= 1 else None


def check_distributions(
    table: Table, columns: Sequence[str], rows: Sequence[Sequence[float]]
) -> None:
    """Refuse rows that do not sum to 1."""
    faults = Faults(table.path)
    for row, values in enumerate(rows):
        if abs(sum(values) - 1) > _SUM_TOLERANCE:
            found = f"probabilities that sum to {sum(values):g}"
            table.add(faults, row, found, f"a sum of 1 over {', '.join(columns)}")
    faults.raise_any()


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file, stripped; empty ones at the end do not count."""
    with open_text(path) as handle:
        lines = [line.strip() for line in handle]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise FileFormatError(f"{path}: found an empty file; expected one answer on each line.")
    return lines
