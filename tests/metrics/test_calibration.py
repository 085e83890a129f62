"""Calibration errors and the Brier score against scikit-learn and by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from tactful.errors import InputError
from tactful.metrics.calibration import (
    brier_loss,
    expected_calibration_error,
    maximum_calibration_error,
    reliability_bins,
)

GRID = st.integers(0, 20).map(lambda number: number / 20)
ITEMS = st.lists(st.tuples(st.integers(0, 1), st.one_of(GRID, st.floats(0, 1))), min_size=1)
STRATEGIES = ("width", "mass")


def sides(items: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [gold for gold, _ in items], [score for _, score in items]


def test_by_hand() -> None:
    gold, scores = [0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]
    # Bins (0, 0.5] and (0.5, 1]: scores 0.3 and 0.8, positives 1/3 and 1.
    bins = reliability_bins(gold, scores, bins=2)
    assert [(each.low, each.high, each.items) for each in bins] == [(0, 0.5, 3), (0.5, 1, 2)]
    expected = expected_calibration_error(gold, scores, bins=2)
    assert float(expected) == pytest.approx(3 / 5 * (1 / 3 - 0.3) + 2 / 5 * 0.2)
    assert float(maximum_calibration_error(gold, scores, bins=2)) == pytest.approx(0.2)


def test_a_sample_counts_as_if_it_had_another_rate() -> None:
    gold, scores = [1, 1, 1, 0], [0.2, 0.2, 0.2, 0.2]
    assert float(expected_calibration_error(gold, scores)) == pytest.approx(0.55)
    natural = expected_calibration_error(gold, scores, positive_rate=0.2)
    assert float(natural) == pytest.approx(0.0)
    # Three negatives more for each positive are the same as weights.
    more = expected_calibration_error([1, 0, 0, 0], [0.5, 0.1, 0.1, 0.1])
    weighted = expected_calibration_error([1, 0], [0.5, 0.1], positive_rate=0.25)
    assert float(weighted) == pytest.approx(float(more))


@pytest.mark.parametrize(("gold", "rate"), [([0, 1], 0.0), ([0, 1], 1.0), ([1, 1], 0.5), ([], 0.5)])
def test_a_rate_that_no_weights_reach_is_refused(gold: list[int], rate: float) -> None:
    with pytest.raises(InputError, match="expected a rate between 0 and 1"):
        expected_calibration_error(gold, [0.5] * len(gold), positive_rate=rate)


@pytest.mark.parametrize(("ours", "theirs"), [("width", "uniform"), ("mass", "quantile")])
def test_bins_are_those_of_scikit_learn(ours: Any, theirs: str) -> None:
    rng = np.random.default_rng(3)
    gold, scores = rng.integers(2, size=500), rng.random(500).round(2)
    bins = reliability_bins(gold, scores, bins=10, strategy=ours)
    positive, score = calibration_curve(gold, scores, n_bins=10, strategy=theirs)
    assert [each.positive for each in bins] == pytest.approx(positive.tolist())
    assert [each.score for each in bins] == pytest.approx(score.tolist())


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(items=ITEMS, bins=st.integers(1, 12))
def test_laws(strategy: Any, items: list[tuple[int, float]], bins: int) -> None:
    gold, scores = sides(items)
    expected = expected_calibration_error(gold, scores, bins=bins, strategy=strategy)
    most = maximum_calibration_error(gold, scores, bins=bins, strategy=strategy)
    assert -1e-12 <= float(expected) <= float(most) + 1e-12 <= 1 + 1e-9
    backwards = expected_calibration_error(gold[::-1], scores[::-1], bins=bins, strategy=strategy)
    assert float(backwards) == pytest.approx(float(expected))
    assert sum(each.items for each in reliability_bins(gold, scores, strategy=strategy)) == len(
        gold
    )
    perfect = expected_calibration_error(gold, gold, bins=max(bins, 2), strategy="width")
    assert float(perfect) == 0
    # One bin compares the two means (the definition of Guo et al. 2017 with M = 1).
    single = expected_calibration_error(gold, scores, bins=1)
    assert float(single) == pytest.approx(abs(np.mean(gold) - np.mean(scores)))


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(items=ITEMS)
def test_the_brier_score_and_its_parts(strategy: Any, items: list[tuple[int, float]]) -> None:
    gold, scores = sides(items)
    found = brier_loss(gold, scores, strategy=strategy)
    assert float(found) == pytest.approx(brier_score_loss(gold, scores, pos_label=1))
    parts = {name: float(part) for name, part in found.parts.items()}
    assert parts["reliability"] >= 0
    assert -1e-12 <= parts["resolution"] <= parts["uncertainty"] + 1e-12
    whole = parts["reliability"] - parts["resolution"] + parts["uncertainty"]
    assert float(found) == pytest.approx(whole + parts["within bins"])


def test_murphy_1973_is_exact_for_one_score_in_each_bin() -> None:
    gold, scores = [0, 1, 1, 1, 0, 0], [0.8, 0.8, 0.8, 0.2, 0.2, 0.2]
    parts = brier_loss(gold, scores, bins=2).parts
    assert float(parts["reliability"]) == pytest.approx((2 / 3 - 0.8) ** 2)
    assert float(parts["resolution"]) == pytest.approx((2 / 3 - 0.5) ** 2)
    assert float(parts["uncertainty"]) == 0.25
    assert float(parts["within bins"]) == pytest.approx(0)


def test_equal_scores_share_a_bin() -> None:
    bins = reliability_bins([0, 1, 0, 1], [0.5] * 4, bins=4, strategy="mass")
    assert [each.items for each in bins] == [4]


@pytest.mark.parametrize(
    "measure", [expected_calibration_error, maximum_calibration_error, brier_loss]
)
def test_without_items_there_is_no_value(measure: Any) -> None:
    for strategy in STRATEGIES:
        found = measure([], [], strategy=strategy)
        assert (found.value, found.reason) == (None, "there is no item")


@pytest.mark.parametrize(
    ("gold", "scores", "options", "message"),
    [
        ([0, 1], [0.5], {}, "same length"),
        ([0, 2], [0.5, 0.5], {}, "Item 2: found the gold label 2"),
        ([0, 1], [0.5, 1.5], {}, "Item 2: found the score 1.5"),
        ([0, 1], [0.5, float("nan")], {}, "Item 2: found the score nan"),
        ([0, 1], ["high", "low"], {}, "no number"),
        ([0, 1], [0.5, 0.5], {"bins": 0}, "Found 0 bins"),
        ([0, 1], [0.5, 0.5], {"strategy": "depth"}, "'width' or 'mass'"),
    ],
)
def test_wrong_input_is_refused(gold: Any, scores: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        expected_calibration_error(gold, scores, **options)
