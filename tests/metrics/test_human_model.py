"""The model against one more annotator (Price et al. 2020, section 5)."""

from typing import Any, cast

import numpy as np
import pytest

from tactful.errors import InputError, UsageError
from tactful.metrics import human_model_auc_score


def judgements(items: int, annotators: int, seed: int, accuracy: float) -> dict[str, Any]:
    """Let every annotator see the truth with a known probability."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    item = np.repeat(np.arange(items), annotators)
    right = rng.random(item.size) < accuracy
    return {
        "item": [f"i{index}" for index in item],
        "annotator": [f"a{index % annotators}" for index in range(item.size)],
        "answer": np.where(right, truth[item], 1 - truth[item]),
        "truth": {f"i{index}": float(value) for index, value in enumerate(truth)},
    }


def test_two_items_by_hand() -> None:
    """All annotators agree, so each agrees with the truth of the others."""
    answer = human_model_auc_score(
        ["x"] * 3 + ["y"] * 3, list("abcabc"), [1, 1, 1, 0, 0, 0], {"x": 0.2, "y": 0.9}
    )
    assert answer.parts["human"].value == 1
    assert answer.value == 0
    assert answer.items == 2
    assert len(answer.parts["human"].parts) == 5


def test_a_model_that_knows_the_truth_beats_a_human() -> None:
    table = judgements(400, 5, 1, 0.8)
    truth = table.pop("truth")
    answer = human_model_auc_score(**table, scores=truth)
    # A human is right in 0.8 of the cases, but so are those who make the truth.
    assert 0.7 < float(answer.parts["human"]) < 0.8
    assert float(answer) > float(answer.parts["human"])


def test_a_tie_is_negative_as_in_the_authors_notebook() -> None:
    """The authors' ``AUC_analysis.ipynb`` takes ``mean > 0.5``; section 5 names no rule.

    All answers about "tie" are 0.5, so the mean of the others is 0.5 for each of them.
    """
    item = ["tie"] * 3 + ["no"] * 3 + ["yes"] * 3
    answers = [0.5] * 3 + [0.0] * 3 + [1.0] * 3
    scores = {"tie": 0.9, "no": 0.1, "yes": 0.8}
    default = human_model_auc_score(item, list("abc") * 3, answers, scores)
    assert default.value == 0.5
    at_least = human_model_auc_score(item, list("abc") * 3, answers, scores, ties="positive")
    assert at_least.value == 1
    with pytest.raises(UsageError, match="ties='maybe'; expected 'negative' or 'positive'"):
        human_model_auc_score(item, list("abc") * 3, answers, scores, ties=cast(Any, "maybe"))


def test_trust_decides_who_is_believed() -> None:
    item, annotator = ["x"] * 3 + ["y"] * 3, list("abcabc")
    answers, trust = [1, 0, 0, 0, 1, 1], [1.0, 0.01, 0.01] * 2
    values = set()
    for seed in range(20):
        answer = human_model_auc_score(
            item, annotator, answers, {"x": 1.0, "y": 0.0}, trust=trust, repetitions=1, seed=seed
        )
        values.add(answer.value)
    # "a" decides unless held out. Held out on both items, the others decide the other way round;
    # held out on one, both items have the same label, and the repetition is undefined.
    assert values == {1.0, 0.0, None}


def test_the_order_of_judgements_does_not_matter() -> None:
    table = judgements(60, 4, 2, 0.7)
    truth = table.pop("truth")
    order = np.random.default_rng(3).permutation(len(table["item"]))
    shuffled = {
        "item": [table["item"][i] for i in order],
        "annotator": [table["annotator"][i] for i in order],
        "answer": table["answer"][order],
    }
    assert human_model_auc_score(**shuffled, scores=truth) == human_model_auc_score(
        **table, scores=truth
    )


def test_seeds_differ_and_repeat() -> None:
    table = judgements(60, 4, 2, 0.7)
    truth = table.pop("truth")
    one, again, other = (
        human_model_auc_score(**table, scores=truth, seed=seed) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_single_label_cases_are_explained() -> None:
    answer = human_model_auc_score(["x", "x", "y", "y"], list("abab"), [1] * 4, {"x": 1, "y": 0})
    assert answer.value is None
    assert answer.reason == (
        "in every repetition all 2 gold answers are positive; both classes are needed"
    )
    alone = human_model_auc_score(["x", "y"], ["a", "a"], [1, 0], {"x": 1, "y": 0})
    assert alone.reason == "no item has two annotators, so no annotator can be held out"


def test_some_single_label_repetitions_are_left_out_and_said() -> None:
    answer = human_model_auc_score(
        ["x", "x", "y", "y"], list("abab"), [1, 0, 0, 0], {"x": 1, "y": 0}, repetitions=20
    )
    assert answer.value == 1
    assert answer.reason is not None
    assert "of 20 repetitions were left out" in answer.reason


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"scores": {"x": 1}}, InputError, r"1 item without a score \(such as 'y'\)"),
        ({"answer": [1, 1, 0]}, InputError, "3 answers"),
        ({"answer": [1, 2, 0, 0]}, InputError, "answers outside 0 to 1"),
        ({"trust": [1, 1, 1, float("nan")]}, InputError, "trusts outside 0 to 1"),
        ({"annotator": list("aaab")}, InputError, "'a' twice on 'x'"),
        ({"repetitions": 0}, UsageError, "repetitions=0"),
    ],
)
def test_wrong_input_is_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    table: dict[str, Any] = {
        "item": ["x", "x", "y", "y"],
        "annotator": list("abab"),
        "answer": [1, 1, 0, 0],
        "scores": {"x": 1, "y": 0},
    }
    with pytest.raises(error, match=message):
        human_model_auc_score(**{**table, **changes})
