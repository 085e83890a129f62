"""Measures of distributions, with scipy as the oracle."""

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tactful.errors import InputError, UsageError
from tactful.metrics import (
    Measure,
    cross_entropy_loss,
    jensen_shannon_distance,
    jensen_shannon_divergence,
    manhattan_distance,
    soft,
)


def distributions(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    gold, predicted = rng.dirichlet(np.ones(4), 50), rng.dirichlet(np.ones(4), 50)
    gold[0], predicted[0] = [1, 0, 0, 0], [0.5, 0.5, 0, 0]
    return gold, predicted


def test_the_examples_hold() -> None:
    assert doctest.testmod(soft).failed == 0


@pytest.mark.parametrize("seed", range(3))
def test_jensen_shannon_equals_scipy(seed: int) -> None:
    from scipy.spatial.distance import jensenshannon

    gold, predicted = distributions(seed)
    theirs = jensenshannon(gold, predicted, base=2, axis=1)
    assert float(jensen_shannon_distance(gold, predicted)) == pytest.approx(theirs.mean())
    assert float(jensen_shannon_divergence(gold, predicted)) == pytest.approx((theirs**2).mean())


def test_cross_entropy_equals_scipy() -> None:
    from scipy.stats import entropy

    gold, predicted = distributions(1)
    answer = cross_entropy_loss(gold, predicted)
    own = entropy(gold, base=2, axis=1)
    assert float(answer.parts["entropy"]) == pytest.approx(own.mean())
    relative = entropy(gold, predicted, base=2, axis=1)
    assert float(answer) == pytest.approx((own + relative).mean())
    natural = cross_entropy_loss(gold, predicted, base=np.e)
    assert float(natural) == pytest.approx(float(answer) * np.log(2))


def test_an_infinite_loss_is_explained() -> None:
    gold, predicted = [[0.5, 0.5], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]
    answer = cross_entropy_loss(gold, predicted)
    assert answer.value is None
    assert answer.reason is not None
    assert answer.reason.startswith("1 of 2 predictions are exactly 0")


def test_smoothing_is_that_of_pyevall() -> None:
    """By hand: zeros become 0.001, rows are normalised again, then - sum g log2 p."""
    one, little = 1 / 1.001, 0.001 / 1.001
    by_hand = -(0.5 * np.log2(one) + 0.5 * np.log2(little))
    answer = cross_entropy_loss([[0.5, 0.5]], [[1.0, 0.0]], smoothing=0.001)
    assert float(answer) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    "function",
    [
        cross_entropy_loss,
        jensen_shannon_divergence,
        jensen_shannon_distance,
        manhattan_distance,
    ],
)
def test_no_items_is_explained(function: Callable[..., Measure]) -> None:
    assert function([], []).reason == "there are no items"


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ([[0.5, 0.4]], "1 gold rows that are not distributions, the first of them row 0"),
        ([[1.5, -0.5]], "not distributions"),
        ([[float("nan"), 1.0]], "not distributions"),
        ([0.5, 0.5], "one row an item"),
        ([[1.0, 0.0], [1.0, 0.0]], "the same items and labels"),
    ],
)
def test_what_is_no_distribution_is_refused(gold: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        manhattan_distance(gold, [[0.5, 0.5]])


def test_wrong_options_are_refused() -> None:
    with pytest.raises(UsageError, match="base=1"):
        cross_entropy_loss([[1.0]], [[1.0]], base=1)
    with pytest.raises(UsageError, match="smoothing=1"):
        cross_entropy_loss([[1.0]], [[1.0]], smoothing=1)
