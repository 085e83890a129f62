"""The quick model, the four strategies, and the learning curve."""

import numpy as np
import pytest

from tactful.annotation.learning.curve import learning_curve
from tactful.annotation.learning.order import choose, farthest
from tactful.annotation.learning.quick import Floats, fit_quick, is_learnable
from tactful.annotation.protocol.changes import RANK_BY


def line(*places: float) -> Floats:
    return np.array(places, dtype=np.float64)[:, None]


def column(*shares: float) -> Floats:
    return np.array(shares, dtype=np.float64)[:, None]


LABELLED, SHARES = line(-2, -1.5, 1.5, 2), column(0, 0, 1, 1)


def test_the_quick_model_learns_and_balances() -> None:
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(-1, 0.5, (95, 3)), rng.normal(1, 0.5, (5, 3))])
    model = fit_quick(vectors, column(*[0.0] * 95, *[1.0] * 5))
    said = model.predict(vectors)[:, 0] >= 0.5
    assert said[95:].all(), "few texts say yes, and weigh as much"
    assert said[:95].mean() < 0.05


def test_disagreement_pulls_the_model_to_the_middle() -> None:
    sure = fit_quick(LABELLED, SHARES).predict(line(2))[0, 0]
    split = fit_quick(LABELLED, column(0, 0, 1, 0.5)).predict(line(2))[0, 0]
    assert split < sure


def test_what_cannot_be_learnt_is_one_half() -> None:
    shares = np.array([[0.0, np.nan], [0.0, np.nan], [0.0, 1.0], [0.0, 1.0]])
    assert fit_quick(LABELLED, shares).predict(line(9)).tolist() == [[0.5, 0.5]]
    assert not is_learnable(shares[:, 0])
    assert is_learnable(SHARES[:, 0], 2)
    assert not is_learnable(SHARES[:, 0], 3)


def test_uncertainty_prefers_the_middle() -> None:
    found = choose("uncertainty", LABELLED, SHARES, line(-3, 0.1, 3, -1), 3)
    assert found.tolist() == [1, 3, 0] or found.tolist() == [1, 3, 2]


def test_people_who_disagree_come_first() -> None:
    given = column(np.nan, 0.0, 0.5, np.nan)
    found = choose("disagreement", LABELLED, SHARES, line(-3, -2, 3, 2), 1, given=given)
    assert found.tolist() == [2]


def test_diversity_avoids_what_is_known_and_chosen() -> None:
    candidates = line(0, 10, 10.1, -8, 1)
    found = choose("diversity", line(0.0), column(0), candidates, 3)
    assert found.tolist() == [2, 3, 4]
    assert farthest(line(), candidates, np.array([1, 2]), 9).tolist() == [1, 2]


@pytest.mark.parametrize("by", RANK_BY)
@pytest.mark.parametrize("count", [0, 1, 120, 500])
def test_each_item_is_chosen_once(by: str, count: int) -> None:
    rng = np.random.default_rng(3)
    found = choose(by, LABELLED, SHARES, rng.normal(0, 1, (130, 1)), count)  # type: ignore[arg-type]
    assert len(found) == len(set(found.tolist())) == min(count, 130)


def test_the_curve_rises_with_labels_and_ends_at_all_of_them() -> None:
    rng = np.random.default_rng(1)
    gold = rng.random(400) < 0.3
    vectors = rng.normal(0, 1, (400, 40)) + gold[:, None] * 0.45
    points = learning_curve(vectors, column(*gold.astype(float)))
    assert [point.labels for point in points][-1] == 400
    assert points[-1].score > points[0].score + 0.1
    assert all(point.low <= point.score <= point.high for point in points)
    assert learning_curve(vectors, column(*gold.astype(float))) == points


def test_too_few_labels_have_no_curve() -> None:
    assert learning_curve(LABELLED, SHARES) == []
