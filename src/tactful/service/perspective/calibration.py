"""From thresholds on old scores to thresholds on new ones, and how far the two scores agree.

Two answers for each old threshold: the new one that flags the same share of the texts, and the one
that makes most of the same decisions (the highest Cohen's kappa, which does not reward flagging
nothing where flags are rare). Intervals are of a bootstrap over the texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError
from tactful.resampling import Numbers, draw_counts, percentile_interval

LEAST_TEXTS = 20
"""With fewer texts, intervals are not meaningful."""
_LEVEL = 0.95
_MOST_POINTS = 100
"""Of a scale."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; None with the reason where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A new threshold, and how the decisions by it compare with the old ones."""

    threshold: Estimate
    flagged: float | None = None
    """The share of texts at or above it."""
    same: float | None = None
    """The share of texts that both decide in the same way."""
    kappa: float | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """The new thresholds for one old threshold."""

    old: float
    flagged: float
    """The share of texts whose old score was at or above it."""
    same_share: Decision
    best_agreement: Decision
    unchanged: Decision
    """The old number, used on the new scores as it is."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How new scores compare with old ones."""

    texts: int
    correlation: Estimate
    """Spearman's rank correlation."""
    thresholds: tuple[Carried, ...]


def calibrate(
    old: Sequence[float] | Numbers,
    new: Sequence[float] | Numbers,
    thresholds: Sequence[float],
    *,
    repetitions: int = 1000,
    seed: int = 1,
) -> Calibration:
    """Compare two scores of the same texts and carry thresholds over from one to the other."""
    if len(old) != len(new) or len(old) < LEAST_TEXTS:
        raise UsageError(
            f"Found {len(old):,} texts with an old score that can be scored anew; expected at "
            f"least {LEAST_TEXTS}."
        )
    before, after = np.asarray(old, np.float64), np.asarray(new, np.float64)
    one = np.ones(len(before))
    blocks = draw_counts(len(before), repetitions, np.random.default_rng(seed))
    draws = [draw for block in blocks for draw in block]
    return Calibration(
        len(before),
        _estimate(
            _correlation(before, after, one),
            [_correlation(before, after, draw) for draw in draws],
            "All old scores, or all new ones, are the same.",
        ),
        tuple(_carried(before, after, threshold, draws) for threshold in thresholds),
    )


def same_shares(
    old: Sequence[float] | Numbers, new: Sequence[float] | Numbers
) -> list[tuple[float, float]]:
    """Return points of a scale on which any threshold flags the share that it flagged before.

    They are the quantiles of both scores, whichever text has them.
    """
    shares = np.linspace(0, 1, min(len(old), _MOST_POINTS))
    after, before = np.quantile(new, shares), np.quantile(old, shares)
    points = [(0.0, 0.0)]
    for probability, score in zip(after.round(8).tolist(), before.round(8).tolist(), strict=True):
        if points[-1][0] < probability < 1:
            points.append((probability, score))
    return [*points, (1.0, 1.0)]


def _carried(old: Numbers, new: Numbers, threshold: float, draws: Sequence[Numbers]) -> Carried:
    flags = (old >= threshold).astype(float)
    share = float(flags.mean())
    order = np.argsort(-new, kind="stable")
    ranked, marked = new[order], flags[order]
    one = np.ones(len(new))
    found = {}
    for name, choose in (("share", _same_share), ("kappa", _best_kappa)):
        drawn = [choose(ranked, marked, draw[order]) for draw in draws]
        why = f"{'No' if share == 0 else 'Every'} old score is at or above {threshold:g}."
        estimate = _estimate(choose(ranked, marked, one), drawn, why)
        found[name] = _decision(flags, new, estimate)
    return Carried(
        threshold,
        share,
        found["share"],
        found["kappa"],
        _decision(flags, new, Estimate(threshold)),
    )


def _decision(flags: Numbers, new: Numbers, threshold: Estimate) -> Decision:
    if threshold.value is None:
        return Decision(threshold)
    guess = (new >= threshold.value).astype(float)
    same = float((guess == flags).mean())
    chance = float(guess.mean() * flags.mean() + (1 - guess.mean()) * (1 - flags.mean()))
    kappa = None if chance == 1 else (same - chance) / (1 - chance)
    return Decision(threshold, float(guess.mean()), same, kappa)


def _cuts(ranked: Numbers) -> NDArray[np.int64]:
    """Return the places after which a threshold can be: not between equal scores."""
    return np.flatnonzero(np.append(ranked[:-1] > ranked[1:], True))


def _between(ranked: Numbers, at: int) -> float:
    """Return a threshold that flags the texts up to the place ``at``."""
    if at + 1 == len(ranked):
        return float(ranked[at])
    return float((ranked[at] + ranked[at + 1]) / 2)


def _same_share(ranked: Numbers, marked: Numbers, weights: Numbers) -> float | None:
    wanted = float((marked * weights).sum())
    if wanted in (0.0, float(weights.sum())):
        return None
    cuts = _cuts(ranked)
    off = np.abs(np.cumsum(weights)[cuts] - wanted)
    return _between(ranked, int(cuts[int(np.argmin(off))]))


def _best_kappa(ranked: Numbers, marked: Numbers, weights: Numbers) -> float | None:
    total, positive = float(weights.sum()), float((marked * weights).sum())
    if positive in (0.0, total):
        return None
    cuts = _cuts(ranked)
    flagged = np.cumsum(weights)[cuts]
    both = np.cumsum(marked * weights)[cuts]
    same = (both + (total - flagged) - (positive - both)) / total
    chance = (positive * flagged + (total - positive) * (total - flagged)) / total**2
    kappas = (same - chance) / (1 - chance)
    return _between(ranked, int(cuts[int(np.argmax(kappas))]))


def _correlation(old: Numbers, new: Numbers, weights: Numbers) -> float | None:
    first, second = _ranks(old, weights), _ranks(new, weights)
    first = first - np.average(first, weights=weights)
    second = second - np.average(second, weights=weights)
    spread = float((weights * first**2).sum() * (weights * second**2).sum())
    if spread == 0:
        return None
    return float((weights * first * second).sum() / np.sqrt(spread))


def _ranks(values: Numbers, weights: Numbers) -> Numbers:
    """Return mean ranks, where a text counts as often as its weight says."""
    _, group = np.unique(values, return_inverse=True)
    sizes = np.bincount(group, weights)
    middle = np.cumsum(sizes) - sizes / 2
    found: Numbers = middle[group]
    return found


def _estimate(value: float | None, drawn: Sequence[float | None], reason: str) -> Estimate:
    if value is None:
        return Estimate(None, reason=reason)
    found = percentile_interval([each for each in drawn if each is not None], _LEVEL)
    if found is None:
        return Estimate(value, reason="No bootstrap sample has both answers.")
    return Estimate(value, *found)
