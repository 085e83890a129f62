"""How well scores rank: area under the ROC curve, average precision, and the two curves.

Equal scores are handled exactly: in the ROC they count half (Mann and Whitney 1947), in precision
and recall they enter together, so that the order of the items never matters.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError
from tactful.metrics.result import Measure, measure
from tactful.words import counted

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One point for each distinct score, from the highest threshold to the lowest."""

    x: Numbers
    y: Numbers
    thresholds: Numbers
    """A point holds for all items whose score is at least this."""
    x_name: str
    y_name: str


@measure("binary_scores", low=0, high=1, perfect=1)
def roc_auc_score(gold: ArrayLike, scores: ArrayLike) -> Measure:
    """Return the probability that a positive item scores above a negative one, ties half.

    gold: 0 or 1; scores: any numbers, higher for positive. 0 to 1, higher is better, 0.5 is chance.
    Undefined where gold has only one class: there is no pair to compare.

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]).value
    0.875
    """
    truth, values = checked_scores(gold, scores)
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return Measure("ROC AUC", None, _one_class(positives, truth.size), items=truth.size)
    hits, counts = _by_score(truth, values)
    misses = counts - hits
    below = np.cumsum(misses) - misses
    # Twice the number of won pairs is whole, so that the only rounding is the last division.
    doubled = int(np.sum(hits * (2 * below + misses)))
    return Measure("ROC AUC", doubled / (2 * positives * negatives), items=truth.size)


@measure("binary_scores", low=0, high=1, perfect=1)
def average_precision_score(gold: ArrayLike, scores: ArrayLike) -> Measure:
    """Return the mean precision at each threshold, weighted by the recall that it adds.

    It does not interpolate (as scikit-learn's ``average_precision_score``). Above 0 to 1, higher
    is better; chance is the share of positives. Undefined where gold has no positive.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value, 4)
    0.8333
    """
    truth, values = checked_scores(gold, scores)
    positives = int(truth.sum())
    if not positives:
        reason = _one_class(positives, truth.size)
        return Measure("average precision", None, reason, items=truth.size)
    hits, counts = (part[::-1] for part in _by_score(truth, values))
    precision = np.cumsum(hits) / np.cumsum(counts)
    return Measure("average precision", float(hits @ precision) / positives, items=truth.size)


def roc_curve(gold: ArrayLike, scores: ArrayLike) -> Curve:
    """Return false-positive rate (x) and true-positive rate (y), from (0, 0) to (1, 1).

    Gold of one class is an :class:`~tactful.errors.InputError`: one of the rates has no items.
    """
    truth, values = checked_scores(gold, scores)
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        raise InputError(f"The ROC curve is undefined: {_one_class(positives, truth.size)}")
    hits, counts = (part[::-1] for part in _by_score(truth, values))
    found = np.concatenate([[0], np.cumsum(hits)]) / positives
    alarms = np.concatenate([[0], np.cumsum(counts - hits)]) / negatives
    return Curve(alarms, found, np.concatenate([[np.inf], np.unique(values)[::-1]]),
                 "false-positive rate", "true-positive rate")  # fmt: skip


def precision_recall_curve(gold: ArrayLike, scores: ArrayLike) -> Curve:
    """Return recall (x) and precision (y) at each distinct score, from the highest down.

    Gold without a positive is an :class:`~tactful.errors.InputError`: recall has no items.
    """
    truth, values = checked_scores(gold, scores)
    positives = int(truth.sum())
    if not positives:
        raise InputError(
            f"The precision-recall curve is undefined: {_one_class(positives, truth.size)}"
        )
    hits, counts = (part[::-1] for part in _by_score(truth, values))
    found = np.cumsum(hits)
    return Curve(found / positives, found / np.cumsum(counts), np.unique(values)[::-1],
                 "recall", "precision")  # fmt: skip


def _by_score(truth: NDArray[np.bool_], values: Numbers) -> tuple[Counts, Counts]:
    """Return positives and items of each distinct score, from the lowest up."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    hits = np.bincount(place, weights=truth, minlength=counts.size)
    return hits.astype(np.int64), counts.astype(np.int64)


def _one_class(positives: int, items: int) -> str:
    if not items:
        return "there are no items"
    which = "positive" if positives else "negative"
    return f"all {items:,} gold answers are {which}; both classes are needed"


def checked_scores(gold: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Numbers]:
    """Return gold as yes or no and scores as numbers; refuse what is neither."""
    truth, values = np.asarray(gold), np.asarray(scores, dtype=np.float64)
    if truth.ndim != 1 or truth.shape != values.shape:
        raise InputError(
            f"Found gold of shape {truth.shape} and scores of shape {values.shape}; "
            "expected two lists of the same length."
        )
    if truth.size and not np.isin(truth, (0, 1)).all():
        raise InputError("Found gold answers other than 0 and 1; expected 0 or 1 for each item.")
    if np.isnan(values).any():
        raise InputError(
            f"Found NaN in place of {counted(int(np.isnan(values).sum()), 'score')}; "
            "a failed score is missing: leave its item out, and say so."
        )
    return truth.astype(np.bool_), values
