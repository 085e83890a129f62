"""Means of arrays of numbers. NaN is a number that is not known, and is left out."""

import numpy as np

from tactful.resampling import Numbers, divide


def mean_known(values: Numbers, axis: int | tuple[int, ...] | None = None) -> Numbers:
    """Return the mean of the numbers that are known; NaN where none is."""
    known = ~np.isnan(values)
    return divide(np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis))


def as_float(value: float | np.floating) -> float | None:
    """Return a float, or None for NaN."""
    return None if np.isnan(value) else float(value)
