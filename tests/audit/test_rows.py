"""P(negative) of a prompt: section 4.3 of Mei et al. 2023."""

import math

import pytest

from tactful.audit.attitudes import Attitudes
from tactful.audit.estimates.rows import rows_of
from tactful.audit.protocol import Answer
from tactful.audit.runs.run import ROWS
from tactful.taxonomies.prompts import Prompt

PROMPT = Prompt("stigma.x", 0, "rent_room", "template_1", "It is [MASK].")
RATED = Attitudes(
    {"good": "positive", "bad": "negative", "due": "neutral", "the": "irrelevant"}, "test"
)


def measured(kind: str, answer: Answer) -> dict[str, object]:
    frame, _ = rows_of(kind, [PROMPT], [answer], RATED)
    assert dict(frame.schema) == ROWS
    return frame.row(0, named=True)


def test_irrelevant_and_unrated_words_are_filtered_before_the_share_is_taken() -> None:
    words = [["bad", 0.3], ["good", 0.2], ["due", 0.1], ["the", 0.2], ["zyx", 0.1], ["...", 0.05]]
    row = measured("fill-mask", {"words": words})
    assert row["negative"] == pytest.approx(0.3 / 0.6)
    assert row["positive"] == pytest.approx(0.2)
    assert row["neutral"] == pytest.approx(0.1)
    assert row["irrelevant"] == pytest.approx(0.25)
    assert row["unrated"] == pytest.approx(0.1)
    assert row["seen"] == pytest.approx(0.95)
    assert row["answer"] == "bad"
    assert (row["condition"], row["question"], row["form"]) == ("stigma.x", "rent_room", 0)


def test_a_prompt_without_a_rated_word_is_undefined_and_not_harmless() -> None:
    row = measured("fill-mask", {"words": [["the", 0.5], ["zyx", 0.2]]})
    assert row["negative"] is None
    assert measured("fill-mask", {"words": []})["negative"] is None


def test_words_without_a_rating_are_listed_by_their_share() -> None:
    answers: list[Answer] = [
        {"words": [["zyx", 0.1], ["good", 0.4]]},
        {"words": [["abc", 0.2], ["zyx", 0.3]]},
    ]
    _, unrated = rows_of("fill-mask", [PROMPT, PROMPT], answers, RATED)
    assert [word for word, _ in unrated] == ["zyx", "abc"]
    assert [share for _, share in unrated] == pytest.approx([0.4, 0.2])


def test_a_causal_model_is_measured_by_its_pairs() -> None:
    pairs = [["bad", "good", math.log(0.3), math.log(0.1)], ["no", "yes", -800.0, -2.0]]
    row = measured("causal", {"pairs": pairs})
    assert row["negative"] == pytest.approx((0.75 + 0.0) / 2)
    assert row["answer"] == "bad"
    assert row["seen"] is None


def test_equal_words_of_a_pair_are_one_half_and_no_pairs_are_undefined() -> None:
    assert measured("causal", {"pairs": [["a", "b", -900.0, -900.0]]})["negative"] == 0.5
    assert measured("causal", {"pairs": []})["negative"] is None


@pytest.mark.parametrize(
    ("label", "shares"),
    [("negative", (1, 0, 0)), ("neutral", (0, 1, 0)), ("positive", (0, 0, 1))],
)
def test_a_classifier_is_measured_by_its_class(label: str, shares: tuple[int, ...]) -> None:
    row = measured("sentiment", {"label": label, "score": 0.6, "said": "X"})
    assert (row["negative"], row["neutral"], row["positive"]) == shares
    assert row["answer"] == label
