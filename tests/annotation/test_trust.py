from typing import Any

import pytest
from tests.annotation.scenes import RUDE, UNFAIR, WHOM, options, step

from tactful.annotation.protocol.records import Question
from tactful.annotation.state.trust import is_right, is_tested

SPANS = Question("where", "spans", "Where?", options=options("x", "y"))
TEXT = Question("why", "text", "Why?")
TEXTS = Question("whys", "texts", "Why?")
PER = Question("each", "choice", "And?", options=options("yes", "no"), per="whom")
RULE = step(RUDE, UNFAIR, WHOM, SPANS, TEXT, TEXTS, PER)


def span(start: int, end: int, value: str = "x") -> dict[str, Any]:
    return {"start": start, "end": end, "value": value}


@pytest.mark.parametrize(
    ("gold", "answers", "right"),
    [
        ({"rude": "yes"}, {"rude": "yes"}, True),
        ({"rude": "yes"}, {"rude": "no"}, False),
        ({"rude": "yes"}, {}, False),
        ({"rude": "yes"}, {"rude": "yes", "unfair": "no"}, True),
        ({"rude": "yes", "unfair": "yes"}, {"rude": "yes", "unfair": "no"}, False),
        ({"rude": {"any": ["yes", "no"]}}, {"rude": "no"}, True),
        ({"rude": {"any": ["yes"]}}, {"rude": "no"}, False),
        ({"unfair": {"any": ["no", None]}}, {"rude": "no"}, True),
        ({"whom": ["a", "b"]}, {"whom": ["b", "a"]}, True),
        ({"whom": ["a", "b"]}, {"whom": ["a"]}, False),
        ({"whom": []}, {}, True),
        ({"whom": {"any": [["a"], ["b"]]}}, {"whom": ["b"]}, True),
        ({"where": [span(0, 4)]}, {"where": [span(3, 9)]}, True),
        ({"where": [span(0, 4)]}, {"where": [span(4, 9)]}, False),
        ({"where": [span(0, 4)]}, {"where": [span(0, 4, "y")]}, False),
        ({"where": [span(0, 4)]}, {"where": [span(0, 4), span(20, 30)]}, False),
        ({"where": [span(0, 4), span(20, 30)]}, {"where": [span(0, 4)]}, False),
        ({"where": []}, {"where": []}, True),
        ({"why": "Because"}, {"why": " because "}, True),
        ({"why": "because"}, {"why": "therefore"}, False),
        ({"whys": ["a", "b"]}, {"whys": ["B", "a"]}, True),
        ({"each": {"a": "yes"}}, {"each": {"a": "yes"}}, True),
        ({"each": {"a": "yes"}}, {"each": {"a": "no"}}, False),
        ({"each": {"a": "yes"}}, {"each": {"a": "yes", "b": "yes"}}, False),
    ],
)
def test_right_is_what_the_gold_names(gold: Any, answers: Any, right: bool) -> None:
    assert is_right(RULE, gold, answers) is right


def test_a_gold_of_another_step_is_no_test() -> None:
    assert is_tested(RULE, {"rude": "yes", "elsewhere": "x"})
    assert not is_tested(RULE, {"elsewhere": "x"})
    assert is_right(RULE, {"rude": "yes", "elsewhere": "x"}, {"rude": "yes"})
