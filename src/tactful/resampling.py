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


def draw_signs(size: int, repetitions: int, rng: np.random.Generator) -> Iterator[Numbers]:
    """Yield blocks of zeros and ones, each with a probability of one half."""
    for count in _blocks(repetitions, size):
        yield rng.integers(2, size=(count, size), dtype=np.int8).astype(np.float64)


def resampled_means(values: Numbers, *, repetitions: int, seed: int | list[int]) -> Numbers:
    """Draw the rows of ``values`` with replacement; return each column's mean in each draw."""
    if not len(values):
        return np.full((repetitions, values.shape[1]), np.nan)
    known = ~np.isnan(values)
    filled, there = np.where(known, values, 0.0), known.astype(np.float64)
    drawn = draw_counts(len(values), repetitions, np.random.default_rng(seed))
    return np.concatenate([divide(counts @ filled, counts @ there) for counts in drawn])


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
    """The test of a mean or a difference of means, and the interval that belongs to it."""

    p_value: float
    """Two-sided."""
    smallest_p: float
    """The smallest p-value that groups of these sizes can have, however far apart they are."""
    low: float | None
    """The interval holds the shifts that the test does not reject; None without one."""
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
    drawn = (
        (members @ both * scale, members[:, : one.size].sum(axis=1) * scale - one.size / other.size)
        for members in _splits(one.size, other.size, repetitions, seed)
    )
    smallest = (1 + (one.size == other.size)) / math.comb(both.size, one.size)
    return _inverted(float(both[: one.size].sum()) * scale, drawn, smallest, level)


def sign_flip_test(
    values: ArrayLike, *, level: float = 0.95, repetitions: int = 2000, seed: int = 0
) -> PermutationTest | None:
    """Test whether a mean is 0, two-sided, by changing signs at random.

    All changes of signs are tried where there are at most 2 ** 14. The interval leaves out 0 if
    and only if the p-value is below ``1 - level``, as in :func:`permutation_test`: k is the mean of
    the signs.
    """
    given = known_numbers(values)
    if not given.size:
        return None
    drawn = (
        (signs @ given / given.size, signs.mean(axis=1))
        for signs in _signs(given.size, repetitions, seed)
    )
    return _inverted(float(given.mean()), drawn, 2.0 ** (1 - given.size), level)


def _inverted(
    observed: float, drawn: Iterator[tuple[Numbers, Numbers]], smallest: float, level: float
) -> PermutationTest:
    """Compare the observed mean with those drawn (D), and invert the test by their shares (k)."""
    lows, highs = [], []
    for difference, share in drawn:
        fixed = np.abs(share) > 1 - TIE
        safe = np.where(fixed, 0.0, share)
        ends = np.sort([(observed - difference) / (1 - safe), (observed + difference) / (1 + safe)],
                       axis=0)  # fmt: skip
        lows.append(np.where(fixed, -np.inf, ends[0]))
        highs.append(np.where(fixed, np.inf, ends[1]))
    low, high = np.sort(np.concatenate(lows)), np.sort(np.concatenate(highs))
    number = low.size
    # Every draw has the observed difference between its ends, so one side decides.
    extreme = number - int((low > TIE).sum()) - int((high < -TIE).sum())
    rank = math.ceil(round(1 - level, 12) * number - 1e-9)
    ends_of = float(low[rank - 1]), float(high[number - rank])
    bounded = np.isfinite(ends_of).all()
    return PermutationTest(
        extreme / number,
        max(smallest, 1 / number),
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


def _signs(size: int, repetitions: int, seed: int) -> Iterator[Numbers]:
    """Yield rows of signs, 1 and -1; the observed ones, all 1, are among them."""
    if size <= MOST_EXACT_SIGNS:
        exact = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
        yield 2 * exact.astype(np.float64) - 1
        return
    yield np.ones((1, size))
    for bits in draw_signs(size, repetitions, np.random.default_rng([seed, size])):
        yield 2 * bits - 1


def _without_rounding(value: float) -> float:
    return 0.0 if abs(value) <= TIE else value


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
