"""Learners whose decision is a weighted sum, so that bags and ensembles of them are one sum again.

Targets may be soft (the share of annotators who say yes): a row then counts as a yes by its share
and as a no by the rest, which is the cross-entropy with the share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError
from tactful.training.stereotypes.balance import BAGS, over_sampled, under_bags

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
METHODS = ("logistic", "svc", "bayes-logistic")
_MOST_ROUNDS = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """A decision: rows @ weights + intercept."""

    weights: Numbers
    intercept: float

    def decision(self, rows: "csr_array") -> Numbers:
        """Return the decision about each row."""
        return np.asarray(rows @ self.weights, dtype=np.float64) + self.intercept

    def scaled(self, slope: float, offset: float = 0.0) -> "Sum":
        """Return slope * decision + offset as a sum of its own."""
        return Sum(slope * self.weights, slope * self.intercept + offset)


def mean_sum(sums: Sequence[Sum]) -> Sum:
    """Return the mean of decisions, which is a decision of the same form."""
    weights: Numbers = np.mean([each.weights for each in sums], axis=0)
    return Sum(weights, float(np.mean([each.intercept for each in sums])))


def fit_sum(
    rows: "csr_array",
    targets: Numbers,
    *,
    method: str = "logistic",
    balance: str | None = None,
    c: float = 10.0,
    bags: int = BAGS,
    seed: int = 1,
) -> Sum:
    """Learn one label; ``balance`` is None, 'under-bagging' or 'over-sampling'."""
    if method not in METHODS:
        raise UsageError(f"Found the learner {method!r}; expected {', '.join(METHODS)}.")
    hard = targets >= 0.5
    if hard.all() or not hard.any():
        # One side only: nothing to learn but how sure that is.
        yes = float(targets.sum())
        odds = np.log((yes + 0.5) / (len(targets) - yes + 0.5))
        return Sum(np.zeros(rows.shape[1]), float(odds))
    if balance == "under-bagging":
        taken = under_bags(hard, bags, seed)
    elif balance == "over-sampling":
        taken = [over_sampled(hard, seed)]
    elif balance is None:
        taken = [np.ones(len(targets))]
    else:
        raise UsageError(
            f"Found the balancing {balance!r}; expected under-bagging, over-sampling or none."
        )
    return mean_sum([_fit(rows, targets, weights, method, c, seed) for weights in taken])


def _fit(
    rows: "csr_array", targets: Numbers, weights: Numbers, method: str, c: float, seed: int
) -> Sum:
    from scipy.sparse import vstack

    yes, no = weights * targets, weights * (1 - targets)
    table = vstack([rows[yes > 0], rows[no > 0]], format="csr")
    sides = np.repeat([1, 0], [int((yes > 0).sum()), int((no > 0).sum())])
    counts = np.concatenate([yes[yes > 0], no[no > 0]])
    if method == "bayes-logistic":
        ratios = _count_ratios(table, sides, counts)
        learnt = _solved(
            table.multiply(ratios[None, :]).tocsr(), sides, counts, "logistic", c, seed
        )
        return Sum(learnt.weights * ratios, learnt.intercept)
    return _solved(table, sides, counts, method, c, seed)


def _solved(
    table: "csr_array", sides: NDArray[np.int64], counts: Numbers, method: str, c: float, seed: int
) -> Sum:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    learner: Any
    if method == "logistic":
        learner = LogisticRegression(
            solver="liblinear", C=c, max_iter=_MOST_ROUNDS, random_state=seed
        )
    else:
        learner = LinearSVC(C=c / 10, max_iter=_MOST_ROUNDS, random_state=seed)
    learner.fit(table, sides, sample_weight=counts)
    return Sum(np.asarray(learner.coef_[0], dtype=np.float64), float(learner.intercept_[0]))


def _count_ratios(table: "csr_array", sides: NDArray[np.int64], counts: Numbers) -> Numbers:
    """Return |log-count ratio| of each feature, as NBSVM scales it (Wang and Manning 2012).

    The sign is left to the learner, and what can be negative (a sentence vector) stays as it is.
    """
    present = np.asarray(table.minimum(0).sum(axis=0)).ravel() >= 0
    shares = []
    for side in (1, 0):
        chosen = sides == side
        total = np.asarray(table[chosen].T @ counts[chosen]).ravel() + 1.0
        shares.append(total / total[present].sum())
    ratios = np.abs(np.log(np.where(present, shares[0] / shares[1], np.e)))
    return np.asarray(np.where(present, ratios, 1.0))
