"""The plain tasks of ``tactful evaluate``: tables with an id column."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tactful import metrics
from tactful.cli.answers import Answers, Faults, Table, show_cell
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import open_text
from tactful.metrics import Measure
from tactful.tables import require_columns
from tactful.words import counted
from tactful_lab.evaluation.answers import (
    as_flag,
    as_probability,
    check_distributions,
    match,
    parse_cells,
)
from tactful_lab.evaluation.tasks import (
    EvaluationData,
    Metric,
    Options,
    binary_metrics,
    category_metrics,
    distribution_metrics,
    hierarchy_metrics,
    score_metrics,
    span_metrics,
)

_FLAG = "0 or 1"
_PROBABILITY = "a number from 0 to 1"


def binary(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read 0/1 answers: an id and a label."""
    truth, *guesses = (_flags(path, options) for path in (gold, *systems))
    answers = [np.array(match(truth, guess)) for guess in guesses]
    return EvaluationData(np.array(truth.values), answers, binary_metrics(options.undefined))


def _flags(path: Path, options: Options) -> Answers:
    table = Table(path)
    ids = table.ids(options.id_column)
    flags = parse_cells(table, [options.label_column], as_flag, _FLAG)
    return Answers(path, ids, flags[options.label_column], table.line)


def scores(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read 0/1 gold answers and probabilities, and the subgroups of the gold file."""
    truth = _flags(gold, options)
    answers = []
    for path in systems:
        table = Table(path)
        ids = table.ids(options.id_column)
        column = options.score_column
        numbers = parse_cells(table, [column], as_probability, _PROBABILITY)[column]
        answers.append(np.array(match(truth, Answers(path, ids, numbers, table.line))))
    found = score_metrics()
    labels = np.array(truth.values)
    if options.subgroups:
        # Each item carries its place, so that a bootstrap sample keeps its subgroups.
        groups = parse_cells(Table(gold), options.subgroups, as_flag, _FLAG)
        members = {name: np.array(flags) for name, flags in groups.items()}
        rows = np.stack([labels, *members.values()], axis=1)
        found = {
            **{name: _first_column(metric) for name, metric in found.items()},
            "unintended_bias": Metric(partial(_bias, names=list(members))),
        }
        return EvaluationData(rows, answers, found, curves=True)
    return EvaluationData(labels, answers, found, curves=True)


def _first_column(metric: Metric) -> Metric:
    def measure(gold: Any, predicted: Any) -> Measure:
        return metric.measure(gold[:, 0], predicted)

    decompose = metric.decompose
    if decompose is None:
        return Metric(measure)
    return Metric(measure, lambda gold, predicted: decompose(gold[:, 0], predicted))


def _bias(gold: Any, predicted: Any, names: Sequence[str]) -> Measure:
    members = {name: gold[:, at] for at, name in enumerate(names, 1)}
    return metrics.unintended_bias_score(gold[:, 0], predicted, members)


def multilabel(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read 0/1 columns, one for each label; those of the gold file are the labels."""
    table = Table(gold)
    ids = table.ids(options.id_column)
    labels = [name for name in table.frame.columns if name != options.id_column]
    if not labels:
        raise FileFormatError(f"{gold}: found only the id; expected a column for each label.")
    truth = Answers(gold, ids, _label_sets(table, labels), table.line)
    answers = []
    for path in systems:
        guess = other_columns(path, options.id_column, labels)
        sets = _label_sets(guess, labels)
        answers.append(match(truth, Answers(path, guess.ids(options.id_column), sets, guess.line)))
    hierarchy = read_hierarchy(options.hierarchy)
    found = {**category_metrics(labels, options.undefined), **hierarchy_metrics(hierarchy)}
    return EvaluationData(truth.values, answers, found)


def _label_sets(table: Table, labels: Sequence[str]) -> list[frozenset[str]]:
    cells = parse_cells(table, labels, as_flag, _FLAG)
    rows = zip(*(cells[label] for label in labels), strict=True)
    return [
        frozenset(label for label, flag in zip(labels, row, strict=True) if flag) for row in rows
    ]


def soft(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read a distribution over the labels for each item: a column for each label, sum 1."""
    table = Table(gold)
    labels = [name for name in table.frame.columns if name != options.id_column]
    truth = _distributions(table, labels, options)
    answers = []
    for path in systems:
        guess = other_columns(path, options.id_column, labels)
        answers.append(np.array(match(truth, _distributions(guess, labels, options))))
    return EvaluationData(np.array(truth.values), answers, distribution_metrics())


def _distributions(table: Table, labels: Sequence[str], options: Options) -> Answers:
    ids = table.ids(options.id_column)
    if len(labels) < 2:
        raise FileFormatError(
            f"{table.path}: found {counted(len(labels), 'column')} beside the id; expected two "
            "or more labels."
        )
    cells = parse_cells(table, labels, as_probability, _PROBABILITY)
    rows = [list(row) for row in zip(*(cells[label] for label in labels), strict=True)]
    check_distributions(table, labels, rows)
    return Answers(table.path, ids, rows, table.line)


def other_columns(path: Path, id_column: str, labels: Sequence[str]) -> Table:
    """Open a table that must have exactly the id and these columns."""
    table = Table(path)
    require_columns(table.frame, [id_column, *labels], path)
    extra = [name for name in table.frame.columns if name not in (id_column, *labels)]
    if extra:
        raise InputError(
            f"{path}, line 1: found the unknown columns {', '.join(map(repr, extra))}; expected "
            f"{id_column}, {', '.join(labels)}."
        )
    return table


def spans(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read spans: a row for each span, or (JSON Lines, Parquet) a list of spans for each id."""
    truth, *guesses = (_spans(path, options.id_column) for path in (gold, *systems))
    answers = [match(truth, guess) for guess in guesses]
    everything = [truth.values, *answers]
    names = {span[2] for side in everything for item in side for span in item} - {None}
    return EvaluationData(truth.values, answers, span_metrics(sorted(names)))


def _spans(path: Path, id_column: str) -> Answers:
    table = Table(path)
    faults = Faults(path)
    if "spans" in table.frame.columns:
        ids = table.ids(id_column)
        values = []
        for row, listed in enumerate(table.cells("spans")):
            if not isinstance(listed, list):
                table.add(faults, row, show_cell(listed), "a list of spans", "spans")
                continue
            fields = [_span(*_fields(span)) for span in listed]
            if None in fields:
                table.add(faults, row, "a span without such offsets", _SPAN, "spans")
            values.append([span for span in fields if span is not None])
        faults.raise_any()
        return Answers(path, ids, values, table.line)
    return _row_spans(table, id_column)


def _row_spans(table: Table, id_column: str) -> Answers:
    """Read one span a row; an item without spans has one row without offsets."""
    faults = Faults(table.path)
    require_columns(table.frame, [id_column, "start", "end"], table.path)
    category = table.cells("category") if "category" in table.frame.columns else None
    start, end = table.cells("start"), table.cells("end")
    rows = table.rows_by_id(id_column, faults)
    values = []
    for listed in rows.values():
        marked = [row for row in listed if start[row] is not None or end[row] is not None]
        spans = [_span(start[row], end[row], category[row] if category else None) for row in marked]
        for row, span in zip(marked, spans, strict=True):
            if span is None:
                found = f"{show_cell(start[row])} to {show_cell(end[row])}"
                table.add(faults, row, found, _SPAN)
        if marked and len(marked) < len(listed):
            row = max(set(listed) - set(marked))
            table.add(faults, row, "no offsets for an id that has spans", "one or the other")
        values.append(spans)
    faults.raise_any()
    return table.answers_of(rows, values)


_SPAN = "a start of 0 or more and an end behind it, both empty for an item without spans"


def _fields(span: Any) -> tuple[Any, Any, Any]:
    if isinstance(span, Mapping):
        return span.get("start"), span.get("end"), span.get("category", span.get("id"))
    if isinstance(span, list) and len(span) in (2, 3):
        return span[0], span[1], span[2] if len(span) == 3 else None
    return None, None, None


def _span(start: Any, end: Any, category: Any) -> tuple[int, int, str | None] | None:
    texts = [str(offset).strip() for offset in (start, end)]
    if not all(text.isascii() and text.isdigit() for text in texts):
        return None
    first, last = map(int, texts)
    name = None if category is None else str(category)
    return (first, last, name) if first < last else None


def read_hierarchy(path: Path | None) -> dict[str, str | None] | None:
    """Read a hierarchy from JSON: ``{"above": ["below", ...]}``, or ``{"below": "above"}``."""
    if path is None:
        return None
    with open_text(path) as handle:
        try:
            found = json.load(handle)
        except ValueError as error:
            raise FileFormatError(f"{path}: found no readable JSON ({error}).") from None
    parents: dict[str, str | None] = {}
    if not isinstance(found, dict):
        raise FileFormatError(f"{path}: found no JSON object; expected label -> labels below it.")
    for name, value in found.items():
        below = value if isinstance(value, list) else []
        if value is None or isinstance(value, str):
            parents[name] = value
        elif not isinstance(value, list) or not all(isinstance(each, str) for each in below):
            raise FileFormatError(
                f"{path}: found {type(value).__name__} under '{name}'; expected a list of labels."
            )
        parents.setdefault(name, None)
        for each in below:
            if parents.get(each) not in (None, name):
                raise UsageError(f"{path}: found '{each}' below two labels; expected one.")
            parents[each] = name
    return parents
