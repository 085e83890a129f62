import numpy as np
import pytest

from tactful.detectors.base import sigmoid
from tactful.training.calibrate import best_threshold, platt


def test_platt_undoes_a_known_distortion() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(-1, 2, 20_000)
    gold = (rng.random(20_000) < sigmoid(0.5 * logits - 1)).astype(float)
    slope, intercept = platt(logits, gold)
    assert slope == pytest.approx(0.5, abs=0.03)
    assert intercept == pytest.approx(-1, abs=0.06)


def test_few_positives_do_not_bend_the_slope_far() -> None:
    logits = np.array([-3.0, -2.0, -1.0, 0.0, 5.0])
    slope, _ = platt(logits, np.array([0, 0, 0, 0, 1]))
    assert 0.3 < slope < 3


def test_the_threshold_lies_between_the_classes() -> None:
    probabilities = np.array([0.05, 0.1, 0.2, 0.8, 0.9, 0.95])
    threshold = best_threshold(probabilities)
    assert 0.2 < threshold < 0.8


def test_equal_probabilities_are_never_parted() -> None:
    probabilities = np.array([0.5, 0.5, 0.5, 0.1])
    threshold = best_threshold(probabilities)
    assert 0.1 < threshold < 0.5


def test_calibrated_probabilities_give_half_the_best_f1() -> None:
    # Lipton et al. 2014, theorem 1: the threshold is half of the F1 that it reaches.
    rng = np.random.default_rng(3)
    probabilities = sigmoid(rng.normal(-2, 2, 50_000))
    gold = rng.random(50_000) < probabilities
    threshold = best_threshold(probabilities)
    chosen = probabilities >= threshold
    f1 = 2 * (chosen & gold).sum() / (chosen.sum() + gold.sum())
    assert threshold == pytest.approx(f1 / 2, abs=0.02)
