"""Reading a file of texts with the scores that Perspective once gave them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tactful.errors import BadRowsError, FileFormatError, InputError, Problem, UsageError
from tactful.files import csv_rows, json_lines, open_text

TEXT_COLUMNS = ("text", "comment.text", "comment", "comment_text")
"""Where texts may be; dots lead into JSON objects."""
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LINES = (".jsonl", ".ndjson")
_SHOWN_COLUMNS = 12
_MOST_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class OldScore:
    """A text with its old score."""

    line: int
    text: str
    score: float


def read_old_scores(
    path: Path, attribute: str, text_column: str | None, score_column: str | None
) -> list[OldScore]:
    """Read texts and old scores; invalid rows are reported together, with their lines."""
    ending = next((each.lower() for each in reversed(path.suffixes) if each != ".gz"), "")
    if ending not in (*_DELIMITERS, *_LINES):
        raise UsageError(f"{path}: found the ending '{ending}'; expected .csv, .tsv or .jsonl.")
    read = json_lines(path) if ending in _LINES else _table_rows(path, _DELIMITERS[ending])
    texts = (text_column,) if text_column else TEXT_COLUMNS
    scores = (
        (score_column,)
        if score_column
        else (attribute, attribute.lower(), f"attributeScores.{attribute}.summaryScore.value")
    )
    found: list[OldScore] = []
    problems: list[Problem] = []
    for line, row in read:
        if not found and not problems:
            _require(path, line, row, texts, "--text-column")
            _require(path, line, row, scores, "--score-column")
        text, score = _first(row, texts), _number(_first(row, scores))
        if not isinstance(text, str) or not text.strip():
            problems.append(_problem(path, line, texts[0], "no text", "a text"))
        elif score is None:
            problems.append(
                _problem(path, line, scores[0], "no score between 0 and 1", "a number from 0 to 1")
            )
        else:
            found.append(OldScore(line, text, score))
        if len(problems) >= _MOST_PROBLEMS:
            break
    if problems:
        raise BadRowsError(problems, len(problems))
    if not found:
        raise FileFormatError(f"{path}: found no rows; expected texts with their old scores.")
    return found


def _table_rows(path: Path, delimiter: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with open_text(path) as handle:
        rows = csv_rows(path, handle, delimiter)
        _, names = next(rows, (1, []))
        for line, cells in rows:
            if not cells:
                continue
            if len(cells) != len(names):
                raise FileFormatError(
                    f"{path}, line {line}: found {len(cells)} cells; expected {len(names)}, as "
                    "many as there are columns; is a comma in a text not in quotes?"
                )
            yield line, dict(zip(names, cells, strict=True))


def _first(row: Mapping[str, Any], columns: Sequence[str]) -> Any:
    """Return the first of some columns that a row has; dots lead into objects."""
    for column in columns:
        if column in row:
            if not isinstance(row[column], dict):
                return row[column]
            continue
        cell: Any = row
        for part in column.split("."):
            cell = cell.get(part) if isinstance(cell, dict) else None
        if cell is not None:
            return cell
    return None


def _require(
    path: Path, line: int, row: Mapping[str, Any], columns: Sequence[str], option: str
) -> None:
    if _first(row, columns) is None and not any(column in row for column in columns):
        shown = ", ".join(list(row)[:_SHOWN_COLUMNS]) or "none"
        raise InputError(
            f"{path}, line {line}: found the columns {shown}; expected "
            f"{' or '.join(columns)}; name another with {option}."
        )


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if 0 <= found <= 1 else None


def _problem(path: Path, line: int, column: str, found: str, expected: str) -> Problem:
    return Problem(
        str(path), line, "old-score", found, expected, "correct or remove the row", column=column
    )
