"""Precision, recall and F, with scikit-learn as the oracle and DETESTS 2022 table 3 as a check."""

import doctest
from typing import Any, cast

import numpy as np
import pytest

from tactful.errors import InputError, UsageError
from tactful.metrics import (
    confusion_counts,
    detection,
    detection_report,
    f1_score,
    f_beta_score,
    macro_f1_score,
    micro_f1_score,
    precision_score,
    recall_score,
)

LABELS = ["a", "b", "c"]


def random_answers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, 200), rng.integers(0, 2, 200)


def as_sets(matrix: np.ndarray) -> list[set[str]]:
    return [{LABELS[i] for i in np.flatnonzero(row)} for row in matrix]


def test_the_examples_hold() -> None:
    assert doctest.testmod(detection).failed == 0


@pytest.mark.parametrize("seed", range(5))
def test_one_class_equals_scikit_learn(seed: int) -> None:
    from sklearn import metrics

    gold, predicted = random_answers(seed)
    assert precision_score(gold, predicted).value == metrics.precision_score(gold, predicted)
    assert recall_score(gold, predicted).value == metrics.recall_score(gold, predicted)
    assert float(f1_score(gold, predicted)) == pytest.approx(metrics.f1_score(gold, predicted))
    assert float(f_beta_score(gold, predicted, beta=0.5)) == pytest.approx(
        metrics.fbeta_score(gold, predicted, beta=0.5)
    )


@pytest.mark.parametrize("seed", range(5))
def test_label_sets_equal_scikit_learn(seed: int) -> None:
    from sklearn.metrics import precision_recall_fscore_support

    rng = np.random.default_rng(seed)
    gold, predicted = rng.integers(0, 2, (100, 3)), rng.integers(0, 2, (100, 3))
    report = detection_report(as_sets(gold), as_sets(predicted), beta=2)
    for average, ours in (("micro", report.micro), ("macro", report.macro)):
        theirs = precision_recall_fscore_support(gold, predicted, beta=2, average=average)
        assert [float(ours.precision), float(ours.recall), float(ours.f)] == pytest.approx(
            theirs[:3]
        )
    each = precision_recall_fscore_support(gold, predicted, beta=2, average=None)
    assert [float(report.labels[label].f) for label in LABELS] == pytest.approx(each[2])


def test_all_ones_of_detests_follows_from_the_positive_rate() -> None:
    """DETESTS 2022, table 3: F of AllOnes is 0.4243 on 1,812 items.

    With everything predicted positive F = 2p / (1 + p), so 488 of 1,812 are stereotypes: 26.9 %,
    near the 24.14 % of the whole corpus, as a stratified test part should be.
    """
    gold = [1] * 488 + [0] * (1812 - 488)
    share = 488 / 1812
    assert round(float(f1_score(gold, [1] * 1812)), 4) == 0.4243
    assert float(f1_score(gold, [1] * 1812)) == pytest.approx(2 * share / (1 + share))


def test_a_share_of_nothing_is_explained() -> None:
    nothing = precision_score([1, 0], [0, 0])
    assert nothing.value is None
    assert nothing.reason == "nothing was predicted positive"
    assert recall_score([0, 0], [1, 0]).reason == "gold has no positive item"
    assert f1_score([0, 0], [0, 0]).value is None
    with pytest.raises(InputError, match="precision is undefined: nothing was predicted positive"):
        float(nothing)


def test_f_is_zero_and_defined_where_gold_and_prediction_never_meet() -> None:
    assert f1_score([1, 0], [0, 0]).value == 0
    assert f1_score([1, 0], [0, 0]).reason is None


def test_a_policy_replaces_what_is_undefined_and_keeps_the_reason() -> None:
    replaced = precision_score([1, 0], [0, 0], undefined=0.0)
    assert (replaced.value, replaced.reason) == (0.0, "nothing was predicted positive")


def test_a_macro_mean_is_undefined_where_one_of_its_labels_is() -> None:
    gold, predicted = [{"a"}, {"a"}], [{"a"}, set()]
    undefined = macro_f1_score(gold, predicted, labels=["a", "b"])
    assert undefined.value is None
    assert undefined.reason == "undefined for b"
    assert macro_f1_score(gold, predicted, labels=["a", "b"], undefined=0.0).value == 1 / 3
    assert micro_f1_score(gold, predicted, labels=["a", "b"]).value == 2 / 3
    assert macro_f1_score([set()], [set()]).reason == "there is no label to take a mean over"


def test_a_hierarchy_counts_the_labels_above() -> None:
    report = detection_report([{"a.b"}], [{"a"}], hierarchy={"a": None, "a.b": "a"})
    assert report.labels["a"].f.value == 1
    assert report.labels["a.b"].f.value == 0


def test_counts_are_those_of_the_table() -> None:
    counts = confusion_counts([1, 1, 1, 0, 0], [True, True, False, True, False])
    assert (counts.true_positives, counts.false_positives) == (2, 1)
    assert (counts.false_negatives, counts.true_negatives, counts.items) == (1, 1, 5)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([1, 0], [1], "2 gold and 1 predicted"),
        ([1, 2], [1, 0], "other than 0 and 1"),
        ([[1]], [[1]], "of shape"),
        ([1, float("nan")], [1, 0], "other than 0 and 1"),
    ],
)
def test_wrong_answers_are_refused(gold: object, predicted: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        f1_score(gold, predicted)  # type: ignore[arg-type]


def test_wrong_sets_are_refused() -> None:
    with pytest.raises(InputError, match="Found the text 'ab' as gold label set of item 0"):
        micro_f1_score(["ab"], [{"a"}])
    with pytest.raises(InputError, match="1 gold and 2 predicted"):
        micro_f1_score([{"a"}], [{"a"}, {"b"}])
    with pytest.raises(InputError, match="Found 3 as predicted label"):
        micro_f1_score([{"a"}], [cast(Any, {3})])
    with pytest.raises(UsageError, match="beta=0"):
        f_beta_score([1], [1], beta=0)
