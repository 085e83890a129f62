"""Bootstrap and randomisation: exact cases, both paths, and what is undefined."""

from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tactful.errors import InputError
from tactful.metrics import f1_score
from tactful.metrics.result import Measure
from tactful.metrics.significance import (
    Decomposition,
    bootstrap_interval,
    delong_test,
    holm,
    randomisation_test,
)


def accuracy(gold: Any, predicted: Any) -> float:
    return float(np.mean(np.asarray(gold) == np.asarray(predicted)))


def counts(gold: Any, predicted: Any) -> Any:
    return np.stack([gold & predicted, ~gold & predicted, gold & ~predicted], axis=1)


@pytest.fixture
def answers() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    gold = rng.random(120) < 0.4
    return gold, gold ^ (rng.random(120) < 0.1), gold ^ (rng.random(120) < 0.4)


def test_the_interval_of_a_mean_is_that_of_scipy() -> None:
    values = np.random.default_rng(2).normal(3, 2, size=400)
    ours = bootstrap_interval(Decomposition.mean(values), repetitions=4000, seed=1)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(9)
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.high, abs=0.02)
    assert float(ours.measure) == pytest.approx(values.mean())


def test_both_paths_draw_the_same_samples(answers: tuple[Any, Any, Any]) -> None:
    gold, first, _ = answers
    fast = bootstrap_interval(Decomposition.f1(counts(gold, first)), repetitions=200, seed=4)
    general = bootstrap_interval(f1_score, gold, first, repetitions=200, seed=4)
    assert (fast.low, fast.high) == pytest.approx((general.low, general.high), abs=0.03)
    assert float(fast.measure) == pytest.approx(float(general.measure))
    assert general.low is not None
    assert general.high is not None
    assert general.low <= float(general.measure) <= general.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for seed in range(200):
        found = bootstrap_interval(
            Decomposition.mean(rng.random(60)), repetitions=300, level=0.9, seed=seed
        )
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.5 <= found.high
    assert 0.82 <= hits / 200 <= 0.97


def test_the_seed_decides() -> None:
    values = Decomposition.mean(np.arange(30.0))
    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)
    assert bootstrap_interval(values, seed=1).low != bootstrap_interval(values, seed=2).low
    test = randomisation_test((values, Decomposition.mean(np.arange(30.0) % 7)), seed=3)
    again = randomisation_test((values, Decomposition.mean(np.arange(30.0) % 7)), seed=3)
    assert test == again


def test_the_p_value_is_that_of_all_swaps() -> None:
    first = np.array([0.9, 0.8, 0.4, 0.7, 0.6, 0.9, 0.5, 0.8])
    second = np.array([0.5, 0.9, 0.3, 0.2, 0.5, 0.4, 0.5, 0.6])
    gap = first - second
    signs = np.array(list(product([-1, 1], repeat=len(gap))))
    exact = np.mean(np.abs(signs @ gap) >= abs(gap.sum()) - 1e-12)
    found = randomisation_test(
        (Decomposition.mean(first), Decomposition.mean(second)), repetitions=20_000
    )
    assert found.difference == pytest.approx(gap.mean())
    assert found.p_value == pytest.approx(exact, abs=0.01)
    assert stats.permutation_test(
        (first, second), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples"
    ).pvalue == pytest.approx(exact)


def test_fast_and_general_tests_agree(answers: tuple[Any, Any, Any]) -> None:
    gold, first, second = answers
    pair = Decomposition.f1(counts(gold, first)), Decomposition.f1(counts(gold, second))
    fast = randomisation_test(pair, repetitions=400)
    general = randomisation_test(f1_score, gold, first, second, repetitions=400)
    assert fast.p_value is not None
    assert general.p_value is not None
    assert fast.difference == pytest.approx(general.difference)
    assert max(fast.p_value, general.p_value) < 0.02


def test_plain_lists_and_plain_numbers_will_do() -> None:
    gold, first, second = ["a", "b", "a", "b"] * 5, ["a", "b", "a", "a"] * 5, ["b"] * 20
    found = randomisation_test(accuracy, gold, first, second, repetitions=300)
    assert found.difference == pytest.approx(0.25)
    assert found.p_value is not None
    assert 1 / 301 <= found.p_value <= 1
    assert float(bootstrap_interval(accuracy, gold, first, repetitions=50).measure) == 0.75


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_laws(pairs: list[tuple[float, float]]) -> None:
    first, second = (Decomposition.mean(side) for side in zip(*pairs, strict=True))
    found = randomisation_test((first, second), repetitions=99)
    assert found.p_value is not None
    assert found.difference is not None
    assert 0.01 <= found.p_value <= 1
    swapped = randomisation_test((second, first), repetitions=99)
    assert swapped.difference == pytest.approx(-found.difference)
    assert randomisation_test((first, first), repetitions=99).p_value == 1


def test_a_p_value_is_never_nought() -> None:
    first, second = Decomposition.mean(np.ones(50)), Decomposition.mean(np.zeros(50))
    assert randomisation_test((first, second), repetitions=99).p_value == 0.01


def test_the_undefined_is_explained() -> None:
    nothing = bootstrap_interval(f1_score, [0, 0, 0], [0, 0, 0])
    assert nothing.low is None
    assert "neither gold nor prediction" in (nothing.reason or "")
    assert bootstrap_interval(f1_score, [1], [1]).reason == "one item alone does not vary"
    some = bootstrap_interval(f1_score, [1, 0, 0], [1, 0, 0], repetitions=200)
    assert 0 < some.undefined < 200
    assert (some.low, some.high) == (1, 1)
    fast = bootstrap_interval(Decomposition.f1([[1, 0, 0], [0, 0, 0]]), repetitions=200)
    assert 0 < fast.undefined < 200
    calls: list[int] = []

    def odd(gold: Any, predicted: Any) -> Measure | None:
        calls.append(len(gold))
        return Measure("odd", 1.0) if len(calls) == 1 else None

    never = bootstrap_interval(odd, [1, 2], [1, 2], repetitions=5)
    assert (never.undefined, never.reason) == (5, "the measure is undefined in every repetition")
    lone = randomisation_test(f1_score, [0, 0], [0, 0], [1, 0])
    assert lone.p_value is None
    assert "undefined for the first system" in (lone.reason or "")
    partly = bootstrap_interval(Decomposition.mean([1.0, float("nan"), 3.0]))
    assert float(partly.measure) == 2
    empty = Decomposition.f1(np.zeros((0, 3)))
    assert randomisation_test((empty, empty)).p_value is None
    assert bootstrap_interval(empty).low is None


def test_large_data_are_dealt_with_in_blocks() -> None:
    values = np.random.default_rng(1).random(50_000)
    found = bootstrap_interval(Decomposition.mean(values), repetitions=200)
    assert found.low is not None
    assert found.low < values.mean()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_interval(accuracy, [1], [1], repetitions=0), "0 repetitions"),
        (lambda: bootstrap_interval(accuracy, [1], [1], level=1.0), "level 1"),
        (lambda: bootstrap_interval(accuracy), "expected gold and predicted"),
        (lambda: bootstrap_interval(accuracy, [1], [1, 0]), "1 gold and 2 predicted"),
        (
            lambda: randomisation_test((Decomposition.mean([1]), Decomposition.mean([1, 2]))),
            "both systems on the same",
        ),
    ],
)
def test_wrong_calls_are_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_delong_is_the_example_of_a_textbook_computation() -> None:
    """The covariances written out pair by pair, as DeLong et al. 1988 define them."""
    rng = np.random.default_rng(5)
    gold = np.array([1] * 12 + [0] * 15)
    first = gold * 0.8 + rng.normal(size=27).round(1)
    second = gold * 0.3 + rng.normal(size=27).round(1)

    def placements(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pairs = np.array(
            [[(p > n) + 0.5 * (p == n) for n in scores[gold == 0]] for p in scores[gold == 1]]
        )
        return pairs.mean(axis=1), pairs.mean(axis=0)

    (up, down), (up_2, down_2) = placements(first), placements(second)
    s10, s01 = np.cov(up, up_2), np.cov(down, down_2)
    contrast = np.array([1, -1])
    variance = contrast @ (s10 / 12 + s01 / 15) @ contrast
    z = (up.mean() - up_2.mean()) / np.sqrt(variance)
    found = delong_test(gold, first, second)
    assert found.difference == pytest.approx(up.mean() - up_2.mean())
    assert found.p_value == pytest.approx(2 * (1 - NormalDist().cdf(abs(z))))


def test_delong_says_why_it_has_no_answer() -> None:
    assert delong_test([1, 1], [0.1, 0.2], [0.2, 0.1]).p_value is None
    alike = delong_test([1, 0, 1, 0], [4, 3, 2, 1], [8, 6, 4, 2])
    assert (alike.difference, alike.reason) == (0, "both systems rank the items alike")
    few = delong_test([1, 0, 0], [4, 3, 2], [1, 2, 3])
    assert few.reason == "each class needs two items, to see how they vary"


def test_delong_rarely_finds_a_difference_where_there_is_none() -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(400):
        gold = rng.random(80) < 0.4
        scores = gold * 0.7 + rng.normal(size=(2, 80))
        found.append(delong_test(gold, *scores).p_value)
    assert 0.02 < np.mean([p is not None and p < 0.05 for p in found]) < 0.09


def test_holm_is_never_below_the_p_values_and_keeps_their_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([None, 0.9, 0.8]) == [None, 1.0, 1.0]
