"""MACE, Hovy et al. 2013: competence, habits, and a bound that never falls."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import digamma

from tactful.aggregation import fit_mace, majority_vote
from tactful.errors import UsageError
from tactful.ratings import Ratings


def test_it_finds_truth_and_spammers(planted: Callable[..., Any]) -> None:
    data = planted(labels=3)
    fit = fit_mace(data.ratings, restarts=3)
    vote = majority_vote(data.ratings, ties="first")
    assert data.right(fit.labels) > data.right(vote.labels) + 0.03
    assert np.corrcoef(fit.competence, data.accuracy)[0, 1] > 0.9
    np.testing.assert_allclose(fit.habits.sum(axis=1), 1)


def test_a_spammer_who_always_says_the_same_is_found(planted: Callable[..., Any]) -> None:
    data = planted(items=600, annotators=8, accuracy=[0.9] * 8)
    ratings = data.ratings
    label = np.where(ratings.annotator == 7, 1, ratings.label)
    fit = fit_mace(
        Ratings(
            ratings.items, ratings.annotators, ratings.labels, ratings.item, ratings.annotator,
            label,
        )
    )  # fmt: skip
    assert fit.competence[7] < 0.1
    assert fit.competence[:7].min() > 0.6
    assert fit.habits[7, 1] > 0.9


def test_the_bound_never_falls_and_the_best_start_is_kept(planted: Callable[..., Any]) -> None:
    fit = fit_mace(planted(items=300).ratings, restarts=4, seed=2)
    assert (np.diff(fit.bound) >= -1e-8 * abs(fit.bound[-1])).all()
    assert fit.bound[-1] == max(fit.starts)
    assert len(fit.starts) == 4


def test_two_steps_equal_the_loops() -> None:
    """The variational updates written out over judgements and whether each was spam."""
    votes = [(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 1), (1, 1, 1), (1, 2, 1), (2, 0, 0), (2, 2, 1)]
    rows = [(f"i{i}", f"a{a}", str(label)) for i, a, label in votes]
    paper: dict[str, Any] = {"knowing": 0.5, "spamming": 0.5, "smoothing": None}
    fit = fit_mace(rows, restarts=1, iterations=3, tolerance=0, **paper)
    posterior = np.array([[2 / 3, 1 / 3], [0, 1], [0.5, 0.5]])
    good_weight, spam_weight = np.full(3, 0.5), np.full((3, 2), 0.25)
    for _ in range(3):
        good, habit = np.full(3, 0.5), np.full((3, 2), 10.0)
        spam = np.full(3, 0.5)
        for (item, who, label), truth in itertools.product(votes, range(2)):
            knows = good_weight[who] if truth == label else 0.0
            share = knows / (knows + spam_weight[who, label])
            good[who] += posterior[item, truth] * share
            spam[who] += posterior[item, truth] * (1 - share)
            habit[who, label] += posterior[item, truth] * (1 - share)
        good_weight = np.exp(digamma(good) - digamma(good + spam))
        for who in range(3):
            strategy = digamma(habit[who]) - digamma(habit[who].sum())
            chance = digamma(spam[who]) - digamma(good[who] + spam[who])
            spam_weight[who] = np.exp(chance + strategy)
        posterior = np.full((3, 2), 0.5)
        for (item, who, label), truth in itertools.product(votes, range(2)):
            weight = spam_weight[who, label] + (good_weight[who] if truth == label else 0.0)
            posterior[item, truth] *= weight
        posterior /= posterior.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.asarray(fit.posteriors), posterior, atol=1e-12)
    np.testing.assert_allclose(fit.competence, good / (good + spam), atol=1e-12)


def test_gold_moves_the_answer() -> None:
    rows = [(f"i{i}", f"a{a}", "1" if a < 3 else "0") for i in range(20) for a in range(5)]
    assert set(fit_mace(rows).labels) == {"1"}
    # Where the two others are known to be right, they are believed on the rest, too.
    fit = fit_mace(rows, gold={f"i{i}": "0" for i in range(15)})
    assert set(fit.labels) == {"0"}


def test_uneven_labels_are_learnt() -> None:
    """One label in five is 1: with even labels, who often says 0 is taken for a spammer."""
    rng = np.random.default_rng(7)
    items, people, each = 2_000, 40, 5
    truth = (rng.random(items) < 0.2).astype(int)
    accuracy = rng.beta(8, 2, people)
    rows = [
        (f"i{item:04}", f"a{who:02}", str(label if rng.random() < accuracy[who] else 1 - label))
        for item, label in enumerate(truth)
        for who in rng.choice(people, each, replace=False)
    ]
    learnt, even = fit_mace(rows, restarts=2), fit_mace(rows, restarts=2, smoothing=None)
    right = [
        np.mean([fit.label_of()[f"i{at:04}"] == str(label) for at, label in enumerate(truth)])
        for fit in (learnt, even)
    ]
    assert right[0] > right[1] + 0.01
    planted = accuracy[[int(name[1:]) for name in learnt.annotators]]
    assert np.corrcoef(learnt.competence, planted)[0, 1] > 0.9


@pytest.mark.parametrize("name", ["knowing", "spamming", "smoothing"])
def test_a_prior_of_nothing_is_refused(name: str) -> None:
    options: dict[str, Any] = {name: 0.0}
    with pytest.raises(UsageError, match=f"Found {name}=0; expected a number above 0"):
        fit_mace([("i", "a", "x")], **options)


def test_no_start_is_refused() -> None:
    with pytest.raises(UsageError, match="0 restarts"):
        fit_mace([("i", "a", "x")], restarts=0)
