"""How far two estimates for the same conditions correlate (Mei et al. 2023, section 5.3)."""

import math
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from tactful.audit.results import Correlation, Estimate
from tactful.libraries import needed
from tactful.words import counted

FEWEST = 4
"""The fewest pairs for Fisher's interval."""
_ON_A_LINE = 1 - 1e-12


def correlate(
    attitude: Mapping[str, float | None],
    sentiment: Mapping[str, float | None],
    level: float = 0.95,
) -> Correlation:
    """Correlate two estimates over the conditions that have both, stigmatized or not.

    Section 5.3 does so with 122 conditions. There is no answer with fewer than 4 conditions or
    where one side is the same for all of them; the reason says which.
    """
    shared = [
        (one, other)
        for condition, one in attitude.items()
        if one is not None and (other := sentiment.get(condition)) is not None
    ]
    size = len(shared)
    if size < FEWEST:
        some = "1 condition has" if size == 1 else f"{size} conditions have"
        reason = f"{some} both values; a correlation needs {FEWEST}"
        return Correlation(Estimate(None, reason=reason), None, None, size)
    first, second = (np.array(side) for side in zip(*shared, strict=True))
    r = pearson(first, second)
    if r is None:
        side = "attitude" if np.ptp(first) == 0 else "sentiment"
        reason = f"the {side} is the same for all {counted(size, 'condition')}"
        return Correlation(Estimate(None, reason=reason), None, None, size)
    found = pearson_interval(r, size, level)
    if found is None:
        estimate = Estimate(r, reason="the conditions lie on a line, where there is no interval")
    else:
        estimate = Estimate(r, *found)
    return Correlation(estimate, pearson_p(r, size), spearman(first, second), size)


def pearson(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return Pearson's r; None with fewer than two pairs or where one side does not vary."""
    one, other = (np.asarray(side, dtype=np.float64) for side in (first, second))
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    left, right = one - one.mean(), other - other.mean()
    scale = math.sqrt(float(left @ left)) * math.sqrt(float(right @ right))
    if scale == 0:  # numbers so close that their differences vanish
        return None
    return min(1.0, max(-1.0, float(left @ right) / scale))


def spearman(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the correlation of the ranks, ties sharing theirs; None as in :func:`pearson`."""
    with needed("A rank correlation"):
        from scipy.stats import rankdata

    return pearson(rankdata(np.asarray(first)), rankdata(np.asarray(second)))


def pearson_interval(r: float, size: int, level: float = 0.95) -> tuple[float, float] | None:
    """Return Fisher's interval of an r of ``size`` pairs; None below 4 pairs or at 1 and -1."""
    if size < FEWEST or abs(r) >= _ON_A_LINE:
        return None
    reach = NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(size - 3)
    centre = math.atanh(r)
    return math.tanh(centre - reach), math.tanh(centre + reach)


def pearson_p(r: float, size: int) -> float | None:
    """Return the two-sided p-value of an r of ``size`` pairs; None below 4.

    By Fisher's z, as the interval, so that both always agree. Student's t gives nearly the same.
    """
    if size < FEWEST:
        return None
    if abs(r) >= _ON_A_LINE:
        return 0.0
    return 2 * NormalDist().cdf(-abs(math.atanh(r)) * math.sqrt(size - 3))
