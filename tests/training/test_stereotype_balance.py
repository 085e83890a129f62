"""Balancing (I2C; DETESTS 2022, section 5.2), soft targets, and sums of learners."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from tactful.errors import UsageError
from tactful_lab.training.stereotypes.linear import (
    METHODS,
    Sum,
    fit_sum,
    mean_sum,
    over_sampled,
    under_bags,
)

LABELS = np.array([True] * 4 + [False] * 10)


def test_bags_hold_all_of_the_rare_and_as_many_of_the_rest() -> None:
    bags = under_bags(LABELS, 3, seed=1)
    for bag in bags:
        assert set(bag) == {0.0, 1.0}
        assert bag[:4].sum() == bag[4:].sum() == 4
    # Drawn without replacement: three bags of four go through all ten.
    assert (np.sum(bags, axis=0)[4:] >= 1).all()
    assert [bag.tolist() for bag in under_bags(LABELS, 3, 1)] == [bag.tolist() for bag in bags]
    assert np.any(under_bags(LABELS, 3, 2)[0] != bags[0])


def test_a_majority_of_yes_is_thinned_too() -> None:
    bag = under_bags(~LABELS, 1, 1)[0]
    assert bag[:4].sum() == bag[4:].sum() == 4


def test_over_sampling_draws_the_rare_until_both_are_equal() -> None:
    weights = over_sampled(LABELS, 1)
    assert weights[:4].sum() == weights[4:].sum() == 10
    assert (weights >= 1).all()
    assert weights.tolist() == over_sampled(LABELS, 1).tolist()


@pytest.mark.parametrize("labels", [np.ones(3, dtype=bool), np.zeros(3, dtype=bool)])
def test_one_side_alone_cannot_be_balanced(labels: np.ndarray) -> None:
    with pytest.raises(UsageError, match="expected some of each"):
        under_bags(labels, 2, 1)


def rows(seed: int = 1) -> tuple[csr_array, np.ndarray]:
    rng = np.random.default_rng(seed)
    targets = (np.arange(60) % 4 == 0).astype(float)
    table = np.abs(rng.normal(size=(60, 5))) * 0.3
    table[:, 0] += targets
    return csr_array(table), targets


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("balance", [None, "under-bagging", "over-sampling"])
def test_every_learner_finds_the_sign(method: str, balance: str | None) -> None:
    table, targets = rows()
    learnt = fit_sum(table, targets, method=method, balance=balance)
    found = learnt.decision(table)
    assert found[targets == 1].mean() > found[targets == 0].mean() + 1
    assert np.array_equal(learnt.weights, fit_sum(table, targets, method=method, balance=balance).weights)  # fmt: skip  # noqa: E501


def test_balancing_moves_the_border_towards_the_rare() -> None:
    table, targets = rows()
    plain, bags = (fit_sum(table, targets, balance=each) for each in (None, "under-bagging"))
    assert bags.decision(table).mean() > plain.decision(table).mean()


def test_a_soft_target_is_a_yes_by_its_share() -> None:
    """Without features the odds are those of the shares: 0.7 of 1 and 0.3 of 1 make even odds."""
    empty = csr_array((4, 1))
    learnt = fit_sum(empty, np.array([0.7, 0.3, 1.0, 0.0]), c=1e4)
    assert learnt.decision(empty) == pytest.approx(np.zeros(4), abs=1e-6)
    surer = fit_sum(empty, np.array([0.9, 0.8, 0.9, 0.2]), c=1e4)
    assert surer.decision(empty)[0] == pytest.approx(np.log(2.8 / 1.2), abs=1e-2)


def test_one_class_only_is_a_constant_and_a_mean_is_a_sum() -> None:
    table, _ = rows()
    sure = fit_sum(table, np.zeros(60))
    assert not sure.weights.any()
    assert sure.intercept < -4
    mean = mean_sum([Sum(np.array([1.0]), 1.0), Sum(np.array([3.0]), 0.0)])
    assert (mean.weights.tolist(), mean.intercept) == ([2.0], 0.5)
    with pytest.raises(UsageError, match="expected logistic, svc"):
        fit_sum(table, np.zeros(60), method="forest")
    with pytest.raises(UsageError, match="expected under-bagging"):
        fit_sum(table, rows()[1], balance="smote")
