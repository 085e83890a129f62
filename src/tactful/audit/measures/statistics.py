"""Tests, effect sizes, corrections and bootstraps on arrays of numbers.

NaN stands for a number that is not known, and is left out. What cannot be computed is None.
Random draws have a seed, so that the same call gives the same answer.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.ratings import Numbers

_CELLS_AT_ONCE = 4_000_000
"""How many numbers a block of repetitions may hold: some tens of megabytes."""
_TIE = 1e-12
"""Differences this close to the observed one are equal to it but for rounding."""
MOST_EXACT_CELLS = 14
"""Up to so many numbers all changes of signs are tried: 2 ** 14 = 16,384."""
MOST_EXACT_WAYS = 20_000
"""Up to so many ways of dealing numbers out to two groups all of them are tried."""


def mean_known(values: Numbers, axis: int | tuple[int, ...] | None = None) -> Numbers:
    """Return the mean of the numbers that are known; NaN where none is."""
    known = ~np.isnan(values)
    return _divide(np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis))


def as_float(value: float | np.floating) -> float | None:
    """Return a float, or None for NaN."""
    return None if np.isnan(value) else float(value)


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return how much more often one of ``first`` is above one of ``second`` than below (Cliff)."""
    one, other = _known(first), np.sort(_known(second))
    if not one.size or not other.size:
        return None
    below = np.searchsorted(other, one, side="left").sum()
    above = other.size * one.size - np.searchsorted(other, one, side="right").sum()
    return float(below - above) / (one.size * other.size)


def hedges_g(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the difference of means in pooled standard deviations, without small-sample bias.

    The correction is Hedges' exact one (1981). None where a group has fewer than two numbers or
    where nothing varies.
    """
    one, other = _known(first), _known(second)
    if min(one.size, other.size) < 2:
        return None
    freedom = one.size + other.size - 2
    spread = ((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum()
    deviation = math.sqrt(spread / freedom)
    if deviation < _TIE:
        return None
    exact = math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2)
    correction = math.exp(exact) / math.sqrt(freedom / 2)
    return float(one.mean() - other.mean()) / deviation * correction


def mann_whitney(first: ArrayLike, second: ArrayLike) -> tuple[float, float] | None:
    """Return U of ``first`` and its two-sided p-value; None where a group is empty."""
    one, other = _known(first), _known(second)
    if not one.size or not other.size:
        return None
    both = np.concatenate([one, other])
    if (both == both[0]).all():  # nothing is above anything, and the variance of U is 0
        return one.size * other.size / 2, 1.0
    from scipy.stats import mannwhitneyu

    found = mannwhitneyu(one, other, alternative="two-sided")
    return float(found.statistic), float(found.pvalue)


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The test of a difference of means, and the interval that belongs to it."""

    p_value: float
    """Two-sided."""
    smallest_p: float
    """The smallest p-value that groups of these sizes can have, however far apart they are."""
    low: float | None
    """The interval holds the shifts of a group that the test does not reject; None without one."""
    high: float | None


def permutation_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = 0.95,
    repetitions: int = 2000,
    seed: int = 0,
) -> PermutationTest | None:
    """Test a difference of means, two-sided, by dealing the numbers out to the groups anew.

    All ways are tried where there are at most 20,000. Else the observed one and ``repetitions``
    others are, so that the p-value is never 0.

    The interval leaves out 0 where, and only where, the p-value is below ``1 - level``: a shift of
    the first group by d makes the difference of a way D - d k, where k is the same difference of
    the groups' own membership. That is at least as large as the observed one for all d between
    (D0 - D) / (1 - k) and (D0 + D) / (1 + k), so that both ends of the interval are ranks of these.
    """
    one, other = _known(first), _known(second)
    if not one.size or not other.size:
        return None
    both = np.concatenate([one, other])
    # Differences of means stay what they are when the same number is taken from all of them.
    both -= both.mean()
    scale = 1 / one.size + 1 / other.size
    observed = float(both[: one.size].sum()) * scale
    lows, highs = [], []
    for members in _ways(one.size, other.size, repetitions, seed):
        difference = members @ both * scale
        share = members[:, : one.size].sum(axis=1) * scale - one.size / other.size
        fixed = np.abs(share) > 1 - _TIE
        safe = np.where(fixed, 0.0, share)
        ends = np.sort([(observed - difference) / (1 - safe), (observed + difference) / (1 + safe)],
                       axis=0)  # fmt: skip
        lows.append(np.where(fixed, -np.inf, ends[0]))
        highs.append(np.where(fixed, np.inf, ends[1]))
    low, high = np.sort(np.concatenate(lows)), np.sort(np.concatenate(highs))
    ways = low.size
    # Every way holds the observed difference between its ends: one side decides.
    extreme = ways - int((low > _TIE).sum()) - int((high < -_TIE).sum())
    rank = math.ceil(round(1 - level, 12) * ways - 1e-9)
    ends_of = float(low[rank - 1]), float(high[ways - rank])
    bounded = np.isfinite(ends_of).all()
    return PermutationTest(
        extreme / ways,
        max((1 + (one.size == other.size)) / math.comb(both.size, one.size), 1 / ways),
        _without_rounding(ends_of[0]) if bounded else None,
        _without_rounding(ends_of[1]) if bounded else None,
    )


def _ways(first: int, second: int, repetitions: int, seed: int) -> Iterator[Numbers]:
    """Yield who is in the first group, one row for each way; the observed one is among them."""
    size = first + second
    if math.comb(size, first) <= MOST_EXACT_WAYS:
        chosen = np.array(list(combinations(range(size), first)))
        members = np.zeros((len(chosen), size))
        np.put_along_axis(members, chosen, 1.0, axis=1)
        yield members
        return
    observed = np.repeat([1.0, 0.0], [first, second])
    yield observed[None, :]
    rng = np.random.default_rng([seed, size])
    for count in _blocks(repetitions, size):
        yield rng.permuted(np.broadcast_to(observed, (count, size)), axis=1)


def _without_rounding(value: float) -> float:
    return 0.0 if abs(value) <= _TIE else value


def sign_flip_p(differences: ArrayLike, *, repetitions: int = 20_000, seed: int = 0) -> Numbers:
    """Test whether the mean of each row is 0, two-sided, by changing signs at random.

    ``differences`` has one row for each test. All changes of signs are tried where there are at
    most 2 ** 14; else ``repetitions`` of them, with the p-value ``(1 + n) / (1 + repetitions)``.
    A row without numbers gets NaN.
    """
    table = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    known = ~np.isnan(table)
    sizes = known.sum(axis=1)
    p_values = np.full(len(table), np.nan)
    for size in np.unique(sizes[(sizes > 0) & (sizes <= MOST_EXACT_CELLS)]).tolist():
        rows = np.flatnonzero(sizes == size)
        numbers = table[rows][known[rows]].reshape(len(rows), size)
        p_values[rows] = _extreme(_all_signs(size), numbers) / 2**size
    rows = np.flatnonzero(sizes > MOST_EXACT_CELLS)
    if rows.size:
        # A 0 in the place of an unknown number has no sign and changes no sum.
        numbers = np.where(known, table, 0.0)[rows]
        rng = np.random.default_rng([seed, table.shape[1]])
        extreme = np.zeros(rows.size)
        for count in _blocks(repetitions, max(table.shape)):
            signs = _as_signs(rng.integers(2, size=(count, table.shape[1]), dtype=np.int8))
            extreme += _extreme(signs, numbers)
        p_values[rows] = (1 + extreme) / (1 + repetitions)
    return p_values


def smallest_sign_flip_p(sizes: NDArray[np.integer], repetitions: int) -> Numbers:
    """Return the smallest p-value of :func:`sign_flip_p` for rows with so many numbers."""
    exact = 2.0 ** (1 - np.minimum(sizes, MOST_EXACT_CELLS).astype(np.float64))
    found = np.where(sizes <= MOST_EXACT_CELLS, exact, 1 / (1 + repetitions))
    return np.where(sizes > 0, found, np.nan)


def holm(p_values: ArrayLike) -> Numbers:
    """Correct p-values for their number so that one false alarm in all is rare (Holm 1979)."""
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    steps = given[order] * np.arange(given.size, 0, -1)
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def benjamini_hochberg(p_values: ArrayLike) -> Numbers:
    """Correct p-values so that few of those below a limit are false (Benjamini, Hochberg 1995)."""
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")[::-1]
    steps = given[order] * given.size / np.arange(given.size, 0, -1)
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return corrected


CORRECTIONS: dict[str, Callable[[ArrayLike], Numbers]] = {
    "holm": holm,
    "fdr": benjamini_hochberg,
}


def draws(size: int, repetitions: int, rng: np.random.Generator) -> Numbers:
    """Draw ``size`` of so many items with replacement; return how often each came."""
    chosen = rng.integers(size, size=(repetitions, size))
    chosen += np.arange(repetitions)[:, None] * size
    counts = np.bincount(chosen.ravel(), minlength=repetitions * size)
    return counts.reshape(repetitions, size).astype(np.float64)


def resampled_means(values: Numbers, counts: Numbers) -> Numbers:
    """Return the mean of each column of ``values`` (items by columns) in each draw of items."""
    known = ~np.isnan(values)
    return _divide(counts @ np.where(known, values, 0.0), counts @ known.astype(np.float64))


def stratified_bootstrap(
    values: Numbers, weights: Numbers, *, repetitions: int = 2000, seed: int = 0
) -> Numbers:
    """Draw the cells of each stratum again; return the weighted means, repetitions by items.

    ``values`` and ``weights`` have the axes item, stratum, cell. A stratum keeps its share of the
    weight of an item whatever is drawn. An item in which no stratum has two known cells does not
    vary: its column is NaN.
    """
    known = ~np.isnan(values) & (weights > 0)
    sizes = known.sum(axis=2)
    means = np.zeros((repetitions, len(values)))
    for stratum in range(values.shape[1]):
        for size in np.unique(sizes[:, stratum][sizes[:, stratum] > 0]).tolist():
            items = np.flatnonzero(sizes[:, stratum] == size)
            chosen = known[items, stratum]
            value = values[items, stratum][chosen].reshape(-1, size)
            weight = weights[items, stratum][chosen].reshape(-1, size)
            # Items with as many cells share their draws: each interval is as good as alone.
            counts = draws(size, repetitions, np.random.default_rng([seed, stratum, size]))
            drawn = counts @ (value * weight).T / (counts @ weight.T)
            means[:, items] += drawn * weight.sum(axis=1)
    total = np.where(known, weights, 0.0).sum(axis=(1, 2))
    varies = (sizes > 1).any(axis=1)
    return means / np.where(varies, total, np.nan)


def interval(samples: Numbers, level: float) -> tuple[float, float] | None:
    """Return the percentile interval of the samples that are known; None where none is."""
    known = _known(samples)
    if not known.size:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _known(values: ArrayLike) -> Numbers:
    given = np.asarray(values, dtype=np.float64).ravel()
    return given[~np.isnan(given)]


def _all_signs(size: int) -> Numbers:
    return _as_signs(np.arange(2**size)[:, None] >> np.arange(size) & 1)


def _as_signs(bits: NDArray[np.integer]) -> Numbers:
    return np.where(bits, 1.0, -1.0)


def _extreme(signs: Numbers, numbers: Numbers) -> Numbers:
    """Count, for each row of numbers, the signs that give a sum at least as far from 0."""
    observed = np.abs(numbers.sum(axis=1)) - _TIE
    counted: Numbers = (np.abs(signs @ numbers.T) >= observed).sum(axis=0).astype(np.float64)
    return counted


def _blocks(repetitions: int, cells: int) -> Iterator[int]:
    """Deal repetitions out to blocks that fit into memory."""
    most = max(1, _CELLS_AT_ONCE // max(cells, 1))
    for start in range(0, repetitions, most):
        yield min(most, repetitions - start)


def _divide(part: Numbers, whole: Numbers) -> Numbers:
    share: Numbers = np.full(np.shape(part), np.nan)
    np.divide(part, whole, out=share, where=np.asarray(whole) != 0)
    return share
