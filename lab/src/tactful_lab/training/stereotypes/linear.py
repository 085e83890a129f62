"""Learners whose decision is a weighted sum, so that bags and ensembles of them are one sum again.

Targets may be soft (the share of annotators who say yes): a row then counts as a yes by its share
and as a no by the rest, which is the cross-entropy with the share.

A rare label is balanced with bags without most of the majority, or with the minority drawn again.
I2C, the best team of subtask 1, did this for the binary label; DETESTS 2022 (section 6) says that
nobody tried it for the categories. Here it is the same for every label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
BAGS = 7
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


def under_bags(labels: Flags, bags: int, seed: int, ratio: float = 1.0) -> list[Numbers]:
    """Return the weights of the rows in each bag: all of the rarer side, ``ratio`` times the other.

    The other side is drawn without replacement, and again when all of it was used: with enough
    bags every row is used.
    """
    if bags < 1 or ratio <= 0:
        raise UsageError(f"Found {bags} bags and the ratio {ratio:g}; expected both above 0.")
    rare, common = _sides(labels)
    wanted = min(len(common), max(1, round(ratio * len(rare))))
    rng = np.random.default_rng([seed, 11])
    pile: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    found = []
    for _ in range(bags):
        dealt, pile = pile[:wanted], pile[wanted:]
        if len(dealt) < wanted:
            fresh = rng.permutation(common)
            # Rows that the bag already has go to the end: no row is in a bag twice.
            held = np.isin(fresh, dealt)
            fresh = np.concatenate([fresh[~held], fresh[held]])
            short = wanted - len(dealt)
            dealt, pile = np.concatenate([dealt, fresh[:short]]), fresh[short:]
        weights = np.zeros(len(labels))
        weights[rare] = 1.0
        weights[dealt] = 1.0
        found.append(weights)
    return found


def over_sampled(labels: Flags, seed: int) -> Numbers:
    """Return how often each row is taken: the rarer side is drawn again until both are equal."""
    rare, common = _sides(labels)
    weights = np.ones(len(labels))
    drawn = np.random.default_rng([seed, 13]).choice(rare, len(common) - len(rare))
    np.add.at(weights, drawn, 1.0)
    return weights


def _sides(labels: Flags) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    yes, no = np.flatnonzero(labels), np.flatnonzero(~labels)
    if not len(yes) or not len(no):
        raise UsageError(
            f"Found {len(yes):,} rows with the label and {len(no):,} without; expected some of "
            "each to balance."
        )
    return (yes, no) if len(yes) <= len(no) else (no, yes)


class MetaClassifier:
    """What annotators knew and readers do not, predicted and fed in (Lak_NLP): one learner a hint.

    A hint of a training text is predicted by learners that have not seen it; a new text gets the
    prediction of one that has seen all. Otherwise the main model would trust hints far too much.
    """

    def __init__(self, c: float = 10.0, seed: int = 1):
        self.c, self.seed = c, seed

    def fit_outside(
        self, rows: "csr_array", hints: Mapping[str, Numbers], folds: NDArray[np.int64]
    ) -> Numbers:
        """Learn all hints; return the log-odds of each training row, by those that did not see it.

        A row without an answer (NaN) teaches nothing and is predicted like any other.
        """
        if not hints:
            raise UsageError(
                "Found the switch meta and no hint to predict; expected implicitness, a target or "
                "the like beside the labels; leave the switch out for this corpus."
            )
        found = np.zeros((rows.shape[0], len(hints)))
        self.sums_: dict[str, Sum] = {}
        for at, (name, answers) in enumerate(hints.items()):
            known = ~np.isnan(answers)
            if not known.any():
                raise UsageError(f"Found no answer to '{name}'; expected some; leave it out.")
            for fold in np.unique(folds):
                learnt = self._fit(rows, answers, known & (folds != fold))
                found[folds == fold, at] = learnt.decision(rows[folds == fold])
            self.sums_[name] = self._fit(rows, answers, known)
        return found

    def decisions(self, rows: "csr_array") -> Numbers:
        """Return the log-odds of each hint for new rows."""
        return np.stack([each.decision(rows) for each in self.sums_.values()], axis=1)

    def _fit(self, rows: "csr_array", answers: Numbers, chosen: Flags) -> Sum:
        if not chosen.any():
            return Sum(np.zeros(rows.shape[1]), 0.0)
        return fit_sum(rows[chosen], answers[chosen], c=self.c, seed=self.seed)
