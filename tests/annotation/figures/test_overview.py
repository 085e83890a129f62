"""The progress of a project, counted by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from tactful.annotation.analysis.overview import (
    StepProgress,
    answer_times,
    burdens,
    disputes,
    gold_figures,
    progress,
)

Begin = Callable[..., Any]


@pytest.fixture
def told(story: Begin) -> Any:
    """Three items: one done with a yes, one with a no, one half judged; and one split 1 to 1."""
    made = story()
    made.people("ann", "ben", "cem").items("a", "b", "c", "d").items("t", gold={"tone": "yes"})
    for name, first, second in [("a", "yes", "yes"), ("b", "no", "no"), ("d", "yes", "no")]:
        made.say("ann", name, tone=first, grade="1", which=[])
        made.say("ben", name, tone=second, grade="1", which=[])
    made.say("cem", "c", tone="yes", grade="2", which=["pity"])
    return made


def test_statuses_and_judgements_are_counted(told: Any) -> None:
    first, second = progress(told.state)
    assert (first.done, first.disputed, first.open, first.waiting) == (2, 1, 1, 0)
    assert (first.collected, first.discarded, first.needed, first.finished_with) == (7, 0, 1, 6)
    assert first.share == 0.75
    # Item b came in; a is done and outside; c and d are not decided.
    assert (second.open, second.waiting, second.outside) == (1, 3, 1)
    assert second.needed == 2
    assert first.items == second.items == 4  # the hidden test is no part of it


def test_what_a_removed_person_said_is_discarded_and_needed_again(told: Any) -> None:
    told.event("removed", annotator="ben", data={"why": "owner"})
    first, _ = progress(told.state)
    assert (first.collected, first.discarded, first.needed) == (4, 3, 4)
    assert (first.done, first.open) == (0, 4)


def test_leases_do_not_lower_what_is_needed(told: Any) -> None:
    data = {"until": told.at + 1800, "page": 1}
    told.event("shown", item="c", annotator="ann", step="first", data=data)
    assert progress(told.state)[0].needed == 1


def test_an_empty_project_has_no_share(story: Begin) -> None:
    first, second = progress(story().state)
    assert first == StepProgress("first", "First look")
    assert first.share is None
    assert second.items == 0


def test_a_dispute_says_why(told: Any) -> None:
    (found,) = disputes(told.state)
    assert (found.item, found.step) == ("d", "first")
    assert found.why == "tone: Yes 1, No 1"


def test_a_test_that_nearly_everyone_misses_is_suspect(story: Begin) -> None:
    made = story(least_trust=None).items("t", "u", gold={"tone": "yes"})
    made.items("v", gold={"tone": "no"})
    people = [f"p{n}" for n in range(6)]
    made.people(*people)
    for name in people:
        made.say(name, "t", tone="no", grade="0")
        made.say(name, "u", tone="no" if name == "p0" else "yes", grade="0")
    worst, middle, unseen = gold_figures(made.state)
    assert (worst.item, worst.people, worst.missed, worst.suspect) == ("t", 6, 6, True)
    assert (middle.item, middle.missed, middle.suspect) == ("u", 1, False)
    assert (unseen.item, unseen.share, unseen.suspect) == ("v", None, False)


def test_few_people_make_no_test_suspect(story: Begin) -> None:
    made = story().items("t", gold={"tone": "yes"}).people("ann")
    made.say("ann", "t", tone="no", grade="0")
    assert [one.suspect for one in gold_figures(made.state)] == [False]


def test_stretches_breaks_and_caps(story: Begin) -> None:
    made = story().people("ann", "ben", "cem").items(*"abcdef")
    for name in "abcde":
        # Five answers nine minutes apart are 36 minutes without a break.
        made.say("ann", name, wait=540, tone="yes", grade="0")
    made.say("ann", "f", wait=3600, tone="yes", grade="0")
    made.event("skipped", item="a", annotator="ben", step="first", data={"reason": ""})
    care = made.protocol.wellbeing
    times = answer_times(made.state)
    ann, ben = burdens(made.state.people.values(), times, care.most_per_day, care.break_after)
    assert (ann.answered, ann.breaks, ann.over) == (6, 1, True)
    assert ann.longest_minutes == pytest.approx(36)
    # 22:13 to 23:01 UTC is one day, with five answers; the sixth comes after midnight.
    assert ann.capped_days == 1
    assert (ben.answered, ben.skipped, ben.skip_share) == (0, 1, 1.0)
    assert ben.longest_minutes is None
    assert burdens(made.state.people.values(), times, None, None)[0].capped_days is None
