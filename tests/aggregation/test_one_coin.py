from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tactful.aggregation import fit_one_coin, majority_vote
from tactful.aggregation.one_coin import _share


def brute_force(votes: list[tuple[int, int, int]], labels: int, iterations: int) -> Any:
    """Run the EM of the model with loops, with a smoothing of 0.01 and a competence of 2."""
    size, people = (1 + max(vote[at] for vote in votes) for at in (0, 1))
    posterior = np.zeros((size, labels))
    for item, _, label in votes:
        posterior[item, label] += 1
    posterior /= posterior.sum(axis=1, keepdims=True)
    for _ in range(iterations):
        prior = (posterior.sum(axis=0) + 0.01) / (size + 0.01 * labels)
        right, number = np.full(people, 2.01), np.full(people, 2.02)
        for item, annotator, label in votes:
            right[annotator] += posterior[item, label]
            number[annotator] += 1
        accuracy = right / number
        posterior = np.tile(prior, (size, 1))
        for item, annotator, label in votes:
            for truth in range(labels):
                p = accuracy[annotator]
                posterior[item, truth] *= p if truth == label else (1 - p) / (labels - 1)
        posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, accuracy


@pytest.mark.parametrize("labels", [2, 3])
def test_it_equals_the_loops(labels: int) -> None:
    rng = np.random.default_rng(labels)
    votes = [(i, a, int(rng.integers(labels))) for i in range(6) for a in range(4)]
    rows = [(f"i{i}", f"a{a}", str(label)) for i, a, label in votes]
    fit = fit_one_coin(rows, smoothing=0.01, competence=2, iterations=9, tolerance=0)
    posterior, accuracy = brute_force(votes, labels, 9)
    np.testing.assert_allclose(np.asarray(fit.posteriors), posterior, atol=1e-9)
    np.testing.assert_allclose(fit.accuracy, accuracy, atol=1e-9)


@pytest.mark.parametrize("labels", [2, 5])
def test_it_finds_truth_and_skill(planted: Callable[..., Any], labels: int) -> None:
    data = planted(labels=labels)
    fit = fit_one_coin(data.ratings)
    vote = majority_vote(data.ratings, ties="first")
    assert data.right(fit.labels) > data.right(vote.labels) + 0.03
    assert np.abs(fit.accuracy - data.accuracy).max() < 0.1
    assert (np.diff(fit.objective) >= -1e-8 * abs(fit.objective[-1])).all()


def test_gold_moves_the_answer(planted: Callable[..., Any]) -> None:
    data = planted(items=400, annotators=10, accuracy=[0.9] * 3 + [0.2] * 7)
    assert data.right(fit_one_coin(data.ratings).labels) < 0.2
    assert data.right(fit_one_coin(data.ratings, gold=data.gold(60)).labels) > 0.9


def test_who_was_never_compared_is_right_half_of_the_time() -> None:
    right, wrong = np.array([0.0, 3.0]), np.array([0.0, 1.0])
    np.testing.assert_array_equal(_share(right, wrong), [0.5, 0.75])
