"""Frames as values, against Sap et al. 2020: sections 2, 3.2 and 4.2, footnote 8, table 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.frames.schema import (
    CATEGORICAL,
    aggregate_frames,
    binarised,
    frame_of_example,
    frame_problems,
    make_frame,
    validate_frame,
)
from tactful.types import Example, Frame, Implication

YES_NO = st.sampled_from(["yes", "no"])
WORDS = st.text(st.characters(categories=("L", "N", "P", "Zs")), min_size=1).filter(str.strip)


@st.composite
def annotations(draw: st.DrawFn) -> Frame:
    """Draw what one annotator can say: the questionnaire stops where section 3.2 stops it."""
    answers: dict[str, str | float | bool] = {
        "offensive": draw(st.sampled_from(["yes", "maybe", "no"])),
        "intent": draw(st.sampled_from(["yes", "probably", "probably_not", "no"])),
        "lewd": draw(st.sampled_from(["yes", "maybe", "no"])),
    }
    groups: list[str] = []
    statements: list[str] = []
    if answers["offensive"] != "no":
        answers["group"] = draw(YES_NO)
    if answers.get("group") == "yes":
        groups = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
        statements = draw(st.lists(WORDS, max_size=3, unique=True))
        answers["in_group"] = draw(st.sampled_from(["yes", "maybe", "no"]))
    return make_frame(answers, groups, statements)


@pytest.mark.parametrize(
    ("answers", "groups", "statements"),
    [
        # The shapes of table 1's rows, in their order, with words of our own.
        ({"offensive": "no", "intent": "no", "lewd": "no"}, [], []),
        ({"offensive": "yes", "intent": "yes", "lewd": "no"}, [], []),
        ({"offensive": "no", "intent": "no", "lewd": "yes"}, [], []),
        ({"offensive": "yes", "intent": "yes", "lewd": "yes", "group": "no"}, [], []),
        ({"offensive": "yes", "intent": "yes", "lewd": "no", "group": "no"}, [], []),
        (
            {
                "offensive": "yes", "intent": "no", "lewd": "no", "group": "yes", "in_group": "no",
            },
            ["accountants"],
            ["have dull hobbies"],
        ),
        (
            {
                "offensive": "yes", "intent": "yes", "lewd": "no", "group": "yes", "in_group": "no",
            },
            ["accountants"],
            ["count crumbs", "never laugh", "send reminders"],
        ),
    ],
)  # fmt: skip
def test_the_shapes_of_table_1_are_frames(
    answers: dict[str, str | float | bool], groups: list[str], statements: list[str]
) -> None:
    frame = make_frame(answers, groups, statements)
    assert frame_problems(frame) == []
    assert frame.target_groups == tuple(groups)
    assert {f"frame.{name}": 1.0 * (answer == "yes") for name, answer in answers.items()} == dict(
        frame.probabilities
    )


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (
            Frame(answers={"frame.offensive": "no", "frame.group": "yes"}),
            "frame.group is yes, but frame.offensive is no",
        ),
        (
            Frame({}, ("cooks",), (), {"frame.offensive": "yes", "frame.group": "no"}),
            "frame.target_group has a text, but frame.group is no",
        ),
        (
            Frame({}, (), ("cooks shout",), {"frame.offensive": "yes", "frame.group": "yes"}),
            "frame.implied_statement has a text, but frame.target_group has no answer",
        ),
        (
            Frame(answers={"frame.offensive": "yes", "frame.in_group": "maybe"}),
            "frame.in_group is maybe, but frame.group has no answer",
        ),
        (Frame({"frame.lewd": 1.5}), "frame.lewd has the probability 1.5"),
        (Frame({"frame.lewd": float("nan")}), "frame.lewd has the probability nan"),
        (Frame({"frame.rude": 0.5}), "frame.rude is not a categorical variable"),
        (Frame(answers={"frame.lewd": "perhaps"}), "none of its answers: yes (1), maybe (0.5)"),
        (Frame({}, (" ",), (), {"frame.offensive": "yes", "frame.group": "yes"}), "a blank text"),
        (
            Frame(
                {},
                ("cooks",),
                (),
                {"frame.offensive": "yes", "frame.group": "yes"},
                (Implication("bakers"),),
            ),
            "about a group that is not a target group",
        ),
        (
            Frame(
                {},
                ("cooks",),
                (),
                {"frame.offensive": "yes", "frame.group": "yes"},
                (Implication("cooks", "cooks shout"),),
            ),
            "a statement that is not an implied statement",
        ),
    ],
)
def test_what_breaks_a_constraint_is_told(frame: Frame, sentence: str) -> None:
    """Section 3.2: who is asked what, and section 4: there is no group without an offence."""
    assert any(sentence in each for each in frame_problems(frame)), frame_problems(frame)
    with pytest.raises(InputError, match="This is not a valid Social Bias Frame"):
        validate_frame(frame)


def test_all_that_is_wrong_is_told_together() -> None:
    frame = Frame({}, ("cooks",), ("cooks shout",), {"frame.offensive": "no"})
    assert len(frame_problems(frame)) == 2


@pytest.mark.parametrize(
    ("variable", "answer", "binary"),
    [
        # Footnote 8: 1 for yes, probably and maybe, 0 for all other values.
        ("offensive", "yes", 1), ("offensive", "maybe", 1), ("offensive", "no", 0),
        ("intent", "yes", 1), ("intent", "probably", 1), ("intent", "probably_not", 0),
        ("intent", "no", 0), ("lewd", "maybe", 1), ("lewd", "no", 0),
        # As the corpus' files write them.
        ("intent", 0.66, 1), ("intent", 0.33, 0), ("offensive", 0.5, 1), ("lewd", True, 1),
        ("lewd", False, 0),
    ],
)  # fmt: skip
def test_answers_are_binarised_as_footnote_8_says(
    variable: str, answer: str | float | bool, binary: int
) -> None:
    frame = make_frame({variable: answer})
    assert binarised(frame) == {f"frame.{variable}": binary}
    assert frame.probabilities[variable] == binary


@pytest.mark.parametrize("answers", [{"offensive": "perhaps"}, {"intent": 0.5}, {"group": 0.5}])
def test_an_answer_that_a_question_does_not_have_is_refused(
    answers: dict[str, str | float | bool],
) -> None:
    with pytest.raises(UsageError, match="none of its answers"):
        make_frame(answers)


def test_an_unknown_variable_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'frame\.intent'"):
        make_frame({"frame.intend": "yes"})


@given(st.lists(annotations(), min_size=1, max_size=5))
def test_combined_answers_are_means_and_keep_the_constraints(frames: list[Frame]) -> None:
    """Section 4.2: binarised, averaged over those who were asked, binarised again at .5."""
    combined = aggregate_frames(frames)
    assert frame_problems(combined) == []
    for name in CATEGORICAL:
        said = [binarised(frame)[name] for frame in frames if name in frame.answers]
        if not said:
            assert name not in combined.probabilities
            continue
        mean = sum(said) / len(said)
        assert combined.probabilities[name] == pytest.approx(mean)
        if name in ("frame.offensive", "frame.intent", "frame.lewd"):
            assert combined.answers[name] == ("yes" if mean >= 0.5 else "no")
    if combined.answers.get("frame.group") == "yes":
        written = [text for frame in frames for text in frame.target_groups]
        assert list(combined.target_groups) == list(dict.fromkeys(written))
    else:
        assert not combined.target_groups
        assert not combined.implied_statements
        assert "frame.in_group" not in combined.answers


@given(annotations())
def test_one_annotator_alone_stays_as_they_said(frame: Frame) -> None:
    combined = aggregate_frames([frame])
    assert binarised(combined) == binarised(frame)
    assert combined.target_groups == frame.target_groups
    assert combined.implied_statements == frame.implied_statements


def test_who_was_not_asked_does_not_count_and_half_is_a_yes() -> None:
    harmless = make_frame({"offensive": "no", "intent": "no", "lewd": "no"})
    rude = make_frame(
        {"offensive": "maybe", "intent": "probably", "lewd": "no", "group": "yes"}, ["cooks"]
    )
    combined = aggregate_frames([harmless, rude])
    assert combined.probabilities["group"] == 1.0
    assert combined.probabilities["offensive"] == 0.5
    assert combined.answers["offensive"] == "yes"
    assert combined.target_groups == ("cooks",)


def test_the_majority_leaves_no_room_for_what_it_denies() -> None:
    harmless = make_frame({"offensive": "no", "intent": "no", "lewd": "no"})
    rude = make_frame(
        {"offensive": "yes", "intent": "no", "lewd": "no", "group": "yes", "in_group": "no"},
        ["cooks"],
        ["cooks shout"],
    )
    combined = aggregate_frames([harmless, harmless, rude])
    assert combined.answers["group"] == "no"
    assert combined.probabilities["group"] == 1.0
    assert combined.target_groups == ()
    assert "frame.in_group" not in combined.answers


def test_there_must_be_a_frame_to_combine() -> None:
    with pytest.raises(InputError, match="no frame to combine"):
        aggregate_frames([])


def test_the_frame_of_an_example_has_its_means_and_references() -> None:
    example = Example(
        "a", "Typical cook.", "sbic", "en", "a",
        labels={"frame.offensive": 0.5, "frame.lewd": 0.49, "pcl": 1.0},
        texts={"frame.target_group": ("cooks",)},
    )  # fmt: skip
    frame = frame_of_example(example)
    assert dict(frame.answers) == {"frame.lewd": "no", "frame.offensive": "yes"}
    assert frame.probabilities["lewd"] == 0.49
    assert frame.target_groups == ("cooks",)
    assert frame.implied_statements == ()
