"""Probabilities that mean what they say, and thresholds: both from texts not trained on."""

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import sigmoid

Floats = NDArray[np.float64]
_PRIOR_SLOPE = 2.0
"""How hard the slope is held near 1: few positives must not bend it far."""


def platt(logits: NDArray[np.floating], gold: NDArray[np.floating]) -> tuple[float, float]:
    """Return slope and intercept of Platt scaling, the slope held near 1 (Platt 1999).

    ``gold`` may be soft.
    """
    from scipy.optimize import minimize

    values, truth = logits.astype(np.float64), gold.astype(np.float64)

    def loss(theta: Floats) -> tuple[float, Floats]:
        scaled = np.exp(theta[0]) * values + theta[1]
        gap = sigmoid(scaled) - truth
        value = (np.logaddexp(0, scaled) - truth * scaled).sum() + _PRIOR_SLOPE * theta[0] ** 2
        slope = (gap * values).sum() * np.exp(theta[0]) + 2 * _PRIOR_SLOPE * theta[0]
        return float(value), np.array([slope, gap.sum()])

    found = minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B").x
    return float(np.exp(found[0])), float(found[1])


def match_rate(logits: NDArray[np.floating], slope: float, rate: float) -> float:
    """Return the intercept with which the mean probability of many unlabelled texts is ``rate``.

    The rate of a rare label is known better from all labelled texts than from a validation part.
    """
    from scipy.optimize import brentq

    def gap(intercept: float) -> float:
        return float(sigmoid(slope * logits + intercept).mean() - rate)

    return float(brentq(gap, -30.0, 30.0))


def best_threshold(probabilities: Floats) -> float:
    """Return the threshold at which calibrated probabilities expect the highest F1.

    Labels are not asked: with few positives the F1 that is found jumps from text to text, and its
    highest point does worse on other texts than the one that is expected (Lipton et al. 2014).
    """
    found = np.sort(probabilities)[::-1]
    hits = np.cumsum(found)
    expected = 2 * hits / (np.arange(1, len(found) + 1) + found.sum())
    # Equal probabilities cannot be parted: only the last of them is a threshold.
    last = np.append(found[1:] < found[:-1], True)
    best = int(np.argmax(np.where(last, expected, -1)))
    below = found[best + 1] if best + 1 < len(found) else 0.0
    return float((found[best] + below) / 2)
