"""Ground truth from a file: the right answers of items, or the rates of answers.

A table (``.csv`` or ``.jsonl``) has a row for each item and a column for each question, and
optionally ``id``, ``text`` and ``difficulty``. A ``.yaml`` file has rates: question, option, share.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tactful.annotation.answers.answers import check_answers
from tactful.annotation.formats.log import json_lines
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.simulation.cases import TEXT, Case, Rates
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import csv_rows, open_text

_OWN = ("id", "text", "difficulty")


def read_rates(path: Path) -> Rates:
    """Read the rates of answers from a YAML file."""
    try:
        with open_text(path) as handle:
            data = yaml.safe_load(handle)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        problem = getattr(error, "problem", None) or "not readable"
        raise FileFormatError(
            f"{path}{line}: found a mistake ({problem}); expected YAML; correct it."
        ) from None
    if not isinstance(data, dict) or not all(isinstance(each, dict) for each in data.values()):
        raise FileFormatError(
            f"{path}: found no questions with options; expected "
            "'question: {option: share}' for each question."
        )
    rates: dict[str, dict[str, float]] = {}
    for question, shares in data.items():
        for option, share in shares.items():
            if isinstance(share, bool) or not isinstance(share, int | float):
                raise FileFormatError(
                    f"{path}: question '{question}': found {share!r} for '{option}'; expected a "
                    "number between 0 and 1."
                )
            rates.setdefault(str(question), {})[str(option)] = float(share)
    return rates


def read_cases(path: Path, protocol: Protocol) -> list[Case]:
    """Read items with their right answers from a CSV or JSONL file."""
    cases: dict[str, Case] = {}
    for line, row in _rows(path):
        case = _case(path, line, row, protocol, f"item-{len(cases) + 1:06d}")
        if case.id in cases:
            raise InputError(
                f"{path}, line {line}: found the id '{case.id}' again; expected each once."
            )
        cases[case.id] = case
    if not cases:
        raise FileFormatError(f"{path}: found no item; expected one row for each.")
    return list(cases.values())


def _case(path: Path, line: int, row: Mapping[str, Any], protocol: Protocol, name: str) -> Case:
    text = str(row.get("text") or TEXT)
    given = {
        key: value for key, value in row.items() if key not in _OWN and value not in (None, "")
    }
    truth: dict[str, Any] = {}
    known: set[str] = set()
    for step in protocol.steps:
        names = {question.id for question in step.questions}
        known |= names
        mine = {key: value for key, value in given.items() if key in names}
        if not mine:
            continue
        try:
            truth |= check_answers(step, mine, text)
        except InputError as error:
            raise InputError(f"{path}, line {line}: {error}") from None
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(
            f"{path}, line {line}: found the column '{unknown[0]}'; expected "
            f"{', '.join(_OWN)} or a question of '{protocol.id}': {', '.join(sorted(known))}."
        )
    return Case(str(row.get("id") or name), text, truth, _difficulty(path, line, row))


def _difficulty(path: Path, line: int, row: Mapping[str, Any]) -> float:
    found = row.get("difficulty")
    if found in (None, ""):
        return 1.0
    try:
        value = float(str(found))
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise InputError(
            f"{path}, line {line}: found the difficulty {found!r}; expected a number, 0 or more."
        )
    return value


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix.lower() != ".csv":
        yield from json_lines(path)
        return
    with open_text(path) as handle:
        rows = csv_rows(path, handle)
        _, header = next(rows, (1, []))
        for line, cells in rows:
            if len(cells) != len(header):
                raise FileFormatError(
                    f"{path}, line {line}: found {len(cells)} fields; expected {len(header)}, as "
                    "in the first line."
                )
            yield line, {name: _cell(value) for name, value in zip(header, cells, strict=True)}


def _cell(value: str) -> Any:
    """Parse a cell that holds a JSON list or mapping; anything else is text."""
    if value.startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def check_ground(path: Path) -> str:
    """Return ``rates`` or ``cases``, by the ending of the file."""
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml"):
        return "rates"
    if ending in (".csv", ".jsonl"):
        return "cases"
    raise UsageError(
        f"{path}: found the ending '{path.suffix}'; expected .csv or .jsonl with the right answers "
        "of items, or .yaml with rates."
    )
