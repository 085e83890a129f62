"""ROC AUC, average precision and curves, with scikit-learn as the oracle, ties included."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.metrics import (
    average_precision_score,
    precision_recall_curve,
    ranking,
    roc_auc_score,
    roc_curve,
)

ITEMS = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=1, max_size=30)


def test_the_examples_hold() -> None:
    assert doctest.testmod(ranking).failed == 0


@pytest.mark.parametrize("levels", [3, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_all_equal_scikit_learn(seed: int, levels: int) -> None:
    from sklearn import metrics

    rng = np.random.default_rng(seed)
    gold, scores = rng.integers(0, 2, 300), rng.integers(0, levels, 300) / levels
    assert float(roc_auc_score(gold, scores)) == pytest.approx(metrics.roc_auc_score(gold, scores))
    assert float(average_precision_score(gold, scores)) == pytest.approx(
        metrics.average_precision_score(gold, scores)
    )
    curve = roc_curve(gold, scores)
    x, y, thresholds = metrics.roc_curve(gold, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve.x, x)
    np.testing.assert_allclose(curve.y, y)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    curve = precision_recall_curve(gold, scores)
    precision, recall, thresholds = metrics.precision_recall_curve(gold, scores)
    # scikit-learn starts at the lowest threshold, and adds a point without one at the end.
    np.testing.assert_allclose(curve.y[::-1], precision[:-1])
    np.testing.assert_allclose(curve.x[::-1], recall[:-1])
    np.testing.assert_array_equal(curve.thresholds[::-1], thresholds)


@settings(max_examples=100)
@given(ITEMS)
def test_auc_is_the_share_of_won_pairs(items: list[tuple[bool, int]]) -> None:
    """Mann and Whitney 1947, counted pair by pair."""
    wins = [
        1.0 if high > low else 0.5 if high == low else 0.0
        for positive, high in items
        for negative, low in items
        if positive and not negative
    ]
    gold, scores = zip(*items, strict=True)
    answer = roc_auc_score(gold, scores)
    if wins:
        assert float(answer) == pytest.approx(sum(wins) / len(wins))
        reverse = roc_auc_score(gold, [-score for score in scores])
        assert float(answer) + float(reverse) == pytest.approx(1)
    else:
        assert answer.value is None


def test_one_class_is_explained() -> None:
    assert roc_auc_score([1, 1], [0.1, 0.2]).reason == (
        "all 2 gold answers are positive; both classes are needed"
    )
    assert average_precision_score([0, 0], [0.1, 0.2]).value is None
    assert average_precision_score([1, 1], [0.1, 0.2]).value == 1
    assert roc_auc_score([], []).reason == "there are no items"
    with pytest.raises(InputError, match="ROC curve is undefined: all 1 gold answers are negative"):
        roc_curve([0], [1])
    with pytest.raises(InputError, match="precision-recall curve is undefined"):
        precision_recall_curve([0], [1])


@pytest.mark.parametrize(
    ("gold", "scores", "message"),
    [
        ([1, 0], [0.5], "two lists of the same length"),
        ([1, 0], [0.5, float("nan")], "NaN in place of 1 score"),
        ([1, 3], [0.5, 0.2], "other than 0 and 1"),
    ],
)
def test_wrong_input_is_refused(gold: list[int], scores: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        roc_auc_score(gold, scores)
