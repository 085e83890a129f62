"""What ``tactful evaluate`` measures: gold answers, the answers of systems, measures of both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tactful import metrics
from tactful.metrics import Measure
from tactful.metrics.label_sets import Empty
from tactful.metrics.significance import Decomposition
from tactful.resampling import Numbers

Hierarchy = Mapping[str, str | None]


@dataclass(frozen=True)
class Options:
    """What the command line says beside the files."""

    id_column: str = "id"
    label_column: str = "label"
    score_column: str = "score"
    ids: Path | None = None
    hierarchy: Path | None = None
    subgroups: tuple[str, ...] = ()
    vectors: Path | None = None
    undefined: float | None = None
    """What an undefined precision, recall or F counts as; None leaves it undefined."""
    strict: bool = False
    """Refuse what the paper rules out, also where the organisers' evaluation scores it."""


@dataclass(frozen=True)
class Metric:
    """One measure of gold and predicted answers, fast where it can be written as sums."""

    measure: Callable[[Any, Any], Measure]
    decompose: Callable[[Any, Any], Decomposition] | None = None


@dataclass
class EvaluationData:
    """Everything that is needed to score systems on a task."""

    gold: Any
    systems: list[Any]
    """The answers of each system, in the order of gold."""
    metrics: dict[str, Metric]
    curves: bool = False
    """Whether gold is 0/1 and the answers are probabilities, so that curves can be drawn."""
    notes: list[str] = field(default_factory=list)


def mean_metric(measure: Callable[[Any, Any], Measure]) -> Metric:
    """Decompose a mean over the items: each is compared once, not in each repetition.

    An item that the measure alone cannot measure is left out, as in the measure of all.
    """

    def decompose(gold: Any, predicted: Any) -> Decomposition:
        each = [measure([one], [other]).value for one, other in zip(gold, predicted, strict=True)]
        rows = np.array([(0.0, 0.0) if v is None else (v, 1.0) for v in each]).reshape(-1, 2)
        return Decomposition(rows, lambda sums: _share(sums, (0.0, 1.0), None))

    return Metric(measure, decompose)


def binary_metrics(undefined: float | None) -> dict[str, Metric]:
    """Measure 0/1 answers: precision, recall and F1 of the positive class."""

    def counts(gold: Any, predicted: Any) -> Numbers:
        truth, guess = np.asarray(gold, dtype=bool), np.asarray(predicted, dtype=bool)
        return np.stack([truth & guess, ~truth & guess, truth & ~guess], axis=1).astype(np.float64)

    def share(gold: Any, predicted: Any, weights: tuple[float, ...]) -> Decomposition:
        rows = counts(gold, predicted)
        return Decomposition(rows, lambda sums: _share(sums, weights, undefined))

    return {
        name: Metric(partial(function, undefined=undefined), partial(share, weights=weights))
        for name, function, weights in (
            ("precision", metrics.precision_score, (1.0, 1.0, 0.0)),
            ("recall", metrics.recall_score, (1.0, 0.0, 1.0)),
            ("f1", metrics.f1_score, (1.0, 0.5, 0.5)),
        )
    }


def _share(sums: Numbers, weights: Sequence[float], undefined: float | None) -> Numbers:
    below = sums @ np.array(weights)
    empty = np.nan if undefined is None else undefined
    shares: Numbers = np.full(len(sums), empty)
    np.divide(sums[:, 0], below, out=shares, where=below != 0)
    return shares


def category_metrics(labels: Sequence[str], undefined: float | None) -> dict[str, Metric]:
    """Measure sets of labels: macro and micro F1, and the F1 of each label."""

    def counts(gold: Any, predicted: Any, names: Sequence[str]) -> Numbers:
        truth, guess = (
            np.array([[name in row for name in names] for row in side], dtype=bool)
            for side in (gold, predicted)
        )
        return np.concatenate([truth & guess, ~truth & guess, truth & ~guess], axis=1).astype(
            np.float64
        )

    def scores(sums: Numbers, width: int, how: str) -> Numbers:
        split = sums.reshape(len(sums), 3, width)
        if how == "micro":
            return _share(split.sum(axis=2), (1.0, 0.5, 0.5), undefined)
        flat = split.transpose(0, 2, 1).reshape(-1, 3)
        each = _share(flat, (1.0, 0.5, 0.5), undefined)
        return np.asarray(each.reshape(-1, width).mean(axis=1))

    def decompose(gold: Any, predicted: Any, names: Sequence[str], how: str) -> Decomposition:
        rows = counts(gold, predicted, names)
        return Decomposition(rows, partial(scores, width=len(names), how=how))

    def macro(gold: Any, predicted: Any, names: Sequence[str]) -> Measure:
        return metrics.macro_f1_score(gold, predicted, labels=names, undefined=undefined)

    def one(gold: Any, predicted: Any, name: str) -> Measure:
        report = metrics.detection_report(gold, predicted, labels=[name], undefined=undefined)
        return report.labels[name].f

    micro = partial(metrics.micro_f1_score, labels=list(labels), undefined=undefined)
    return {
        "macro_f1": Metric(
            partial(macro, names=list(labels)), partial(decompose, names=labels, how="macro")
        ),
        "micro_f1": Metric(micro, partial(decompose, names=labels, how="micro")),
        **{
            f"f1.{name}": Metric(
                partial(one, name=name), partial(decompose, names=[name], how="micro")
            )
            for name in labels
        },
    }


def hierarchy_metrics(hierarchy: Hierarchy | None, empty: Empty = "class") -> dict[str, Metric]:
    """Measure sets of labels in a hierarchy (or, with None, without one): ICM, HF and Prop-F.

    ``empty`` says what an empty set is, as in :mod:`tactful.metrics.hierarchical`.
    """
    fixed: dict[str, Any] = {"hierarchy": hierarchy, "empty": empty}
    return {
        "icm": Metric(partial(metrics.icm_score, **fixed)),
        "icm_norm": Metric(partial(metrics.icm_norm_score, **fixed)),
        # Only this one looks at an item by itself; the others look at how frequent labels are.
        "hierarchical_f": mean_metric(partial(metrics.hierarchical_f_score, **fixed)),
        "propensity_f": Metric(partial(metrics.propensity_f_score, **fixed)),
    }


def soft_hierarchy_metrics(hierarchy: Hierarchy | None) -> dict[str, Metric]:
    """Measure degrees of labels: ICM-Soft and its normalised form."""
    return {
        "icm_soft": Metric(partial(metrics.icm_soft_score, hierarchy=hierarchy)),
        "icm_soft_norm": Metric(partial(metrics.icm_soft_norm_score, hierarchy=hierarchy)),
    }


def score_metrics() -> dict[str, Metric]:
    """Measure probabilities of 0/1 answers."""

    def brier(gold: Any, predicted: Any) -> Decomposition:
        return Decomposition.mean((np.asarray(predicted) - np.asarray(gold)) ** 2)

    return {
        "roc_auc": Metric(metrics.roc_auc_score),
        "average_precision": Metric(metrics.average_precision_score),
        "ece": Metric(metrics.expected_calibration_error),
        "ece_mass": Metric(partial(metrics.expected_calibration_error, strategy="mass")),
        "mce": Metric(metrics.maximum_calibration_error),
        "brier": Metric(metrics.brier_loss, brier),
    }


def distribution_metrics(smoothing: float = 0.0) -> dict[str, Metric]:
    """Measure distributions over labels; cross-entropy replaces 0 by ``smoothing``."""
    return {
        "cross_entropy": Metric(partial(metrics.cross_entropy_loss, smoothing=smoothing)),
        "jensen_shannon_divergence": Metric(metrics.jensen_shannon_divergence),
        "jensen_shannon_distance": Metric(metrics.jensen_shannon_distance),
        "manhattan_distance": Metric(metrics.manhattan_distance),
    }


def span_metrics(categories: Sequence[str]) -> dict[str, Metric]:
    """Measure spans; with categories also under the right category, and each of them."""
    from tactful.metrics.spans import character_counts, exact_counts, item_f1

    def only(items: Any, category: str) -> list[list[Any]]:
        return [[span for span in spans if span[2] == category] for spans in items]

    def one(gold: Any, predicted: Any, category: str) -> Measure:
        return metrics.span_f1_score(only(gold, category), only(predicted, category))

    def one_counts(gold: Any, predicted: Any, category: str) -> Decomposition:
        return Decomposition.f1(character_counts(only(gold, category), only(predicted, category)))

    def metric(function: Callable[..., Measure], count: Callable[..., Any], named: bool) -> Metric:
        def decompose(gold: Any, predicted: Any) -> Decomposition:
            counted = count(gold, predicted, by_category=named)
            if function is metrics.mean_span_f1_score:
                return Decomposition.mean(item_f1(counted))
            return Decomposition.f1(counted)

        return Metric(partial(function, by_category=named), decompose)

    found = {
        "span_f1": metric(metrics.span_f1_score, character_counts, named=False),
        "span_exact_f1": metric(metrics.span_exact_f1_score, exact_counts, named=False),
        "mean_span_f1": metric(metrics.mean_span_f1_score, character_counts, named=False),
    }
    if categories:
        found["category_span_f1"] = metric(metrics.span_f1_score, character_counts, named=True)
        found["category_exact_f1"] = metric(metrics.span_exact_f1_score, exact_counts, named=True)
    for category in categories:
        found[f"span_f1.{category}"] = Metric(
            partial(one, category=category), partial(one_counts, category=category)
        )
    return found
