"""Bootstrap samples and permutation tests: against brute force, theory, and laws."""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tactful.resampling import (
    divide,
    draw_counts,
    draw_items,
    draw_kind_counts,
    percentile_interval,
    permutation_test,
    resampled_means,
    sign_flip_test,
)

SHARES = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=1, max_size=12)
NAN = math.nan
VALUES = st.lists(st.integers(0, 20).map(lambda x: x / 20), min_size=2, max_size=9)


def test_few_conditions_are_dealt_out_in_all_ways() -> None:
    one, other = [0.9, 0.7, 0.8, 0.4], [0.3, 0.5, 0.2, 0.6, 0.45]
    both = np.array([*one, *other])
    seen = abs(np.mean(one) - np.mean(other))
    extreme = []
    for chosen in combinations(range(9), 4):
        rest = [index for index in range(9) if index not in chosen]
        extreme.append(abs(both[list(chosen)].mean() - both[rest].mean()) >= seen - 1e-12)
    found = permutation_test(one, other)
    assert found is not None
    assert found.p_value == pytest.approx(np.mean(extreme))
    assert found.smallest_p == pytest.approx(1 / math.comb(9, 4))


def test_many_conditions_are_dealt_out_at_random() -> None:
    rng = np.random.default_rng(8)
    one, other = rng.normal(0.5, 1, 40), rng.normal(0, 1, 30)
    found = permutation_test(one, other, repetitions=20_000, seed=3)
    reference = stats.permutation_test(
        (one, other), lambda a, b: np.mean(a) - np.mean(b), n_resamples=20_000, random_state=5
    )
    assert found is not None
    assert found.p_value == pytest.approx(reference.pvalue, abs=0.006)
    assert found.smallest_p == 1 / 20_001
    assert permutation_test(one, other, seed=1) == permutation_test(one, other, seed=1)


def test_the_permutation_p_is_never_0_and_is_1_where_nothing_differs() -> None:
    apart = permutation_test(np.ones(30), np.zeros(30), repetitions=99)
    assert apart is not None
    assert apart.p_value == 1 / 100
    same = permutation_test([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])
    assert same is not None
    assert same.p_value == 1
    assert permutation_test([], [1.0]) is None


@pytest.mark.parametrize(
    ("first", "second", "smallest"),
    [
        # choose(6, 2) = 15 ways, and no other way is as extreme as the observed one.
        (4, 2, 1 / 15),
        # The two groups can change places: 2 of choose(6, 3) = 20.
        (3, 3, 2 / 20),
        (2, 2, 2 / 6),
        (1, 20, 1 / 21),
    ],
)
def test_the_smallest_p_of_few_conditions(first: int, second: int, smallest: float) -> None:
    found = permutation_test(np.arange(10, 10 + first), np.arange(second) * 0.1)
    assert found is not None
    assert found.smallest_p == pytest.approx(smallest)
    assert found.p_value == pytest.approx(smallest)
    assert (found.low is None) == (smallest >= 0.05)


@given(VALUES, VALUES, st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=200)
def test_the_interval_leaves_out_0_where_the_test_finds_a_difference(
    first: list[float], second: list[float], level: float
) -> None:
    """A confidence interval is the shifts that the test does not reject (test inversion)."""
    found = permutation_test(first, second, level=level, repetitions=300)
    assert found is not None
    alpha = round(1 - level, 12)
    if found.low is None or found.high is None:
        assert found.smallest_p >= alpha
        assert found.p_value >= alpha
        return
    difference = np.mean(first) - np.mean(second)
    assert found.low - 1e-9 <= difference <= found.high + 1e-9
    assert (found.low > 0 or found.high < 0) == (found.p_value < alpha)


def test_the_interval_is_the_shifts_that_the_test_does_not_reject() -> None:
    one, other = np.array([0.9, 0.7, 0.8, 0.4, 0.65]), np.array([0.3, 0.5, 0.2, 0.6, 0.45])
    found = permutation_test(one, other)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    for shift, inside in (
        (found.low - 1e-6, False), (found.low + 1e-6, True),
        (found.high - 1e-6, True), (found.high + 1e-6, False),
    ):  # fmt: skip
        moved = permutation_test(one - shift, other)
        assert moved is not None
        assert (moved.p_value >= 0.05) == inside


def test_exact_sign_flips_are_all_of_them() -> None:
    numbers = np.array([0.3, -0.1, 0.25, 0.4, -0.05, 0.2, 0.1])
    seen = abs(numbers.sum())
    brute = np.mean(
        [abs(np.dot(signs, numbers)) >= seen - 1e-12 for signs in product((-1, 1), repeat=7)]
    )
    found = sign_flip_test(numbers)
    assert found is not None
    assert found.p_value == pytest.approx(brute)
    assert found.smallest_p == 2 / 128
    # Six numbers of one sign: only two of 64 ways are as extreme.
    same = sign_flip_test([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, NAN])
    assert same is not None
    assert (same.p_value, same.smallest_p) == (2 / 64, 2 / 64)
    none = sign_flip_test([0.0] * 6)
    assert none is not None
    assert (none.p_value, none.low, none.high) == (1, 0, 0)
    assert sign_flip_test([NAN]) is None


def test_sign_flips_by_chance_are_near_the_exact_ones() -> None:
    numbers = np.random.default_rng(4).normal(0.2, 1, 16)
    signs = np.array(list(product((-1, 1), repeat=16)))
    exact = np.mean(np.abs(signs @ numbers) >= abs(numbers.sum()) - 1e-12)
    found = sign_flip_test(numbers, repetitions=20_000)
    assert found is not None
    assert found.p_value == pytest.approx(exact, abs=0.012)
    assert found.smallest_p == pytest.approx(1 / 20_001)


@given(st.lists(st.integers(-20, 20).map(lambda x: x / 20), min_size=1, max_size=9),
       st.sampled_from([0.8, 0.9, 0.95]))  # fmt: skip
def test_the_interval_of_a_mean_leaves_out_0_where_signs_find_it(
    numbers: list[float], level: float
) -> None:
    found = sign_flip_test(numbers, level=level)
    back = sign_flip_test([-number for number in numbers], level=level)
    assert found is not None
    assert back is not None
    assert found.p_value == back.p_value
    alpha = round(1 - level, 12)
    if found.low is None or found.high is None:
        assert found.smallest_p >= alpha
        return
    assert back.low == pytest.approx(-found.high)
    assert found.low - 1e-9 <= np.mean(numbers) <= found.high + 1e-9
    assert (found.low > 0 or found.high < 0) == (found.p_value < alpha)


def test_draws_have_the_size_of_the_sample() -> None:
    counts = np.concatenate(list(draw_counts(7, 500, np.random.default_rng(0))))
    assert counts.shape == (500, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean() == 1
    # A cell is drawn Binomial(7, 1/7) times: the variance is 6/7.
    assert counts.var() == pytest.approx(6 / 7, abs=0.06)


def test_resampled_means_are_those_of_the_drawn_items() -> None:
    values = np.array([[0.2, 1.0], [0.4, NAN], [0.9, 3.0]])
    found = resampled_means(values, repetitions=200, seed=3)
    for chosen, means in zip(*_drawn(3, 200, 3), found, strict=True):
        assert means[0] == pytest.approx(values[chosen, 0].mean())
        known = [value for value in values[chosen, 1] if not np.isnan(value)]
        assert means[1] == pytest.approx(np.mean(known) if known else NAN, nan_ok=True)


def _drawn(size: int, repetitions: int, seed: int) -> list[Any]:
    return list(draw_items(size, repetitions, np.random.default_rng(seed)))


def test_no_rows_have_no_means() -> None:
    assert np.isnan(resampled_means(np.empty((0, 2)), repetitions=5, seed=0)).all()


def test_kinds_are_drawn_as_often_as_their_items() -> None:
    counts = np.concatenate(
        list(draw_kind_counts(np.array([6.0, 2.0]), 4_000, np.random.default_rng(0)))
    )
    assert (counts.sum(axis=1) == 8).all()
    assert counts.mean(axis=0) == pytest.approx([6, 2], abs=0.1)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(_drawn(7, 30, 1))
    monkeypatch.setattr("tactful.resampling._CELLS_AT_ONCE", 40)
    assert (np.concatenate(_drawn(7, 30, 1)) == whole).all()


def test_nothing_divided_by_nothing_is_unknown() -> None:
    assert divide(np.array([1.0, 0.0]), np.array([4.0, 0.0])) == pytest.approx(
        [0.25, NAN], nan_ok=True
    )


def test_intervals_are_percentiles() -> None:
    found = percentile_interval(np.arange(101.0), 0.9)
    assert found == pytest.approx((5, 95))
    assert percentile_interval(np.array([NAN]), 0.9) is None


@given(st.floats(0.5, 0.98))
@settings(max_examples=20)
def test_a_higher_level_gives_a_wider_interval(level: float) -> None:
    samples: Any = np.random.default_rng(0).normal(size=500)
    narrow, wide = percentile_interval(samples, level), percentile_interval(samples, level + 0.01)
    assert narrow is not None
    assert wide is not None
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
