"""What a function or an endpoint may say about a text."""

from typing import Any

import numpy as np
import pytest

from tactful.audit.classifiers.labels import read_saying, read_sayings
from tactful.errors import InputError


@pytest.mark.parametrize(
    ("saying", "label", "score", "said"),
    [
        ("NEG", "negative", None, "NEG"),
        (-0.5, "negative", -0.5, "-0.5"),
        (0, "neutral", 0.0, "0"),
        (2, "positive", 2.0, "2"),
        (np.float32(-0.25), "negative", -0.25, "-0.25"),
        (np.int64(1), "positive", 1.0, "1"),
        (("POSITIVE", 0.9), "positive", 0.9, "POSITIVE"),
        (["neutral", None], "neutral", None, "neutral"),
        ({"label": "NEG", "score": 0.75}, "negative", 0.75, "NEG"),
        ({"NEG": 0.2, "POS": 0.8}, "positive", 0.8, "POS"),
        (
            [{"label": "NEU", "score": 0.5}, {"label": "NEG", "score": 0.3}],
            "neutral",
            0.5,
            "NEU",
        ),
        # The label with the highest probability counts (section 4.3), not the sum of a class.
        ({"1 star": 0.3, "2 stars": 0.3, "5 stars": 0.4}, "positive", 0.4, "5 stars"),
    ],
)
def test_what_can_be_said(saying: Any, label: str, score: float | None, said: str) -> None:
    assert read_saying(saying, {}) == {"label": label, "score": score, "said": said}


def test_the_users_labels_are_used() -> None:
    labels: dict[str, Any] = {"LABEL_0": "negative", "LABEL_1": "positive"}
    assert read_saying({"LABEL_0": 0.6, "LABEL_1": 0.4}, labels)["label"] == "negative"


@pytest.mark.parametrize(
    ("saying", "message"),
    [
        (None, "nothing (None); expected a label, a number"),
        (True, "a value of type bool"),
        (np.True_, "a value of type bool"),
        (object(), "a value of type object"),
        ([], "a list of 0"),
        (("NEG", 0.5, 1), "a tuple of 3"),
        ((0.5, "NEG"), "a tuple of 2"),
        ({}, "no label at all"),
        ({"NEG": "much"}, "a value of type str with a value of type str"),
        ({1: 0.5}, "expected labels, each with a number"),
        (("NEG", "0.5"), "a value of type str as a score"),
        (("NEG", True), "a value of type bool as a score"),
        (float("nan"), "the number nan; expected a finite one"),
        (("NEG", float("inf")), "the number inf"),
        ("LABEL_0", "the label 'LABEL_0'; expected negative, neutral or positive"),
        ({"NEG": 0.9, "LABEL_1": 0.1}, "the label 'LABEL_1'"),
        ("x" * 500, "…'; expected negative"),
        ("\x1b[31mred", r"the label '\x1b[31mred'"),
    ],
)
def test_what_cannot_be_read_is_told(saying: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_sayings(["POS", saying], 2, {}, "mine:f")
    said = str(caught.value)
    assert said.startswith("mine:f: for text 2 of the batch, found ")
    assert message in said
    assert len(said) < 260
