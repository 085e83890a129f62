"""Risk at each coverage, the area under it, and the coverage that conformal sets guarantee."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import InputError, UsageError
from tactful.metrics import aurc_loss, fit_conformal, risk_coverage_curve

ITEMS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 10).map(lambda n: n / 10)), min_size=1, max_size=30
)


def test_the_curve_ends_with_the_errors_of_all_items() -> None:
    curve = risk_coverage_curve([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])
    assert curve.x.tolist() == [0.5, 0.75, 1.0]
    assert curve.y == pytest.approx([0, 1 / 3, 1 / 4])


@given(ITEMS)
def test_the_area_is_the_mean_over_all_orders_of_equal_confidence(
    items: list[tuple[int, float]],
) -> None:
    gold, scores = map(list, zip(*items, strict=True))
    rng = np.random.default_rng(1)
    confidence = np.abs(np.array(scores) - 0.5)
    wrong = (np.array(scores) >= 0.5) != np.array(gold, dtype=bool)
    areas = []
    for _ in range(300):
        order = np.lexsort((rng.random(len(gold)), -confidence.round(6)))
        risks = np.cumsum(wrong[order]) / np.arange(1, len(gold) + 1)
        areas.append(risks.mean())
    found = aurc_loss(gold, scores)
    assert found.value == pytest.approx(np.mean(areas), abs=0.06)
    assert 0 <= found.parts["excess"].value <= found.value  # type: ignore[operator]


def test_ranking_every_error_last_leaves_no_excess() -> None:
    found = aurc_loss([1, 1, 0, 0, 1], [0.99, 0.95, 0.1, 0.2, 0.45])
    assert found.parts["excess"].value == 0
    assert found.value == pytest.approx(1 / 25)


@pytest.mark.parametrize("error", [0.05, 0.2])
def test_conformal_sets_hold_the_true_answer_as_often_as_they_say(error: float) -> None:
    """Also for probabilities that are badly calibrated; the mean is over draws of both parts."""
    rng = np.random.default_rng(3)
    held: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(300):
        gold = (rng.random(400) < 0.3).astype(int)
        scores = np.clip(0.2 + 0.3 * gold + rng.normal(0, 0.2, 400), 0, 1)
        sets = fit_conformal(gold[:200], scores[:200], error=error)
        later = scores[200:]
        for answer, kept in ((0, sets.no(later)), (1, sets.yes(later))):
            held[answer].append(float(kept[gold[200:] == answer].mean()))
    for answer in (0, 1):
        assert 1 - error - 0.01 < np.mean(held[answer]) < 1 - error + 0.03


def test_too_few_items_rule_nothing_out() -> None:
    sets = fit_conformal([0, 1], [0.1, 0.9], error=0.1)
    assert sets.unsure([0.0, 0.5, 1.0]).all()
    assert sets.items == (1, 1)


@pytest.mark.parametrize("error", [0, 1, -0.1])
def test_an_error_that_is_no_share_is_refused(error: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        fit_conformal([0, 1], [0.1, 0.9], error=error)


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(InputError, match="outside 0 to 1"):
        fit_conformal([0, 1], [0.1, 1.9])
    with pytest.raises(InputError, match="outside 0 to 1"):
        aurc_loss([0, 1], [0.1, -0.9])
    with pytest.raises(UsageError, match="threshold"):
        risk_coverage_curve([0, 1], [0.1, 0.9], threshold=1)
