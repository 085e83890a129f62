"""The learning curve: the cross-validated F1 of the quick model by number of labels.

The labelled items are divided into folds once. For each size, a model learns from the first labels
(in order of arrival) outside a fold, and is scored on the whole fold; so all sizes are scored on
the same items. These are not a random sample where a ranking chose them: the curve says whether
more labels help, not how good a detector will be on other texts.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tactful.annotation.learning.quick import Floats, fit_quick, is_learnable
from tactful.resampling import draw_counts, percentile_interval

FOLDS = 5
LEAST = 10
"""Texts of each kind that a target needs to be scored."""
_SIZES = 8
_SMALLEST = 20
_REPETITIONS = 200


class Point(NamedTuple):
    """One point of the curve."""

    labels: int
    """Labelled items that the models learnt from, scaled to all folds."""
    score: float
    """Mean F1 over the targets."""
    low: float
    high: float
    """A bootstrap interval of 95 % over items."""


def learning_curve(vectors: Floats, shares: Floats, *, seed: int = 0) -> list[Point]:
    """Return the curve; no points where there are too few labels.

    Parameters
    ----------
    vectors
        The labelled items, in the order in which labels arrived.
    shares
        What their judgements say about each target (``fit_quick``).
    seed
        Of the folds and the bootstrap.

    """
    scored = [at for at, column in enumerate(shares.T) if is_learnable(column, LEAST)]
    if not scored:
        return []
    shares = shares[:, scored]
    rng = np.random.default_rng(seed)
    folds = rng.permutation(len(shares)) % FOLDS
    drawn = np.concatenate(list(draw_counts(len(shares), _REPETITIONS, rng)))
    found = []
    for size in _sizes(len(shares)):
        predicted: NDArray[np.bool_] = np.zeros(shares.shape, dtype=np.bool_)
        for fold in range(FOLDS):
            learnt = np.flatnonzero(folds != fold)[: round(size * (FOLDS - 1) / FOLDS)]
            model = fit_quick(vectors[learnt], shares[learnt])
            predicted[folds == fold] = model.predict(vectors[folds == fold]) >= 0.5
        samples = _mean_f1(shares, predicted, drawn)
        interval = percentile_interval(samples, 0.95) or (0.0, 1.0)
        score = float(_mean_f1(shares, predicted, np.ones((1, len(shares))))[0])
        found.append(Point(size, score, *interval))
    return found


def _sizes(labels: int) -> list[int]:
    """Return up to eight sizes, in equal steps of the logarithm."""
    if labels <= _SMALLEST:
        return [labels]
    return sorted({round(each) for each in np.geomspace(_SMALLEST, labels, _SIZES)})


def _mean_f1(shares: Floats, predicted: NDArray[np.bool_], counts: Floats) -> Floats:
    """Return the mean F1 over the targets, for each row of ``counts`` (how often an item is)."""
    gold, known = shares >= 0.5, ~np.isnan(shares)
    hits = counts @ (gold & predicted & known)
    both = counts @ (gold & known).astype(float) + counts @ (predicted & known).astype(float)
    found: Floats = (2 * hits / np.maximum(both, 1)).mean(axis=1)
    return found
