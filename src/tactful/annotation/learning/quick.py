"""The quick model: a logistic regression for each target, learnt again whenever labels arrive.

Yes and no have the same weight in all, so that one half is a fair threshold also where few texts
are a yes. An item on which people disagree is both, by their shares.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
_PENALTY = 1.0
_ROUNDS = 300


@dataclass(frozen=True, slots=True, eq=False)
class QuickModel:
    """A fitted model: weights and an intercept for each target."""

    weights: Floats
    intercepts: Floats

    def predict(self, vectors: Floats) -> Floats:
        """Return the probability of each target (columns) for each text (rows)."""
        logits = vectors @ self.weights.T + self.intercepts
        found: Floats = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
        return found


def fit_quick(vectors: Floats, shares: Floats) -> QuickModel:
    """Fit the model.

    Parameters
    ----------
    vectors
        One row for each text.
    shares
        What its judgements say about each target, from 0 (no) to 1 (yes); NaN where it is unknown.

    """
    weights = np.zeros((shares.shape[1], vectors.shape[1]))
    intercepts = np.zeros(shares.shape[1])
    for at, column in enumerate(shares.T):
        known = ~np.isnan(column)
        fitted = _fit(vectors[known], column[known])
        if fitted is not None:
            weights[at], intercepts[at] = fitted
    return QuickModel(weights, intercepts)


def is_learnable(column: Floats, least: int = 1) -> bool:
    """Say whether a target has enough texts with a yes, and enough with a no."""
    known = column[~np.isnan(column)]
    return bool(min((known >= 0.5).sum(), (known < 0.5).sum()) >= least)


def _fit(vectors: Floats, shares: Floats) -> tuple[Floats, float] | None:
    from sklearn.linear_model import LogisticRegression

    yes, no = np.flatnonzero(shares > 0), np.flatnonzero(shares < 1)
    if not len(yes) or not len(no):
        return None
    rows = np.concatenate([yes, no])
    labels = np.concatenate([np.ones(len(yes)), np.zeros(len(no))])
    halves = [shares[yes], 1 - shares[no]]
    # As class_weight="balanced": both halves weigh as much as half of the texts.
    weight = np.concatenate([each / each.sum() * len(shares) / 2 for each in halves])
    model: Any = LogisticRegression(C=_PENALTY, max_iter=_ROUNDS)
    model.fit(vectors[rows], labels, sample_weight=weight)
    return model.coef_[0], float(model.intercept_[0])
