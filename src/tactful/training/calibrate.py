"""Probabilities that mean what they say, and thresholds: both from texts not trained on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import sigmoid
from tactful.libraries import needed
from tactful.metrics.calibration import expected_calibration_error
from tactful.metrics.detection import f1_score
from tactful.metrics.ranking import roc_auc_score
from tactful.metrics.significance import bootstrap_interval

Floats = NDArray[np.float64]
REPETITIONS = 300
_PRIOR_SLOPE = 2.0
"""How hard the slope is held near 1: few positives must not bend it far."""


def platt(logits: NDArray[np.floating], gold: NDArray[np.floating]) -> tuple[float, float]:
    """Return slope and intercept of Platt scaling, the slope held near 1 (Platt 1999).

    ``gold`` may be soft.
    """
    with needed("Calibrating a detector"):
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


def figures_of(
    name: str,
    gold: NDArray[np.int_],
    probabilities: Floats,
    threshold: float,
    rate: float | None = None,
) -> list[dict[str, Any]]:
    """Return AUC and F1 at the threshold with bootstrap intervals, and the calibration error.

    The calibration error has no interval: a sample with repetitions is worse calibrated than the
    whole, so that the percentiles lie too high and may miss the value itself. ``rate`` is the share
    of positive texts that the probabilities were calibrated for, where the sample has another.
    """
    chosen = (probabilities >= threshold).astype(int)
    figures: dict[str, tuple[float | None, float | None, float | None]] = {}
    for metric, measure, guess in (
        ("auc", roc_auc_score, probabilities),
        ("f1", f1_score, chosen),
    ):
        answer = bootstrap_interval(measure, gold, guess, repetitions=REPETITIONS, seed=1)
        figures[metric] = (answer.measure.value, answer.low, answer.high)
    if rate is not None and not 0 < gold.mean() < 1:
        rate = None
    error = expected_calibration_error(gold, probabilities, positive_rate=rate)
    figures["ece"] = (error.value, None, None)
    return [
        {
            "id": name,
            "metric": metric,
            "value": round(value, 4),
            "low": None if low is None else round(low, 4),
            "high": None if high is None else round(high, 4),
            "items": len(gold),
            "positives": int(gold.sum()),
            "part": "validation",
        }
        for metric, (value, low, high) in figures.items()
        if value is not None
    ]
