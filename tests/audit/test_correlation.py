"""Pearson's r with Fisher's interval, ranks, and what is undefined (section 5.3)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tactful.audit.estimates.correlation import (
    correlate,
    pearson,
    pearson_interval,
    pearson_p,
    spearman,
)


def named(values: list[float]) -> dict[str, float | None]:
    return {f"c{index}": value for index, value in enumerate(values)}


def test_all_figures_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    one = rng.random(122)
    other = 0.6 * one + 0.4 * rng.random(122)
    found = correlate(named(one.tolist()), named(other.tolist()))
    theirs = stats.pearsonr(one, other)
    low, high = theirs.confidence_interval(0.95)
    assert found.conditions == 122
    assert found.pearson.value == pytest.approx(theirs.statistic)
    assert found.pearson.low == pytest.approx(low)
    assert found.pearson.high == pytest.approx(high)
    assert found.p_value is not None
    assert found.p_value < 1e-10
    assert theirs.pvalue < 1e-10
    assert found.spearman == pytest.approx(stats.spearmanr(one, other).statistic)


def test_fishers_interval_by_hand() -> None:
    # atanh(.6) = .6931, 1.96 / sqrt(28 - 3) = .392
    found = pearson_interval(0.6, 28)
    assert found == pytest.approx((math.tanh(0.6931 - 0.392), math.tanh(0.6931 + 0.392)), abs=1e-4)
    assert pearson_interval(0.6, 3) is None
    assert pearson_interval(1.0, 30) is None


def test_interval_and_p_value_agree() -> None:
    """Both are Fisher's; a p-value by Student's t could disagree with the interval at its edge."""
    for size in (4, 10, 29, 122):
        for r in np.linspace(-0.99, 0.99, 199).tolist():
            found, p = pearson_interval(r, size), pearson_p(r, size)
            assert found is not None
            assert p is not None
            assert (found[0] > 0 or found[1] < 0) == (p < 0.05)
    student = stats.t.sf(0.3 * math.sqrt(120 / (1 - 0.09)), 120) * 2
    assert pearson_p(0.3, 122) == pytest.approx(student, abs=2e-4)


def test_conditions_without_both_measures_are_left_out() -> None:
    attitude = {"a": 0.1, "b": 0.2, "c": 0.35, "d": 0.4, "e": None, "f": 0.9}
    sentiment = {"a": 0.3, "b": 0.2, "c": 0.5, "d": 0.7, "e": 0.1, "g": 0.2}
    found = correlate(attitude, sentiment)
    assert found.conditions == 4
    assert found.pearson.value == pytest.approx(
        stats.pearsonr([0.1, 0.2, 0.35, 0.4], [0.3, 0.2, 0.5, 0.7]).statistic
    )


def test_too_few_conditions_say_so() -> None:
    found = correlate(named([0.1, 0.2, 0.3]), named([0.1, 0.2, 0.3]))
    assert found.pearson.value is None
    assert found.pearson.reason == "3 conditions have both values; a correlation needs 4"
    assert found.p_value is None
    assert found.spearman is None


def test_a_side_that_does_not_vary_says_so() -> None:
    varied, flat = [0.1, 0.2, 0.3, 0.4], [0.5] * 4
    found = correlate(named(varied), named(flat))
    assert found.pearson.value is None
    assert found.pearson.reason == "the sentiment is the same for all 4 conditions"
    assert "attitude" in str(correlate(named(flat), named(varied)).pearson.reason)


def test_a_line_has_no_interval() -> None:
    values = [0.1, 0.2, 0.3, 0.4]
    found = correlate(named(values), named(values))
    assert found.pearson.value == pytest.approx(1)
    assert found.pearson.low is None
    assert "line" in str(found.pearson.reason)
    assert found.p_value == 0


def test_ranks_share_their_ties() -> None:
    one, other = [1.0, 1.0, 2.0, 3.0], [2.0, 1.0, 3.0, 3.0]
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)
    assert spearman([1.0, 1.0], [1.0, 2.0]) is None
    assert pearson([1.0], [2.0]) is None
    assert pearson_p(0.5, 3) is None


PAIRS = st.lists(
    st.tuples(
        st.floats(0, 1).map(lambda x: round(x, 3)), st.floats(0, 1).map(lambda x: round(x, 3))
    ),
    min_size=4,
    max_size=20,
)


@given(PAIRS)
def test_laws(pairs: list[tuple[float, float]]) -> None:
    one, other = (list(side) for side in zip(*pairs, strict=True))
    r = pearson(one, other)
    if r is None:
        return
    assert -1 <= r <= 1
    assert pearson(other, one) == pytest.approx(r)
    assert pearson([-x for x in one], other) == pytest.approx(-r)
    found = pearson_interval(r, len(pairs))
    if found is not None:
        assert found[0] <= r <= found[1]
