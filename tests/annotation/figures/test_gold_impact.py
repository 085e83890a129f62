"""The preview of an edited test says what happens when it is edited."""

from collections.abc import Callable
from typing import Any

import pytest

from tactful.annotation.analysis.gold_impact import GoldChange, gold_change, trust_changes

Begin = Callable[..., Any]


@pytest.fixture
def told(story: Begin) -> Any:
    """Ann answers two tests right, Ben one of two; both judge the same items."""
    made = story(least_trust=0.7, least_tests=2).people("ann", "ben", "cem")
    made.items("a", "b", "c").items("t", "u", gold={"tone": "yes"})
    for person, second in (("ann", "yes"), ("ben", "no")):
        made.say(person, "t", tone="yes", grade="0").say(person, "u", tone=second, grade="0")
    for item in ("a", "b"):
        for person in ("ann", "cem"):
            made.say(person, item, tone="yes", grade="0")
    made.say("ann", "c", tone="yes", grade="0")
    return made


def settle(made: Any) -> None:
    """Append what the service appends after an edit."""
    for name in made.state.to_remove():
        made.event("removed", annotator=name, data={"why": "trust"})
    for name in made.state.to_readmit():
        made.event("re-admitted", annotator=name, data={"why": "trust"})


def change_of(state: Any, item: str, gold: dict[str, Any] | None) -> GoldChange:
    """Return what other right answers would change."""
    changes = trust_changes(state, item, gold)
    return gold_change(state, item, gold, changes, state.items.values())


def reopened(before: dict[str, str], state: Any) -> int:
    return sum(
        before[name] in ("done", "disputed") and item.steps["first"].status == "open"
        for name, item in state.items.items()
        if not item.is_test
    )


@pytest.mark.parametrize("gold", [{"tone": "no"}, {"tone": {"any": ["yes", "no"]}}, {"grade": "2"}])
@pytest.mark.parametrize("stays", [False, True])
def test_the_preview_is_what_happens(told: Any, gold: dict[str, Any], stays: bool) -> None:
    told.event("settings-changed", data={"rows_remain_finalized": stays})
    settle(told)
    state = told.state
    assert state.people["ben"].status == "removed"
    statuses = {name: item.steps["first"].status for name, item in state.items.items()}
    counting = dict(state.judgements)
    change = change_of(state, "u", gold)
    told.event("gold-edited", item="u", data={"gold": gold})
    settle(told)
    for one in change.people:
        assert state.people[one.person].trust == one.after
    expected = {one.person for one in change.removed}
    assert {p.id for p in state.people.values() if not p.counts} == expected | (
        {"ben"} - {one.person for one in change.readmitted}
    )
    assert reopened(statuses, state) == change.reopened
    moved = change.judgements_back - change.judgements_lost
    assert state.judgements["first"] - counting["first"] == moved


def test_ann_would_go_and_ben_come_back(told: Any) -> None:
    settle(told)
    change = change_of(told.state, "u", {"tone": "no"})
    assert [(one.name, one.before, one.after) for one in change.removed] == [("Ann", 1.0, 0.5)]
    assert [(one.name, one.after) for one in change.readmitted] == [("Ben", 1.0)]
    # a and b lose Ann's judgement and open again; c was open all the time.
    assert (change.reopened, change.judgements_lost) == (2, 3)


def test_an_ordinary_item_gives_its_answers_back(told: Any) -> None:
    settle(told)
    change = change_of(told.state, "u", None)
    assert change.judgements_back == 2  # Ben has one test left, too few to stay removed
    assert {one.person: one.after for one in change.people} == {"ben": 1.0}


def test_an_item_that_becomes_a_test_takes_its_judgements_along(told: Any) -> None:
    change = change_of(told.state, "a", {"tone": "yes"})
    assert change.judgements_lost == 2
    assert [one.person for one in change.people] == ["cem"]  # the first test of Cem


def test_nothing_changes_with_the_same_answer(told: Any) -> None:
    settle(told)
    change = change_of(told.state, "u", {"tone": "yes"})
    assert (change.people, change.reopened) == ((), 0)
    assert (change.judgements_lost, change.judgements_back) == (0, 0)
