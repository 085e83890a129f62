"""Carrying thresholds over: exact where the answer is known, undefined where there is none."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from tactful.errors import UsageError
from tactful.service.perspective.calibration import calibrate

RNG = np.random.default_rng(3)


def test_a_monotone_score_is_carried_over_exactly() -> None:
    old = RNG.random(400)
    new = old**3
    found = calibrate(old, new, [0.8, 0.5], repetitions=200)
    assert found.texts == 400
    assert found.correlation.value == pytest.approx(1.0)
    for each in found.thresholds:
        assert each.same_share.same == each.best_agreement.same == 1.0
        assert each.same_share.kappa == pytest.approx(1.0)
        assert each.same_share.flagged == each.flagged
        value, low, high = (
            each.same_share.threshold.value,
            each.same_share.threshold.low,
            each.same_share.threshold.high,
        )
        assert value == pytest.approx(each.old**3, abs=0.05)
        assert value is not None
        assert low is not None
        assert high is not None
        assert low <= value <= high
        assert each.unchanged.flagged is not None
        assert each.unchanged.flagged < each.flagged


def test_the_rank_correlation_is_spearmans() -> None:
    old, new = np.round(RNG.random(200), 1), np.round(RNG.random(200), 1)
    found = calibrate(old, new, [0.5], repetitions=100)
    assert found.correlation.value == pytest.approx(float(spearmanr(old, new).statistic))


def test_best_agreement_is_not_worse_than_any_other_threshold() -> None:
    old = RNG.random(150)
    new = np.clip(old * 0.5 + RNG.normal(0, 0.1, 150), 0, 1)
    (each,) = calibrate(old, new, [0.8], repetitions=100).thresholds
    best = each.best_agreement.kappa
    assert best is not None
    flags = old >= 0.8
    for threshold in np.linspace(0, 1, 201):
        guess = new >= threshold
        same = (guess == flags).mean()
        chance = guess.mean() * flags.mean() + (1 - guess.mean()) * (1 - flags.mean())
        assert (same - chance) / (1 - chance) <= best + 1e-9


def test_a_threshold_that_flags_nothing_has_no_counterpart() -> None:
    old = RNG.random(50) * 0.5
    (none,) = calibrate(old, old, [0.9], repetitions=100).thresholds
    assert none.same_share.threshold.value is None
    assert none.same_share.threshold.reason == "No old score is at or above 0.9."
    assert none.unchanged.kappa is None
    (every,) = calibrate(old, old, [0.0], repetitions=100).thresholds
    assert every.best_agreement.threshold.reason == "Every old score is at or above 0."


def test_scores_that_are_all_the_same() -> None:
    found = calibrate([0.2] * 10 + [0.9] * 10, [0.5] * 20, [0.8], repetitions=100)
    assert found.correlation.value is None
    assert found.correlation.reason
    assert found.thresholds[0].same_share.flagged == 1.0


def test_it_is_the_same_again_with_the_same_seed() -> None:
    old, new = RNG.random(60), RNG.random(60)
    first, again = (calibrate(old, new, [0.5], repetitions=100, seed=5) for _ in range(2))
    assert first == again


def test_too_few_texts() -> None:
    with pytest.raises(UsageError, match="at least 20"):
        calibrate([0.1] * 19, [0.1] * 19, [0.5])
