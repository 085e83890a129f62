"""Whether probabilities mean what they say: calibration errors and the Brier score.

``gold`` is 0 or 1, ``scores`` are the probabilities of 1. Bins are closed above and open below
(Guo et al. 2017): ``width`` cuts 0 to 1 into equal pieces, ``mass`` at the quantiles of the scores,
so that equal scores never fall into different bins; empty bins do not exist.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.metrics.result import Measure, measure

Strategy = Literal["width", "mass"]

DEFAULT_BINS = 15
"""As in Guo et al. 2017."""
_NO_ITEMS = "there is no item"


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bar of a reliability diagram."""

    low: float
    high: float
    items: int
    score: float
    """The mean score of its items."""
    positive: float
    """The share of its items that are positive."""


def reliability_bins(
    gold: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    bins: int = DEFAULT_BINS,
    strategy: Strategy = "width",
) -> list[ReliabilityBin]:
    """Return the bins that have items, from the lowest scores to the highest."""
    truth, guess = checked_probabilities(gold, scores)
    edges, members = _bins(guess, bins, strategy)
    return [
        ReliabilityBin(
            float(edges[at]),
            float(edges[at + 1]),
            int(chosen.sum()),
            float(guess[chosen].mean()),
            float(truth[chosen].mean()),
        )
        for at in np.unique(members)
        if (chosen := members == at).any()
    ]


@measure("binary_probabilities", low=0, high=1, perfect=0, higher_is_better=False)
def expected_calibration_error(
    gold: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    bins: int = DEFAULT_BINS,
    strategy: Strategy = "width",
    positive_rate: float | None = None,
) -> Measure:
    """Return the mean gap between score and share of positives, weighted by the bins' items.

    Range 0 to 1, lower is better (Naeini et al. 2015). Undefined without items. ``positive_rate``
    is for samples with more or fewer positives than where the scores are used: items are weighted
    so that this share of them is positive.

    >>> print(expected_calibration_error([0, 1, 1, 1], [0.25, 0.25, 1.0, 1.0], bins=2))
    expected calibration error: 0.1250
    """
    truth, guess = checked_probabilities(gold, scores)
    _, members = _bins(guess, bins, strategy)
    weights = np.ones_like(truth) if positive_rate is None else _weights(truth, positive_rate)
    gaps = np.bincount(members, weights * (guess - truth))
    value = float(np.abs(gaps).sum() / max(weights.sum(), 1e-12))
    return _if_any("expected calibration error", truth.size, value)


def _weights(truth: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return a weight for each item, with which ``rate`` of all are positive."""
    share = truth.mean() if truth.size else 0.0
    if not 0 < rate < 1 or not 0 < share < 1:
        raise InputError(
            f"Found the rate {rate:g} and {share:.0%} positive items; expected a rate between 0 "
            "and 1, and items of both kinds."
        )
    return np.where(truth == 1, rate / share, (1 - rate) / (1 - share))


@measure("binary_probabilities", low=0, high=1, perfect=0, higher_is_better=False)
def maximum_calibration_error(
    gold: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    bins: int = DEFAULT_BINS,
    strategy: Strategy = "width",
) -> Measure:
    """Return the largest gap between score and share of positives in any bin.

    Range 0 to 1, lower is better (Naeini et al. 2015). Undefined without items. A bin of few items
    decides as much as a full one.
    """
    found = reliability_bins(gold, scores, bins=bins, strategy=strategy)
    largest = max((abs(each.score - each.positive) for each in found), default=0.0)
    return _if_any("maximum calibration error", sum(each.items for each in found), largest)


def _if_any(name: str, items: int, value: float) -> Measure:
    return Measure(name, value, items=items) if items else Measure(name, None, _NO_ITEMS, items=0)


@measure("binary_probabilities", low=0, high=1, perfect=0, higher_is_better=False)
def brier_loss(
    gold: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    bins: int = DEFAULT_BINS,
    strategy: Strategy = "width",
) -> Measure:
    """Return the mean squared difference of score and gold (Brier 1950).

    Range 0 to 1, lower is better; undefined without items. The parts are Murphy's (1973):
    ``loss = reliability - resolution + uncertainty + within bins``, exactly. The last one is what
    scores vary inside the bins (Stephenson et al. 2008), and 0 where each bin has one score.

    >>> float(brier_loss([0, 1], [0.5, 0.5]))
    0.25
    """
    truth, guess = checked_probabilities(gold, scores)
    items = len(truth)
    if not items:
        return Measure("Brier score", None, _NO_ITEMS, items=0)
    loss = float(np.mean((guess - truth) ** 2))
    base = float(truth.mean())
    found = reliability_bins(truth, guess, bins=bins, strategy=strategy)
    reliability = sum(each.items * (each.score - each.positive) ** 2 for each in found) / items
    resolution = sum(each.items * (each.positive - base) ** 2 for each in found) / items
    uncertainty = base * (1 - base)
    values = {
        "reliability": reliability,
        "resolution": resolution,
        "uncertainty": uncertainty,
        "within bins": loss - (reliability - resolution + uncertainty),
    }
    parts = {name: Measure(name, value, items=items) for name, value in values.items()}
    return Measure("Brier score", loss, None, parts, items)


def checked_probabilities(
    gold: npt.ArrayLike, scores: npt.ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both as arrays; refuse labels other than 0 and 1, and invalid probabilities."""
    try:
        truth = np.asarray(gold, dtype=np.float64)
        guess = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("Found no number; expected 0 or 1, and probabilities.") from None
    if truth.shape != guess.shape or truth.ndim != 1:
        raise InputError(
            f"Found gold of shape {truth.shape} and scores of shape {guess.shape}; "
            "expected two lists of the same length."
        )
    if not np.isin(truth, (0, 1)).all():
        at = int(np.flatnonzero(~np.isin(truth, (0, 1)))[0])
        raise InputError(f"Item {at + 1}: found the gold label {truth[at]:g}; expected 0 or 1.")
    inside = (guess >= 0) & (guess <= 1)
    if not inside.all():
        at = int(np.flatnonzero(~inside)[0])
        raise InputError(f"Item {at + 1}: found the score {guess[at]:g}; expected 0 to 1.")
    return truth, guess


def _bins(
    scores: NDArray[np.float64], bins: int, strategy: Strategy
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the edges, and the bin of each score."""
    if bins < 1:
        raise InputError(f"Found {bins} bins; expected 1 or more.")
    shares = np.linspace(0.0, 1.0, bins + 1)
    if strategy == "width":
        edges = shares
    elif strategy == "mass":
        edges = np.quantile(scores, shares) if scores.size else shares
    else:
        raise InputError(f"Found the strategy '{strategy}'; expected 'width' or 'mass'.")
    return edges, np.searchsorted(edges[1:-1], scores, side="left")
