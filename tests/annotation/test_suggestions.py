"""Suggested answers and rankings in the log: who sees what, and what it changes."""

from pathlib import Path

import pytest
from tests.annotation.learning.projects import START, enter, rude_project
from tests.annotation.scenes import STEP, Scene, picture, protocol, step

from tactful.annotation.project.exchange import NewItem, NewSuggestion
from tactful.annotation.project.project import Project
from tactful.annotation.state.project_state import State
from tactful.errors import InputError

SAYS_NO = NewSuggestion("judge", {"my.rude": "no"}, "a model 1")


def suggest_all(project: Project, suggestion: NewSuggestion = SAYS_NO) -> int:
    return project.suggest({name: [suggestion] for name in project.state.items}, now=START)


def seen(project: Project, person: str) -> dict[str, bool | None]:
    """Return which of the items given to somebody had a suggestion: shown, blind, or none."""
    found: dict[str, bool | None] = {}
    for at in range(200):
        page = project.page(person, now=START + at)
        if not page.items:
            return found
        for given in page.items:
            told = project.state.suggestions.seen(given.item, given.step, person)
            found[given.item] = None if told is None else told.shown
            assert (given.suggestion is not None) == bool(found[given.item])
            answers = {"my.rude": "yes"}
            project.answer(person, given.item, given.step, answers, now=START + at)
    raise AssertionError("the pages never end")


def test_a_suggestion_is_no_answer(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=3) as project:
        assert suggest_all(project) == 3
        assert project.state.judgements["judge"] == 0
        assert project.state.counts("judge")["open"] == 3
        assert suggest_all(project) == 0, "the same suggestion again is not recorded"


def test_some_people_judge_blind_and_the_log_says_who(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=60) as project:
        suggest_all(project)
        project.change({"blind_share": 0.5})
        found = [seen(project, enter(project, name)) for name in ("Ann", "Bob")]
        assert [len(each) for each in found] == [60, 60]
        for each in found:
            assert 15 <= sum(value is True for value in each.values()) <= 45
            assert None not in each.values()
        assert found[0] != found[1], "each pair has a lot of its own"
        again = State.derive(project.protocol, project.store.read())
        assert list(again.suggestions.all_seen()) == list(project.state.suggestions.all_seen())


@pytest.mark.parametrize(("share", "shown"), [(0.0, True), (1.0, False)])
def test_the_share_is_a_setting(tmp_path: Path, share: float, shown: bool) -> None:
    with rude_project(tmp_path, items=8) as project:
        suggest_all(project)
        project.change({"blind_share": share})
        assert set(seen(project, enter(project, "Ann")).values()) == {shown}


def test_what_somebody_saw_stays(tmp_path: Path) -> None:
    """A new suggestion is for those who have not been given the item."""
    with rude_project(tmp_path, items=4) as project:
        project.change({"blind_share": 0.0})
        ann, bob = enter(project, "Ann"), enter(project, "Bob")
        suggest_all(project)
        project.page(ann, now=START)
        suggest_all(project, NewSuggestion("judge", {"my.rude": "yes"}, "a model 2"))
        later = project.page(ann, now=START + 1200)
        assert {str(each.suggestion) for each in later.items} == {"{'my.rude': 'no'}"}
        first = project.page(bob, now=START)
        assert {str(each.suggestion) for each in first.items} == {"{'my.rude': 'yes'}"}


def test_a_suggestion_is_too_late_for_an_item_that_somebody_has(tmp_path: Path) -> None:
    """The browser holds it without; prolonging the lease must not claim that it was seen."""
    with rude_project(tmp_path, items=4) as project:
        project.change({"blind_share": 0.0})
        ann = enter(project, "Ann")
        project.page(ann, now=START)
        suggest_all(project)
        again = project.page(ann, now=START + 1200)
        assert [each.suggestion for each in again.items] == [None] * 4
        assert list(project.state.suggestions.all_seen()) == []


def test_a_test_without_a_suggestion_would_stand_out(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=12, tests=(3, 4)) as project:
        project.change({"blind_share": 0.0})
        ordinary = [name for name in project.state.items if name not in ("i3", "i4")]
        project.suggest({name: [SAYS_NO] for name in ordinary})
        ann = enter(project, "Ann")
        assert [each.suggestion for each in project.page(ann, now=START).items] == [None] * 4
        project.suggest({name: [SAYS_NO] for name in ("i3", "i4")})
        bob = enter(project, "Bob")
        page = project.page(bob, now=START).items
        assert all(each.suggestion for each in page)
        assert {each.item for each in page} & {"i3", "i4"}


@pytest.mark.parametrize(
    ("item", "suggestion", "problem"),
    [
        ("i0", NewSuggestion("nowhere", {"my.rude": "no"}, "m"), "expected a step of annotators"),
        ("i0", NewSuggestion("judge", {"my.rude": "perhaps"}, "m"), "expected one of"),
        ("i0", NewSuggestion("judge", {"other": "no"}, "m"), "expected one of the questions"),
        ("gone", SAYS_NO, "There is no item 'gone'"),
    ],
)
def test_bad_suggestions_are_refused(
    tmp_path: Path, item: str, suggestion: NewSuggestion, problem: str
) -> None:
    with rude_project(tmp_path, items=2) as project:
        with pytest.raises(InputError, match=problem):
            project.suggest({"i1": [SAYS_NO], item: [suggestion]})
        assert len(project.state.suggestions) == 0, "all or none"


def test_suggestions_come_with_new_items(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=2) as project:
        new = NewItem("new", "Some text", suggestions=(SAYS_NO,))
        project.add_items([new])
        found = project.state.suggestions.of("new", "judge")
        assert found is not None
        assert found.source == "a model 1"
        events = project.state.number
        project.add_items([new])
        assert project.state.number == events, "the same file again changes nothing"


def test_a_ranking_puts_items_first_until_the_next() -> None:
    scene = Scene(protocol(step(judgements=1)))
    scene.add("a", "b", "c", "d", priority=2)
    scene.add("urgent", priority=9)
    scene.happens("ranked", data={"first": ["c", "a"], "by": "mixed"})
    assert order(scene) == ["c", "a", "urgent", "b", "d"]
    scene.happens("ranked", data={"first": ["d", "c"], "by": "mixed"})
    assert order(scene) == ["d", "c", "urgent", "a", "b"]
    assert picture(State.derive(scene.protocol, scene.log)) == picture(scene.state)


def test_a_ranking_opens_nothing_that_is_done_or_a_test() -> None:
    scene = Scene(protocol(step(judgements=1)))
    scene.add("a", "b", "c")
    scene.add("t", gold={"rude": "yes"})
    scene.answers("ann", "a", "yes")
    scene.happens("ranked", data={"first": ["a", "t", "c"], "by": "mixed"})
    assert order(scene) == ["c", "b"]
    scene.edits_gold("t", None)
    assert order(scene) == ["t", "c", "b"]


def test_a_ranking_names_each_item_once(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=3) as project:
        with pytest.raises(InputError, match="twice"):
            project.rank(["i0", "i0"], "mixed")
        with pytest.raises(InputError, match="no item 'x'"):
            project.rank(["x"], "mixed")
        project.rank(["i2"], "mixed", {"labels": 7})
        assert project.state.ranking is not None
        assert project.state.ranking.data["labels"] == 7
        assert project.page(enter(project, "Ann"), now=START).items[0].item == "i2"


def order(scene: Scene) -> list[str]:
    return list(scene.state.queue(STEP, scene.now))
