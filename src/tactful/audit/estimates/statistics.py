"""Means, effect sizes, rank tests and corrections for many tests, on arrays of numbers.

NaN stands for a number that is not known and is left out. What cannot be computed is None.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tactful.resampling import TIE, Numbers, divide, known_numbers


def mean_known(values: Numbers, axis: int | tuple[int, ...] | None = None) -> Numbers:
    """Return the mean of the numbers that are known; NaN where none is."""
    known = ~np.isnan(values)
    return divide(np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis))


def as_float(value: float | np.floating) -> float | None:
    """Return a float, or None for NaN."""
    return None if np.isnan(value) else float(value)


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return how much more often one of ``first`` is above one of ``second`` than below (Cliff)."""
    found = mann_whitney(first, second)
    pairs = known_numbers(first).size * known_numbers(second).size
    return None if found is None else (2 * found[0] - pairs) / pairs


def hedges_g(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the difference of means in pooled standard deviations, without small-sample bias.

    The correction is Hedges' exact one (1981). None where a group has fewer than two numbers or
    where nothing varies.
    """
    one, other = known_numbers(first), known_numbers(second)
    if min(one.size, other.size) < 2:
        return None
    freedom = one.size + other.size - 2
    spread = ((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum()
    deviation = math.sqrt(spread / freedom)
    if deviation < TIE:
        return None
    exact = math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2)
    correction = math.exp(exact) / math.sqrt(freedom / 2)
    return float(one.mean() - other.mean()) / deviation * correction


def mann_whitney(first: ArrayLike, second: ArrayLike) -> tuple[float, float] | None:
    """Return U of ``first`` and its two-sided p-value; None where a group is empty."""
    one, other = known_numbers(first), known_numbers(second)
    if not one.size or not other.size:
        return None
    both = np.concatenate([one, other])
    if (both == both[0]).all():  # nothing is above anything, and the variance of U is 0
        return one.size * other.size / 2, 1.0
    from scipy.stats import mannwhitneyu

    found = mannwhitneyu(one, other, alternative="two-sided")
    return float(found.statistic), float(found.pvalue)


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
