"""Knowing when not to answer: risk at each coverage, and conformal sets with guaranteed coverage.

A system that abstains where it is unsure answers fewer items (its coverage) with fewer errors (its
risk). The curve of both, and the area under it, say how well its confidence separates right answers
from wrong ones (Geifman and El-Yaniv 2017). Conformal sets (Vovk et al. 2005; Angelopoulos and
Bates 2023) turn any probability into a set of answers that holds the true one with a chosen
probability, if the texts are like those of the calibration.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError, UsageError
from tactful.metrics.ranking import Curve, checked_scores
from tactful.metrics.result import Measure, measure

Numbers = NDArray[np.float64]


def risk_coverage_curve(
    gold: ArrayLike, probabilities: ArrayLike, *, threshold: float = 0.5
) -> Curve:
    """Return the share of items answered (x) and the share of errors among them (y).

    An answer is yes from ``threshold`` on; its confidence is how far the probability is from the
    threshold, as a share of how far it could be. Items of the same confidence are
    answered together.

    >>> curve = risk_coverage_curve([1, 0, 1], [0.9, 0.2, 0.4])
    >>> curve.y.round(2).tolist()
    [0.0, 0.0, 0.33]
    """
    wrong, confidence = _answered(gold, probabilities, threshold)
    levels, place = np.unique(-confidence, return_inverse=True)
    errors = np.cumsum(np.bincount(place, weights=wrong))
    items = np.cumsum(np.bincount(place))
    return Curve(items / wrong.size, errors / items, -levels, "coverage", "risk")


@measure("binary_probabilities", low=0, high=1, perfect=0, higher_is_better=False)
def aurc_loss(gold: ArrayLike, probabilities: ArrayLike, *, threshold: float = 0.5) -> Measure:
    """Return the area under the risk-coverage curve: the mean risk over all coverages.

    0 to 1, lower is better. Of items of the same confidence any may come first, so that each counts
    with their mean. ``parts["excess"]`` is what a confidence that ranks every error last would
    save. Undefined without items.

    >>> round(aurc_loss([1, 0, 1], [0.9, 0.2, 0.4]).value, 4)
    0.1111
    """
    wrong, confidence = _answered(gold, probabilities, threshold)
    size = wrong.size
    if not size:
        return Measure("AURC", None, "there are no items", items=0)
    order = np.argsort(-confidence, kind="stable")
    _, place, counts = np.unique(-confidence, return_inverse=True, return_counts=True)
    shares = np.bincount(place, weights=wrong) / counts
    value = _area(shares[place][order])
    best = _area(np.sort(wrong))
    excess = Measure("excess AURC", max(value - best, 0.0), items=size)
    return Measure("AURC", value, parts={"excess": excess}, items=size)


def _area(errors: Numbers) -> float:
    return float(np.mean(np.cumsum(errors) / np.arange(1, errors.size + 1)))


def _answered(
    gold: ArrayLike, probabilities: ArrayLike, threshold: float
) -> tuple[Numbers, Numbers]:
    truth, values = checked_scores(gold, probabilities)
    if not 0 < threshold < 1:
        raise UsageError(f"Found the threshold {threshold:g}; expected one between 0 and 1.")
    if ((values < 0) | (values > 1)).any():
        raise InputError("Found probabilities outside 0 to 1.")
    found = values >= threshold
    room = np.where(found, 1 - threshold, threshold)
    return (found != truth).astype(np.float64), np.abs(values - threshold) / room


@dataclass(frozen=True, slots=True)
class ConformalSets:
    """Which answers cannot be ruled out for a probability.

    Parameters
    ----------
    error
        The share of true answers that may be ruled out, for each answer by itself.
    no_up_to
        "No" is not ruled out for probabilities up to this.
    yes_from
        "Yes" is not ruled out for probabilities from this on.
    items
        How many items of each answer, no and yes, the calibration had.

    """

    error: float
    no_up_to: float
    yes_from: float
    items: tuple[int, int]

    def no(self, probabilities: ArrayLike) -> NDArray[np.bool_]:
        """Say where "no" is not ruled out."""
        return np.asarray(probabilities, dtype=np.float64) <= self.no_up_to

    def yes(self, probabilities: ArrayLike) -> NDArray[np.bool_]:
        """Say where "yes" is not ruled out."""
        return np.asarray(probabilities, dtype=np.float64) >= self.yes_from

    def unsure(self, probabilities: ArrayLike) -> NDArray[np.bool_]:
        """Say where neither answer is ruled out."""
        return self.no(probabilities) & self.yes(probabilities)


def fit_conformal(
    gold: ArrayLike, probabilities: ArrayLike, *, error: float = 0.1
) -> ConformalSets:
    """Find the sets that hold the true answer in all but a share of ``error``, for yes and for no.

    Split conformal prediction for each class by itself: of the next items with the answer yes (or
    no), at least ``1 - error`` have it in their set, if they come from where the calibration items
    came from. With too few items of an answer nothing can be ruled out, and the sets say so.

    >>> sets = fit_conformal([0] * 9 + [1] * 9, [0.1] * 8 + [0.6] + [0.9] * 8 + [0.3], error=0.2)
    >>> sets.unsure([0.05, 0.5, 0.95]).tolist()
    [False, False, False]
    """
    truth, values = checked_scores(gold, probabilities)
    if not 0 < error < 1:
        raise UsageError(f"Found an error of {error:g}; expected a share between 0 and 1.")
    if ((values < 0) | (values > 1)).any():
        raise InputError("Found probabilities outside 0 to 1.")
    highest = _limit(values[~truth], error)
    lowest = _limit(1 - values[truth], error)
    items = (int((~truth).sum()), int(truth.sum()))
    return ConformalSets(error, highest, 1 - lowest, items)


def _limit(strangeness: Numbers, error: float) -> float:
    """Return the value that at most a share of ``error`` of further items exceed."""
    rank = math.ceil((strangeness.size + 1) * (1 - error))
    return 1.0 if rank > strangeness.size else float(np.sort(strangeness)[rank - 1])
