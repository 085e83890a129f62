"""What is left, counted by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tactful.annotation.analysis.estimate import by_day, estimate, step_estimate
from tactful.annotation.analysis.overview import StepProgress, progress
from tactful.annotation.protocol.records import Protocol, Quality, Step
from tactful.annotation.state.assignment import day_of

Begin = Callable[..., Any]
STEP = Step("first", "First", (), judgements=3, most=5, confidence=0.75)


def test_what_happened_so_far_is_carried_on() -> None:
    # 20 finished items took 80 judgements, 4 each; 10 open ones have 12 already.
    done = StepProgress(
        "first", "First", open=10, done=20, collected=92, finished_with=80, needed=20
    )
    found = step_estimate(STEP, done)
    assert (found.least, found.expected, found.most) == (20, 28.0, 38)
    assert found.notes == ()


def test_few_finished_items_say_nothing_about_the_rest() -> None:
    found = step_estimate(STEP, StepProgress("first", "First", open=10, done=19, needed=30))
    assert (found.least, found.expected, found.most) == (30, 30.0, 50)
    assert "19 items are finished; at least 20" in found.notes[0]


def test_the_share_that_comes_in_is_carried_on() -> None:
    # 10 of 40 decided items came in; of 100 undecided ones, 25 will, with 3 judgements each.
    figures = StepProgress("first", "First", waiting=130, outside=30, open=10, needed=30)
    found = step_estimate(replace(STEP, most=None), figures)
    assert (found.least, found.expected, found.most) == (30, 30 + 75.0, 30 + 300)


def test_with_too_few_decided_items_all_are_counted() -> None:
    found = step_estimate(replace(STEP, most=None), StepProgress("first", "First", waiting=4))
    assert (found.least, found.expected) == (0, 12.0)
    assert "all 4 are counted" in found.notes[0]


def test_nothing_is_left_of_a_finished_step() -> None:
    done = StepProgress("first", "First", done=30, collected=90, finished_with=90)
    found = step_estimate(STEP, done)
    assert (found.least, found.expected, found.most, found.notes) == (0, 0.0, 0, ())


@pytest.fixture
def told(story: Begin) -> Any:
    made = story().people("ann", "ben").items(*"abcd")
    made.say("ann", "a", tone="yes", grade="1").say("ben", "a", tone="yes", grade="1")
    return made.say("ann", "b", tone="yes", grade="1")


def test_hours_days_and_cost(told: Any) -> None:
    state = told.state
    steps = progress(state)
    people = list(state.people.values())
    found = estimate(state.protocol, steps, people, told.at, price=0.5)
    # First: 3 open items want 6 judgements and have one; second: 4 undecided items, 2 each; one of
    # them (a) is outside.
    assert found.expected == 5 + 6
    # Pages of 3 with a hidden test: 3 answers for 2 judgements.
    assert found.answers == pytest.approx(16.5)
    assert found.hours == pytest.approx(16.5 * 10 / 3600)
    assert found.per_day == 3
    assert found.days == pytest.approx(5.5)
    assert found.spent == 1.5
    assert found.cost == pytest.approx(8.25)
    assert any("1 of 3 answers are hidden tests" in note for note in found.notes)


def test_discarded_judgements_are_expected_again(told: Any) -> None:
    told.event("removed", annotator="ben", data={"why": "owner"})
    people = list(told.state.people.values())
    found = estimate(told.state.protocol, progress(told.state), people, told.at)
    # One of three was discarded: three answers for two judgements, and three for two of these.
    assert found.answers == pytest.approx(found.expected * 1.5 * 1.5)
    assert any("33% of the judgements so far were discarded" in note for note in found.notes)


def test_what_cannot_be_told_is_none_with_a_reason(story: Begin) -> None:
    made = story().items("a").people("ann")
    people = list(made.state.people.values())
    found = estimate(made.state.protocol, progress(made.state), people, made.at)
    assert (found.hours, found.days, found.cost, found.spent) == (None, None, None, None)
    told = " ".join(found.notes)
    for reason in ("No time was measured", "Nobody answered in the last 7 days", "No price"):
        assert reason in told


def test_a_page_without_tests_adds_nothing(told: Any) -> None:
    plain: Protocol = replace(told.state.protocol, quality=Quality())
    people = list(told.state.people.values())
    found = estimate(plain, progress(told.state), people, told.at)
    assert found.answers == found.expected


def test_days_end_with_today(told: Any) -> None:
    days = by_day(told.state.people.values(), told.at + 86_400, days=3)
    assert days == [("2023-11-13", 0), ("2023-11-14", 3), ("2023-11-15", 0)]
    assert day_of(told.at) == "2023-11-14"
