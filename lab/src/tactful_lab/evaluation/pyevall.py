"""The JSON format of PyEvALL, for ``tactful evaluate pyevall``.

A list of objects with ``test_case``, ``id`` and ``value``: a label, a list of labels (hard), or an
object of labels and degrees from 0 to 1 (soft). Where PyEvALL has a policy of its own, it is kept:
items whose gold set is empty are left out of the hierarchical measures, and cross-entropy takes a
probability of 0 as 0.001.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tactful.cli.answers import Answers, Faults, refuse_repeated, show_cell
from tactful.errors import FileFormatError, InputError
from tactful.files import open_text
from tactful_lab.evaluation.answers import as_probability, match
from tactful_lab.evaluation.plain_tasks import read_hierarchy
from tactful_lab.evaluation.tasks import (
    EvaluationData,
    Metric,
    Options,
    category_metrics,
    distribution_metrics,
    hierarchy_metrics,
    soft_hierarchy_metrics,
)

_SMOOTHING = 0.001
_FIELDS = ("test_case", "id", "value")
_VALUE = "a label, a list of labels, or an object of labels and degrees from 0 to 1"


def pyevall(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read gold and predictions; all values must be hard, or all soft."""
    truth, *guesses = (_answers(path) for path in (gold, *systems))
    soft = isinstance(truth.values[0], dict)
    labels = sorted({label for value in truth.values for label in value})
    hierarchy = read_hierarchy(options.hierarchy)
    known = {*labels, *(hierarchy or {})}
    for guess in guesses:
        _check_labels(guess, known, soft, gold)
    answers = [match(truth, guess) for guess in guesses]
    if not soft:
        found = {
            **hierarchy_metrics(hierarchy, "drop"),
            **category_metrics(labels, options.undefined),
        }
        return EvaluationData(truth.values, answers, found)
    found = soft_hierarchy_metrics(hierarchy)
    notes = []
    if all(_is_distribution(value) for side in (truth.values, *answers) for value in side):
        order = sorted(known)
        found |= {
            name: _on_arrays(metric, order)
            for name, metric in distribution_metrics(_SMOOTHING).items()
        }
    else:
        notes.append(
            "Degrees do not sum to 1 in every item, so that measures of distributions are left out."
        )
    return EvaluationData(truth.values, answers, found, notes=notes)


def _on_arrays(metric: Metric, labels: Sequence[str]) -> Metric:
    def rows(side: Sequence[dict[str, float]]) -> Any:
        return np.array([[value.get(label, 0.0) for label in labels] for value in side])

    return Metric(lambda gold, predicted: metric.measure(rows(gold), rows(predicted)))


def _is_distribution(value: dict[str, float]) -> bool:
    return abs(sum(value.values()) - 1) < 1e-6


def _check_labels(guess: Answers, known: set[str], soft: bool, gold: Path) -> None:
    faults = Faults(guess.path)
    for at, value in enumerate(guess.values):
        if isinstance(value, dict) != soft:
            kinds = ("degrees", "labels") if isinstance(value, dict) else ("labels", "degrees")
            faults.add(guess.lines(at), kinds[0], f"{kinds[1]}, as in {gold.name}", "value")
            continue
        for label in sorted(set(value) - known):
            expected = f"a label of {gold.name}: {', '.join(sorted(known))}"
            faults.add(guess.lines(at), f"the label {show_cell(label)}", expected, "value")
    faults.raise_any()


def _answers(path: Path) -> Answers:
    with open_text(path) as handle:
        text = handle.read()
    faults = Faults(path)
    ids, values, lines, cases = [], [], [], []
    for line, entry in _entries(path, text):
        if not isinstance(entry, dict) or any(name not in entry for name in _FIELDS):
            faults.add(line, "an entry that lacks one of them", "test_case, id and value")
            continue
        value = _value(entry["value"])
        if value is None:
            faults.add(line, "another value", _VALUE, "value")
        ids.append(str(entry["id"]))
        cases.append(str(entry["test_case"]))
        values.append(value)
        lines.append(line)
    faults.raise_any()
    answers = Answers(path, ids, values, lambda at: lines[at])
    if not values:
        raise FileFormatError(f"{path}: found no entry; expected a list of objects.")
    if len(set(cases)) > 1:
        shown = ", ".join(sorted(set(cases))[:5])
        raise InputError(
            f"{path}: found several test cases ({shown}); expected one; evaluate each by itself."
        )
    if len({isinstance(value, dict) for value in values}) > 1:
        raise InputError(f"{path}: found labels and degrees; expected all hard or all soft values.")
    refuse_repeated(answers, "id")
    return answers


def _value(value: Any) -> frozenset[str] | dict[str, float] | None:
    if isinstance(value, str):
        return frozenset([value])
    if isinstance(value, list) and all(isinstance(label, str) for label in value):
        return frozenset(value)
    if isinstance(value, dict):
        degrees = {label: as_probability(degree) for label, degree in value.items()}
        known = {label: degree for label, degree in degrees.items() if degree is not None}
        return known if value and len(known) == len(value) else None
    return None


def _entries(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Yield the entries of a JSON list, each with the line where it starts."""
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    if text[at : at + 1] != "[":
        raise FileFormatError(f"{path}: found no JSON list; expected one of {', '.join(_FIELDS)}.")
    at, line, counted = _skip(text, at + 1), 1, 0
    first = True
    while text[at : at + 1] != "]":
        if not first:
            if text[at : at + 1] != ",":
                raise _broken(path, text, at)
            at = _skip(text, at + 1)
        line, counted = line + text.count("\n", counted, at), at
        try:
            entry, at = decoder.raw_decode(text, at)
        except ValueError:
            raise _broken(path, text, at) from None
        yield line, entry
        at, first = _skip(text, at), False


def _skip(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _broken(path: Path, text: str, at: int) -> FileFormatError:
    line = text.count("\n", 0, at) + 1
    return FileFormatError(
        f"{path}, line {line}: found broken JSON; expected a list of objects with "
        f"{', '.join(_FIELDS)}."
    )
