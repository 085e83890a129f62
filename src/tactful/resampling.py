"""Bootstrap samples, permutation tests and their intervals, on arrays of numbers.

Every draw has a seed or a generator, so the same call gives the same answer. NaN stands for a
number that is not known and is left out; what cannot be computed is None.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]

TIE = 1e-12
"""Differences this close to the observed one are equal to it except for rounding."""
MOST_EXACT_SIGNS = 14
"""For up to this many numbers, all changes of signs are tried: 2 ** 14 = 16,384."""
MOST_EXACT_SPLITS = 20_000
"""Up to this many ways of splitting numbers into two groups, all of them are tried."""
_Z = 1.959964
"""The quantile of the normal distribution for intervals of 95 %."""
_CELLS_AT_ONCE = 4_000_000
"""The most numbers in a block of repetitions: some tens of megabytes."""


def draw_items(
    size: int, repetitions: int, rng: np.random.Generator, width: int = 0
) -> Iterator[NDArray[np.int64]]:
    """Draw ``size`` items with replacement; yield their places in blocks of repetitions by draws.

    ``width`` is the number of values that the caller computes per repetition: where it is larger
    than ``size``, blocks are smaller. The draws do not depend on the size of the blocks.
    """
    for count in _blocks(repetitions, max(size, width)):
        yield rng.integers(size, size=(count, size))


def draw_counts(
    size: int, repetitions: int, rng: np.random.Generator, width: int = 0
) -> Iterator[Numbers]:
    """Draw ``size`` items with replacement; yield how often each item was drawn.

    The product of these counts with a table of items is the sum over each bootstrap sample.
    """
    for chosen in draw_items(size, repetitions, rng, width):
        places = chosen + np.arange(len(chosen))[:, None] * size
        counts = np.bincount(places.ravel(), minlength=chosen.size)
        yield counts.reshape(chosen.shape).astype(np.float64)


def draw_kind_counts(
    sizes: Numbers, repetitions: int, rng: np.random.Generator, width: int = 0
) -> Iterator[Numbers]:
    """Draw items that fall into kinds of these ``sizes``; yield how often each kind was drawn."""
    for count in _blocks(repetitions, max(len(sizes), width)):
        drawn = rng.multinomial(int(sizes.sum()), sizes / sizes.sum(), size=count)
        yield drawn.astype(np.float64)


def draw_signs(
    size: int, repetitions: int, rng: np.random.Generator, width: int = 0
) -> Iterator[Numbers]:
    """Yield blocks of zeros and ones, each with a probability of one half."""
    for count in _blocks(repetitions, max(size, width)):
        yield rng.integers(2, size=(count, size), dtype=np.int8).astype(np.float64)


def resampled_means(values: Numbers, *, repetitions: int, seed: int | list[int]) -> Numbers:
    """Draw the rows of ``values`` with replacement; return each column's mean in each draw."""
    if not len(values):
        return np.full((repetitions, values.shape[1]), np.nan)
    known = ~np.isnan(values)
    filled, there = np.where(known, values, 0.0), known.astype(np.float64)
    drawn = draw_counts(len(values), repetitions, np.random.default_rng(seed))
    return np.concatenate([divide(counts @ filled, counts @ there) for counts in drawn])


def stratified_bootstrap(
    values: Numbers, weights: Numbers, *, repetitions: int = 2000, seed: int = 0
) -> Numbers:
    """Resample the cells within each stratum; return the weighted means, repetitions by items.

    ``values`` and ``weights`` have the axes item, stratum, cell. A stratum keeps its share of the
    weight of an item in every draw. An item in which no stratum has two known cells does not vary:
    its column is NaN.
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
            rng = np.random.default_rng([seed, stratum, size])
            counts = np.concatenate(list(draw_counts(size, repetitions, rng)))
            drawn = counts @ (value * weight).T / (counts @ weight.T)
            means[:, items] += drawn * weight.sum(axis=1)
    total = np.where(known, weights, 0.0).sum(axis=(1, 2))
    varies = (sizes > 1).any(axis=1)
    return means / np.where(varies, total, np.nan)


def percentile_interval(samples: ArrayLike, level: float) -> tuple[float, float] | None:
    """Return the percentile interval of the samples that are known; None where none is."""
    known = known_numbers(samples)
    if not known.size:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval (1927) of a share; it stays between 0 and 1."""
    share, square = found / of, _Z * _Z
    centre = (share + square / (2 * of)) / (1 + square / of)
    spread = math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    half = _Z * spread / (1 + square / of)
    # Rounding must not put a share of 0 or 1 outside its own interval.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


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
    """Test a difference of means, two-sided, by assigning the numbers to the groups again.

    All splits are tried where there are at most 20,000. Otherwise the observed one and
    ``repetitions`` others are tried, so the p-value is never 0.

    The interval leaves out 0 if and only if the p-value is below ``1 - level``: a shift of the
    first group by d makes the difference of a split D - d k, where k is the same difference of the
    groups' own membership. That is at least as large as the observed one for all d between
    (D0 - D) / (1 - k) and (D0 + D) / (1 + k), so both ends of the interval are ranks of these.
    """
    one, other = known_numbers(first), known_numbers(second)
    if not one.size or not other.size:
        return None
    both = np.concatenate([one, other])
    # Differences of means do not change when the same number is taken from all values.
    both -= both.mean()
    scale = 1 / one.size + 1 / other.size
    observed = float(both[: one.size].sum()) * scale
    lows, highs = [], []
    for members in _splits(one.size, other.size, repetitions, seed):
        difference = members @ both * scale
        share = members[:, : one.size].sum(axis=1) * scale - one.size / other.size
        fixed = np.abs(share) > 1 - TIE
        safe = np.where(fixed, 0.0, share)
        ends = np.sort([(observed - difference) / (1 - safe), (observed + difference) / (1 + safe)],
                       axis=0)  # fmt: skip
        lows.append(np.where(fixed, -np.inf, ends[0]))
        highs.append(np.where(fixed, np.inf, ends[1]))
    low, high = np.sort(np.concatenate(lows)), np.sort(np.concatenate(highs))
    splits = low.size
    # Every split has the observed difference between its ends, so one side decides.
    extreme = splits - int((low > TIE).sum()) - int((high < -TIE).sum())
    rank = math.ceil(round(1 - level, 12) * splits - 1e-9)
    ends_of = float(low[rank - 1]), float(high[splits - rank])
    bounded = np.isfinite(ends_of).all()
    return PermutationTest(
        extreme / splits,
        max((1 + (one.size == other.size)) / math.comb(both.size, one.size), 1 / splits),
        _without_rounding(ends_of[0]) if bounded else None,
        _without_rounding(ends_of[1]) if bounded else None,
    )


def _splits(first: int, second: int, repetitions: int, seed: int) -> Iterator[Numbers]:
    """Yield the members of the first group, one row per split; the observed one is among them."""
    size = first + second
    if math.comb(size, first) <= MOST_EXACT_SPLITS:
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
    return 0.0 if abs(value) <= TIE else value


def sign_flip_p(differences: ArrayLike, *, repetitions: int = 20_000, seed: int = 0) -> Numbers:
    """Test whether the mean of each row is 0, two-sided, by changing signs at random.

    ``differences`` has one row for each test. All changes of signs are tried where there are at
    most 2 ** 14; otherwise ``repetitions`` of them, with the p-value
    ``(1 + n) / (1 + repetitions)``. A row without numbers gets NaN.
    """
    table = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    known = ~np.isnan(table)
    sizes = known.sum(axis=1)
    p_values = np.full(len(table), np.nan)
    for size in np.unique(sizes[(sizes > 0) & (sizes <= MOST_EXACT_SIGNS)]).tolist():
        rows = np.flatnonzero(sizes == size)
        numbers = table[rows][known[rows]].reshape(len(rows), size)
        bits = np.arange(2**size)[:, None] >> np.arange(size) & 1
        p_values[rows] = _extreme(bits.astype(np.float64), numbers) / 2**size
    rows = np.flatnonzero(sizes > MOST_EXACT_SIGNS)
    if rows.size:
        # A 0 in the place of an unknown number has no sign and changes no sum.
        numbers = np.where(known, table, 0.0)[rows]
        rng = np.random.default_rng([seed, table.shape[1]])
        drawn = draw_signs(table.shape[1], repetitions, rng, len(table))
        extreme = sum((_extreme(bits, numbers) for bits in drawn), np.zeros(rows.size))
        p_values[rows] = (1 + extreme) / (1 + repetitions)
    return p_values


def smallest_sign_flip_p(sizes: NDArray[np.integer], repetitions: int) -> Numbers:
    """Return the smallest p-value of :func:`sign_flip_p` for rows of these sizes."""
    exact = 2.0 ** (1 - np.minimum(sizes, MOST_EXACT_SIGNS).astype(np.float64))
    found = np.where(sizes <= MOST_EXACT_SIGNS, exact, 1 / (1 + repetitions))
    return np.where(sizes > 0, found, np.nan)


def _extreme(bits: Numbers, numbers: Numbers) -> Numbers:
    """Count, for each row of numbers, the signs that give a sum at least as far from 0."""
    observed = np.abs(numbers.sum(axis=1)) - TIE
    counted: Numbers = (np.abs((2 * bits - 1) @ numbers.T) >= observed).sum(axis=0)
    return counted.astype(np.float64)


def known_numbers(values: ArrayLike) -> Numbers:
    """Return the numbers that are not NaN, as one row."""
    given = np.asarray(values, dtype=np.float64).ravel()
    return given[~np.isnan(given)]


def divide(part: ArrayLike, whole: ArrayLike) -> Numbers:
    """Divide; NaN where the divisor is 0."""
    share: Numbers = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), np.nan)
    np.divide(part, whole, out=share, where=np.asarray(whole) != 0)
    return share


def _blocks(repetitions: int, cells: int) -> Iterator[int]:
    """Split repetitions into blocks that fit into memory."""
    most = max(1, _CELLS_AT_ONCE // max(cells, 1))
    for start in range(0, repetitions, most):
        yield min(most, repetitions - start)
