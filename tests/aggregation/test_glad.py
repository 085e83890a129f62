"""GLAD, Whitehill et al. 2009: ability and difficulty."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad

from tactful.aggregation import fit_glad, majority_vote
from tactful.aggregation.glad import _Model
from tactful.aggregation.judgements import judged
from tactful.ratings import Ratings


@pytest.mark.parametrize("labels", [2, 4])
def test_it_finds_truth_and_ability(planted: Callable[..., Any], labels: int) -> None:
    data = planted(items=800, labels=labels)
    fit = fit_glad(data.ratings)
    vote = majority_vote(data.ratings, ties="first")
    assert data.right(fit.labels) > data.right(vote.labels) + 0.02
    assert np.corrcoef(fit.ability, data.accuracy)[0, 1] > 0.85
    assert (np.diff(fit.objective) >= -1e-8 * abs(fit.objective[-1])).all()


def test_it_finds_difficult_items() -> None:
    """Half of the items are answered by chance."""
    rng = np.random.default_rng(3)
    item, annotator = np.repeat(np.arange(200), 12), np.tile(np.arange(12), 200)
    truth = rng.integers(0, 2, 200)
    right = rng.random(item.size) < np.where(item < 100, 0.95, 0.55)
    label = np.where(right, truth[item], 1 - truth[item])
    names = tuple(map(str, range(200)))
    people = tuple(map(str, range(12)))
    fit = fit_glad(Ratings(names, people, ("0", "1"), item, annotator, label))
    assert np.median(fit.difficulty[100:]) > 3 * np.median(fit.difficulty[:100])
    assert (fit.difficulty > 0).all()


def test_posteriors_are_those_of_the_formula(planted: Callable[..., Any]) -> None:
    data = planted(items=20, annotators=6, labels=3)
    fit = fit_glad(data.ratings, iterations=4, tolerance=0)
    expected = np.zeros((20, 3))
    for item, who, label in zip(
        data.ratings.item, data.ratings.annotator, data.ratings.label, strict=True
    ):
        right = 1 / (1 + np.exp(-fit.ability[who] / fit.difficulty[item]))
        expected[item] += np.log([right if at == label else (1 - right) / 2 for at in range(3)])
    expected = np.exp(expected)
    expected /= expected.sum(axis=1, keepdims=True)
    assert np.abs(np.asarray(fit.posteriors) - expected).max() < 1e-9


def test_the_gradient_is_that_of_the_loss(
    planted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = judged(planted(items=8, annotators=6, labels=3).ratings)
    model = _Model(data)
    seen: list[Any] = []

    def capture(loss: Any, start: Any, **_: Any) -> Any:
        seen.append(loss)
        raise StopIteration

    monkeypatch.setattr("scipy.optimize.minimize", capture)
    posteriors = np.full((8, 3), 1 / 3)
    with pytest.raises(StopIteration):
        model.maximise(posteriors, np.ones(model.size), 1)
    at = np.random.default_rng(0).normal(1, 0.5, model.size)

    def value(x: Any) -> Any:
        return seen[0](x)[0]

    def slope(x: Any) -> Any:
        return seen[0](x)[1]

    assert check_grad(value, slope, at) < 1e-5


def test_gold_moves_the_answer(planted: Callable[..., Any]) -> None:
    data = planted(items=300, annotators=10, accuracy=[0.9] * 3 + [0.2] * 7)
    assert data.right(fit_glad(data.ratings).labels) < 0.2
    assert data.right(fit_glad(data.ratings, gold=data.gold(150)).labels) > 0.9


def test_an_item_that_nobody_judged_has_no_difficulty() -> None:
    fit = fit_glad([("i", "a", "x"), ("j", "a", None)])
    assert np.isnan(fit.difficulty).tolist() == [False, True]
