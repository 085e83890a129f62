"""Unintended bias (Borkan et al. 2019) against scikit-learn and by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from tactful.errors import InputError
from tactful.metrics.subgroup import (
    bnsp_auc_score,
    bpsn_auc_score,
    generalised_mean,
    subgroup_auc_score,
    unintended_bias_score,
)

MEASURES = (subgroup_auc_score, bpsn_auc_score, bnsp_auc_score)


@pytest.fixture
def data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(11)
    gold, members = rng.integers(2, size=200), rng.integers(2, size=200)
    return gold, (0.3 * gold + 0.2 * members + rng.random(200)).round(1), members


def test_by_hand() -> None:
    gold = [1, 0, 1, 0]
    scores = [0.9, 0.6, 0.5, 0.1]
    group = [0, 1, 1, 0]
    assert float(subgroup_auc_score(gold, scores, group)) == 0  # 0.5 below 0.6
    assert float(bpsn_auc_score(gold, scores, group)) == 1  # 0.9 above 0.6
    assert float(bnsp_auc_score(gold, scores, group)) == 1  # 0.5 above 0.1


def test_scikit_learn_on_the_chosen_items(data: tuple[Any, Any, Any]) -> None:
    gold, scores, group = data
    chosen = {
        subgroup_auc_score: group == 1,
        bpsn_auc_score: gold != group,
        bnsp_auc_score: gold == group,
    }
    for measure, mask in chosen.items():
        expected = roc_auc_score(gold[mask], scores[mask])
        assert float(measure(gold, scores, group)) == pytest.approx(expected)


def test_generalised_means() -> None:
    values = [0.5, 0.8, 0.9]
    for power in (-5, -1, 0, 1, 2):
        expected = float(stats.pmean(values, power))
        assert generalised_mean(values, power) == pytest.approx(expected)
    assert generalised_mean([0.0, 1.0], -5) == 0
    assert generalised_mean([0.0, 1.0], 0) == 0
    for wrong in ([], [-0.1]):
        with pytest.raises(InputError, match="0 or more"):
            generalised_mean(wrong)


@given(st.lists(st.floats(0.01, 1), min_size=1))
def test_a_low_power_favours_low_values(values: list[float]) -> None:
    mean = generalised_mean(values)
    assert min(values) - 1e-9 <= mean <= np.mean(values) + 1e-9


def test_the_overall_score(data: tuple[Any, Any, Any]) -> None:
    gold, scores, group = data
    groups = {"one": group, "other": 1 - group}
    found = unintended_bias_score(gold, scores, groups)
    overall = roc_auc_score(gold, scores)
    means = [
        generalised_mean([float(measure(gold, scores, members)) for members in groups.values()])
        for measure in MEASURES
    ]
    assert float(found) == pytest.approx(0.25 * overall + 0.25 * sum(means))
    assert list(found.parts) == ["overall AUC", "subgroup AUC", "BPSN AUC", "BNSP AUC"]
    assert set(found.parts["BPSN AUC"].parts) == {"one", "other"}
    assert float(unintended_bias_score(gold, scores, groups, weight=0)) == pytest.approx(overall)


def test_small_subgroups_are_explained() -> None:
    gold, scores = [1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2]
    lone = subgroup_auc_score(gold, scores, [1, 0, 0, 0])
    assert lone.value is None
    assert lone.reason == (
        "found 1 positive item in the subgroup and 0 negative items in the subgroup; "
        "at least 1 of each are needed"
    )
    few = bpsn_auc_score(gold, scores, [1, 1, 0, 0], minimum=2)
    assert "1 positive item outside it" in (few.reason or "")
    partly = unintended_bias_score(gold, scores, {"all": [1, 1, 0, 0], "lone": [1, 0, 0, 0]})
    assert partly.value == 1
    assert "'lone' left out" in (partly.reason or "")
    alone = unintended_bias_score(gold, scores, {"lone": [1, 0, 0, 0]})
    assert alone.value is None
    assert "subgroup AUC" in (alone.reason or "")
    assert unintended_bias_score(gold, scores, {}).value is None


def test_shifting_a_subgroup_up_hurts_bpsn_and_helps_bnsp(data: tuple[Any, Any, Any]) -> None:
    gold, scores, group = data
    shifted = scores + group
    assert float(bpsn_auc_score(gold, shifted, group)) < float(bpsn_auc_score(gold, scores, group))
    assert float(bnsp_auc_score(gold, shifted, group)) > float(bnsp_auc_score(gold, scores, group))
    same = subgroup_auc_score(gold, shifted, group)
    assert float(same) == pytest.approx(float(subgroup_auc_score(gold, scores, group)))


@pytest.mark.parametrize(
    ("gold", "scores", "group", "message"),
    [
        ([0, 1], [0.5, 0.5], [1], "same length"),
        ([0, 2], [0.5, 0.5], [1, 0], "gold labels other than 0 and 1"),
        ([0, 1], [0.5, 0.5], [1, 3], "subgroup other than 0 and 1"),
        ([0, 1], [0.5, float("nan")], [1, 0], "NaN"),
    ],
)
def test_wrong_input_is_refused(gold: Any, scores: Any, group: Any, message: str) -> None:
    for measure in MEASURES:
        with pytest.raises(InputError, match=message):
            measure(gold, scores, group)


def test_a_weight_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="0 to 1/3"):
        unintended_bias_score([0, 1], [0, 1], {}, weight=0.5)
