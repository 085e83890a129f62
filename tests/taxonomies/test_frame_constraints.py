"""Sap et al. 2020: what a frame may hold (sections 2 and 3.2) and how it is binarised."""

import pytest

from tactful.errors import UnknownNameError, UsageError
from tactful.taxonomies import binarise, check_frame_values
from tactful.taxonomies.frame_constraints import FrameValue

WHOLE: dict[str, FrameValue] = {
    "frame.lewd": "no",
    "frame.offensive": "maybe",
    "frame.intent": "probably_not",
    "frame.group": "yes",
    "frame.target_group": ["accountants"],
    "frame.implied_statement": ["accountants are stingy"],
    "frame.in_group": "maybe",
}


@pytest.mark.parametrize(
    ("variable", "answer", "expected"),
    [
        ("frame.offensive", "yes", 1),
        ("frame.offensive", "maybe", 1),
        ("frame.offensive", "no", 0),
        ("frame.intent", "probably", 1),
        ("frame.intent", "probably_not", 0),
        ("frame.intent", 0.66, 1),
        ("frame.intent", 0.33, 0),
        ("in_group", 0.5, 1),
        ("group", 0.0, 0),
    ],
)
def test_yes_probably_and_maybe_are_one(variable: str, answer: str | float, expected: int) -> None:
    """Footnote 8."""
    assert binarise(variable, answer) == expected


@pytest.mark.parametrize(
    ("variable", "answer"),
    [("frame.offensive", "probably"), ("frame.lewd", "y"), ("frame.intent", 0.5), ("group", 0.5)],
)
def test_an_answer_that_the_question_does_not_have_is_never_a_silent_zero(
    variable: str, answer: str | float
) -> None:
    with pytest.raises(UsageError, match="none of its answers"):
        binarise(variable, answer)


def test_a_text_variable_cannot_be_binarised() -> None:
    with pytest.raises(UsageError, match="takes texts"):
        binarise("target_group", "accountants")


def test_a_whole_frame_and_an_empty_one_hold() -> None:
    assert check_frame_values(WHOLE) == []
    assert check_frame_values({}) == []


def test_an_inoffensive_post_with_all_answers_negative_holds() -> None:
    """A binarised frame answers every question; a no claims nothing about a group."""
    names = ("lewd", "offensive", "intent", "group", "in_group")
    values: dict[str, FrameValue] = dict.fromkeys(names, False)
    values |= {"target_group": [], "implied_statement": []}
    assert check_frame_values(values) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"frame.offensive": "no"},
            ["frame.group is yes, but frame.offensive is no; it needs yes or maybe."],
        ),
        (
            {"frame.offensive": None},
            ["frame.group is yes, but frame.offensive has no answer; it needs yes or maybe."],
        ),
        (
            {"frame.group": "no"},
            [
                "frame.target_group has a text, but frame.group is no; it needs yes.",
                "frame.implied_statement has a text, but frame.group is no; it needs yes.",
                "frame.in_group is maybe, but frame.group is no; it needs yes.",
            ],
        ),
        (
            {"frame.target_group": []},
            [
                "frame.implied_statement has a text, but frame.target_group has no answer; "
                "it needs an answer."
            ],
        ),
    ],
)
def test_every_broken_constraint_is_a_sentence(
    change: dict[str, FrameValue], expected: list[str]
) -> None:
    assert check_frame_values(WHOLE | change) == expected


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"offensive": "perhaps"}, "none of its answers: yes (1), maybe (0.5), no (0)"),
        ({"intent": 0.7}, "none of its answers"),
        ({"offensive": "yes", "group": "yes", "target_group": "women"}, "takes a list of texts"),
        ({"offensive": "yes", "group": "yes", "target_group": [" "]}, "blank text"),
    ],
)
def test_a_value_of_the_wrong_kind_is_a_sentence_too(
    values: dict[str, FrameValue], part: str
) -> None:
    [sentence] = check_frame_values(values)
    assert part in sentence


def test_numbers_of_the_corpus_are_understood() -> None:
    assert check_frame_values({"offensive": 0.5, "group": 1.0}) == []
    assert len(check_frame_values({"offensive": 0.0, "group": 1.0})) == 1


def test_an_unknown_variable_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'frame\.offensive'"):
        check_frame_values({"frame.ofensive": "yes"})
