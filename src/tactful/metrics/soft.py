"""How far a predicted distribution over labels is from that of the annotators.

For learning with disagreement, where the gold answer of an item is a distribution: one row an
item, one column a label, each row summing to 1. All measures are means over the items.
"""

from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError, UsageError
from tactful.metrics.result import Measure, measure

Numbers = NDArray[np.float64]

_TOLERANCE = 1e-6
"""How far a row's sum may be from 1: single-precision softmax is about 1e-7 off."""


@measure("distributions", low=0, high=inf, perfect=None, higher_is_better=False)
def cross_entropy_loss(
    gold: ArrayLike, predicted: ArrayLike, *, base: float = 2.0, smoothing: float = 0.0
) -> Measure:
    """Return the mean of - sum gold log(predicted), in units of ``base`` (bits by default).

    0 to infinity, lower is better; the best is the entropy of gold itself, which is in
    ``parts["entropy"]``. Undefined where a prediction is exactly 0 for a label that gold has:
    the loss is infinite. ``smoothing`` replaces zeros on both sides and normalises again, as
    PyEvALL does with 0.001.

    >>> cross_entropy_loss([[0.5, 0.5]], [[0.25, 0.75]]).value
    1.207518749639422
    """
    truth, guess = _checked(gold, predicted)
    if not base > 1:
        raise UsageError(f"Found base={base}; expected a number above 1.")
    if not 0 <= smoothing < 1:
        raise UsageError(f"Found smoothing={smoothing}; expected 0 to below 1.")
    if smoothing:
        truth, guess = _smoothed(truth, smoothing), _smoothed(guess, smoothing)
    items = len(truth)
    if not items:
        return _nothing("cross-entropy")
    impossible = ((truth > 0) & (guess == 0)).any(axis=1)
    entropy = Measure("entropy", float(_information(truth, truth, base).mean()), items=items)
    if impossible.any():
        reason = (
            f"{int(impossible.sum()):,} of {items:,} predictions are exactly 0 for a label that "
            "gold has, which is an infinite loss; smoothing= replaces zeros"
        )
        return Measure("cross-entropy", None, reason, {"entropy": entropy}, items)
    value = float(_information(truth, guess, base).mean())
    return Measure("cross-entropy", value, parts={"entropy": entropy}, items=items)


@measure("distributions", low=0, high=1, perfect=0, higher_is_better=False)
def jensen_shannon_divergence(gold: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the mean Jensen-Shannon divergence in bits: 0 (equal) to 1 (nothing in common).

    >>> jensen_shannon_divergence([[1, 0]], [[0, 1]]).value
    1.0
    """
    truth, guess = _checked(gold, predicted)
    if not len(truth):
        return _nothing("Jensen-Shannon divergence")
    value = float(_divergence(truth, guess).mean())
    return Measure("Jensen-Shannon divergence", value, items=len(truth))


@measure("distributions", low=0, high=1, perfect=0, higher_is_better=False)
def jensen_shannon_distance(gold: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the mean of the square roots of the divergences (base 2), a metric: 0 to 1.

    It is the mean of scipy's ``jensenshannon(p, q, base=2)`` over the items.

    >>> jensen_shannon_distance([[1, 0]], [[0, 1]]).value
    1.0
    """
    truth, guess = _checked(gold, predicted)
    if not len(truth):
        return _nothing("Jensen-Shannon distance")
    value = float(np.sqrt(_divergence(truth, guess)).mean())
    return Measure("Jensen-Shannon distance", value, items=len(truth))


@measure("distributions", low=0, high=2, perfect=0, higher_is_better=False)
def manhattan_distance(gold: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the mean of sum |gold - predicted|: 0 (equal) to 2 (nothing in common).

    >>> manhattan_distance([[1, 0]], [[0.75, 0.25]]).value
    0.5
    """
    truth, guess = _checked(gold, predicted)
    if not len(truth):
        return _nothing("Manhattan distance")
    value = float(np.abs(truth - guess).sum(axis=1).mean())
    return Measure("Manhattan distance", value, items=len(truth))


def _information(weights: Numbers, chances: Numbers, base: float) -> Numbers:
    safe = np.where(weights > 0, chances, 1.0)
    # Adding 0 turns -0.0, which a reader would wonder about, into 0.0.
    return np.asarray(-(weights * np.log(safe)).sum(axis=1) / np.log(base) + 0.0)


def _divergence(truth: Numbers, guess: Numbers) -> Numbers:
    middle = (truth + guess) / 2
    both = sum(
        _information(side, middle, 2.0) - _information(side, side, 2.0) for side in (truth, guess)
    )
    # Rounding may leave the last bit outside.
    return np.clip(np.asarray(both) / 2, 0.0, 1.0)


def _smoothed(rows: Numbers, smoothing: float) -> Numbers:
    filled = np.where(rows <= 0, smoothing, rows)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True))


def _nothing(name: str) -> Measure:
    return Measure(name, None, "there are no items", items=0)


def _checked(gold: ArrayLike, predicted: ArrayLike) -> tuple[Numbers, Numbers]:
    truth, guess = _distributions(gold, "gold"), _distributions(predicted, "predicted")
    if truth.shape != guess.shape:
        raise InputError(
            f"Found gold of shape {truth.shape} and predictions of shape {guess.shape}; "
            "expected the same items and labels on both sides."
        )
    return truth, guess


def _distributions(rows: ArrayLike, side: str) -> Numbers:
    array = np.asarray(rows, dtype=np.float64)
    if array.size == 0:
        return np.zeros((0, 0))
    if array.ndim != 2:
        raise InputError(
            f"Found {side} of shape {array.shape}; expected one row an item, one column a label."
        )
    wrong = ~np.isfinite(array).all(axis=1) | (array < 0).any(axis=1)
    wrong |= ~(np.abs(array.sum(axis=1) - 1) <= _TOLERANCE)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError(
            f"Found {int(wrong.sum()):,} {side} rows that are not distributions, the first of them "
            f"row {first} with the sum {array[first].sum():g}; expected numbers from 0 that sum to "
            "1 in each row."
        )
    return array
