"""Frames as JSON: there and back, and every kind of data that is no frame."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.frames.frame_json import frame_as_json, frame_from_json
from tactful.types import Frame, Implication

TEXTS = st.text(min_size=1).filter(str.strip)
SHARES = st.floats(0, 1)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """Draw any frame that keeps the constraints of section 2."""
    answers = {
        "frame.lewd": draw(st.sampled_from(["yes", "maybe", "no"])),
        "frame.offensive": draw(st.sampled_from(["yes", "maybe", "no"])),
    }
    groups: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    told: tuple[Implication, ...] = ()
    if answers["frame.offensive"] != "no" and draw(st.booleans()):
        answers["frame.group"] = "yes"
        groups = tuple(draw(st.lists(TEXTS, min_size=1, max_size=3)))
        statements = tuple(draw(st.lists(TEXTS, max_size=3)))
        told = tuple(
            Implication(
                group,
                draw(st.sampled_from([None, *statements])),
                draw(st.none() | SHARES),
                draw(st.none() | SHARES),
                tuple(draw(st.lists(TEXTS, max_size=2))),
            )
            for group in groups
        )
    probabilities = draw(st.dictionaries(st.sampled_from(["frame.lewd", "frame.intent"]), SHARES))
    return Frame(probabilities, groups, statements, answers, told)


@given(frames())
def test_a_frame_comes_back_as_it_went(frame: Frame) -> None:
    assert frame_from_json(json.loads(json.dumps(frame_as_json(frame)))) == frame


def test_fields_may_be_left_out() -> None:
    frame = frame_from_json({"answers": {"frame.offensive": "no"}})
    assert frame == Frame(answers={"frame.offensive": "no"})
    assert frame_from_json({}) == Frame()


OFFENCE = {"frame.offensive": "yes", "frame.group": "yes"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "Found nothing for the frame; expected an object"),
        ([], "Found a list for the frame"),
        ({"replies": {}}, "Found 'replies' in the frame; expected nothing but probabilities"),
        ({"answers": []}, "Found a list for answers"),
        ({"answers": {"group": "yes"}}, "Found 'group' in answers; expected nothing but frame."),
        ({"answers": {"frame.lewd": 1}}, r"Found a int for answers\.frame\.lewd"),
        ({"answers": {"frame.lewd": "perhaps"}}, "an unknown answer .*; expected yes, maybe, no"),
        ({"probabilities": {"frame.lewd": "0.5"}}, "Found '0.5' for probabilities.frame.lewd"),
        ({"probabilities": {"frame.lewd": True}}, "Found True for probabilities"),
        ({"probabilities": {"frame.lewd": 1.01}}, "expected a number from 0 to 1"),
        ({"probabilities": {"frame.lewd": float("nan")}}, "Found nan for"),
        ({"target_groups": "cooks"}, "Found a text for target_groups; expected a list"),
        ({"target_groups": ["cooks", " "]}, r"Found a blank text for target_groups\[1\]"),
        ({"implications": [{}]}, r"Found nothing for implications\[0\]\.group"),
        ({"implications": [{"group": "cooks", "likelihood": 2}]}, "Found 2 for implications"),
        ({"implications": [{"group": "cooks", "why": 1}]}, r"Found 'why' in implications\[0\]"),
        ({"target_groups": ["cooks"]}, "valid Social Bias Frame: frame.target_group has a text"),
        (
            {"answers": OFFENCE, "implications": [{"group": "cooks"}]},
            "about a group that is not a target group",
        ),
    ],
)
def test_what_is_no_frame_is_refused(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        frame_from_json(data)


def test_without_constraints_only_the_form_counts() -> None:
    data = {"answers": {"frame.offensive": "no", "frame.group": "yes"}, "target_groups": ["cooks"]}
    with pytest.raises(InputError):
        frame_from_json(data)
    assert frame_from_json(data, constraints=False).target_groups == ("cooks",)
    with pytest.raises(InputError, match="unknown answer"):
        frame_from_json({"answers": {"frame.lewd": "perhaps"}}, constraints=False)
