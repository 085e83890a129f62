"""Effect sizes, rank tests and corrections: against brute force, scipy, and laws."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tactful.audit.estimates.statistics import (
    benjamini_hochberg,
    cliffs_delta,
    hedges_g,
    holm,
    mann_whitney,
    mean_known,
)

SHARES = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=1, max_size=12)
NAN = math.nan


def test_cliffs_delta_counts_pairs() -> None:
    assert cliffs_delta([3, 4, 5], [1, 2]) == 1
    assert cliffs_delta([1, 2], [3, 4, 5]) == -1
    # 6 pairs: 2 above, 3 below, 1 tie.
    assert cliffs_delta([1, 4], [1, 2, 5]) == pytest.approx((2 - 3) / 6)
    assert cliffs_delta([], [1]) is None
    assert cliffs_delta([1, NAN], [0]) == 1


@given(SHARES, SHARES)
def test_cliffs_delta_is_that_of_all_pairs(first: list[float], second: list[float]) -> None:
    brute = np.mean([np.sign(a - b) for a, b in product(first, second)])
    found = cliffs_delta(first, second)
    assert found == pytest.approx(brute)
    assert found is not None
    assert -1 <= found <= 1
    other = cliffs_delta(second, first)
    assert other == pytest.approx(-found)


@given(SHARES, SHARES)
def test_mann_whitney_goes_with_cliffs_delta(first: list[float], second: list[float]) -> None:
    found = mann_whitney(first, second)
    delta = cliffs_delta(first, second)
    assert found is not None
    assert delta is not None
    u, p = found
    assert 2 * u / (len(first) * len(second)) - 1 == pytest.approx(delta)
    assert 0 <= p <= 1


def test_mann_whitney_of_a_textbook() -> None:
    # Exact two-sided p of two groups of 4 that do not overlap: 2 of choose(8, 4) = 70 orders.
    assert mann_whitney([5, 6, 7, 8], [1, 2, 3, 4]) == pytest.approx((16, 2 / 70))
    assert mann_whitney([1, 1], [1, 1, 1]) == (3.0, 1.0)
    assert mann_whitney([], [1]) is None


def test_hedges_g_by_hand() -> None:
    # Means 4 and 2, both variances 1, 4 degrees of freedom: d = 2; Hedges (1981) gives
    # c(4) = Γ(2) / (√2 Γ(1.5)) = 0.7979.
    assert hedges_g([3, 4, 5], [1, 2, 3]) == pytest.approx(2 * 0.79788, abs=1e-4)
    assert hedges_g([1], [1, 2]) is None
    assert hedges_g([1, 1], [2, 2]) is None


def test_hedges_g_is_near_its_usual_approximation() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(1, 2, 93), rng.normal(0, 2, 29)
    pooled = math.sqrt((92 * one.var(ddof=1) + 28 * other.var(ddof=1)) / 120)
    approximate = (one.mean() - other.mean()) / pooled * (1 - 3 / (4 * 120 - 1))
    found = hedges_g(one, other)
    assert found == pytest.approx(approximate, rel=1e-4)
    back = hedges_g(other, one)
    assert back == pytest.approx(-approximate, rel=1e-4)
    assert hedges_g(one * 7 + 3, other * 7 + 3) == pytest.approx(found)


def test_corrections_of_a_textbook() -> None:
    p_values = [0.01, 0.04, 0.03, 0.005]
    # Holm: .005 x 4, .01 x 3, .03 x 2, then .04 x 1, which must not fall below the one before.
    assert holm(p_values) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # Benjamini and Hochberg: .005 x 4/1, .01 x 4/2, .03 x 4/3, .04 x 4/4.
    assert benjamini_hochberg(p_values) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert holm([]).size == 0
    assert benjamini_hochberg([]).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_laws_of_corrections(p_values: list[float]) -> None:
    given_ = np.array(p_values)
    strict, loose = holm(given_), benjamini_hochberg(given_)
    order = np.argsort(given_, kind="stable")
    for corrected in (strict, loose):
        assert (corrected >= given_ - 1e-15).all()
        assert (corrected <= 1).all()
        assert (np.diff(corrected[order]) >= -1e-15).all()
    assert (strict >= loose - 1e-12).all()
    assert (strict <= np.minimum(1, given_ * given_.size) + 1e-15).all()
    assert loose == pytest.approx(stats.false_discovery_control(given_))


def test_means_of_what_is_known() -> None:
    table = np.array([[1.0, NAN], [3.0, NAN]])
    assert mean_known(table, axis=0).tolist()[0] == 2
    assert np.isnan(mean_known(table, axis=0)[1])
    assert float(mean_known(table)) == 2
