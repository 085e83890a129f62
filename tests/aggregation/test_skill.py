from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tactful.aggregation import dpm_five_point, majority_vote, skill_report
from tactful.errors import UsageError

ROWS = [("i", "a", "1.0"), ("i", "b", "1.0"), ("i", "c", "0.0"),
        ("j", "a", "0.0"), ("j", "b", "0.0"), ("k", "a", "1.0"), ("k", "b", "0.0")]  # fmt: skip


def test_each_number() -> None:
    """k is a tie and has no label; gold spells the labels in its own way."""
    report = skill_report(ROWS, gold={"i": "1", "k": "0", "elsewhere": "1"})
    assert report.annotators == ("a", "b", "c")
    assert report.judgements.tolist() == [3, 3, 1]
    assert report.agreement.tolist() == [1, 1, 0]
    assert report.gold_judgements.tolist() == [2, 2, 1]
    assert report.gold_accuracy.tolist() == [0.5, 1, 0]
    assert report.warnings[2] == (
        "only 1 judgement: every estimate is uncertain; "
        "only 1 on known items: the accuracy on them is uncertain"
    )


def test_without_gold_its_accuracy_is_null() -> None:
    table = skill_report(ROWS).table()
    assert table["gold_accuracy"].null_count() == 3
    assert table["gold_judgements"].to_list() == [0, 0, 0]


def test_an_annotator_without_any_label_to_compare_with() -> None:
    report = skill_report([("i", "a", "1"), ("i", "b", "0")])
    assert np.isnan(report.agreement).all()
    assert report.table()["agreement"].null_count() == 2


def test_all_measures_rank_planted_skills(planted: Callable[..., Any]) -> None:
    data = planted(items=800, annotators=12)
    report = skill_report(data.ratings, majority_vote(data.ratings), gold=data.gold(100))
    for found in (
        report.agreement,
        report.gold_accuracy,
        report.dawid_skene_accuracy,
        report.mace_competence,
        report.glad_ability,
    ):
        assert np.corrcoef(found, data.accuracy)[0, 1] > 0.85
    assert report.warnings == (None,) * 12


def test_labels_that_are_no_answers_are_refused() -> None:
    rows = [("i", "a", "1"), ("i", "b", "2")]
    with pytest.raises(UsageError, match="not answers that an annotator could give"):
        skill_report(rows, dpm_five_point(rows))
