"""Items that the owner closes, opens again, or wants more judgements of."""

from pathlib import Path

import pytest
from tests.annotation.test_ahead import project_of

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.state.project_state import State
from tactful.errors import InputError


def judge(project: Project, item: str, *answers: str) -> None:
    """Let new people answer one item and skip all others."""
    for answer in answers:
        person = project.invite("annotator", "Ann").person
        for _ in range(50):
            (given,) = project.page(person, now=1.0).items
            if given.item == item:
                project.answer(person, item, "one", {"kind": answer}, now=1.0)
                project.give_back(person, now=1.0)
                break
            project.skip(person, given.item, "one", now=1.0)


def status(project: Project, item: str) -> str:
    return project.state.items[item].steps["one"].status


def is_consistent(project: Project) -> bool:
    """Say whether the log leads to the same figures again."""
    state = project.state
    again = State.derive(project.protocol, project.store.read())
    return all(
        (state.counts(step.id), state.wanted(step.id), list(state.queue(step.id, 2.0)))
        == (again.counts(step.id), again.wanted(step.id), list(again.queue(step.id, 2.0)))
        for step in project.protocol.steps
    )


def test_what_is_closed_is_given_to_nobody_and_can_be_opened_again(tmp_path: Path) -> None:
    with project_of(tmp_path, 3, judgements=2) as project:
        judge(project, "item-1", "yes")
        assert project.close_items(["item-0", "item-1"]) == 2
        assert project.close_items(["item-0"]) == 0, "it is closed already"
        assert project.state.counts("one") == {"waiting": 2, "open": 1, "done": 0, "disputed": 0}
        assert project.state.wanted("one") == 1 + 2
        ann = project.invite("annotator", "Ann").person
        assert [each.item for each in project.page_ahead(ann, now=2.0).items] == ["item-2"]
        project.give_back(ann, now=2.0)
        assert is_consistent(project)
        assert project.reopen_items(["item-0", "item-1", "item-2"]) == 2
        assert len(project.page_ahead(ann, now=2.0).items) == 3
        assert project.state.wanted("one") == 6
        assert is_consistent(project)


def test_an_answer_to_a_closed_item_that_was_given_before_counts(tmp_path: Path) -> None:
    with project_of(tmp_path, 1) as project:
        ann = project.invite("annotator", "Ann").person
        project.page(ann, now=0.0)
        project.close_items(["item-0"])
        assert project.state.finished()
        project.answer(ann, "item-0", "one", {"kind": "yes"}, now=1.0)
        assert project.state.counts("one")["done"] == 1
        assert is_consistent(project)


def test_more_judgements_open_an_item_again(tmp_path: Path) -> None:
    with project_of(tmp_path, 2, judgements=2) as project:
        judge(project, "item-0", "yes", "yes")
        assert status(project, "item-0") == "done"
        assert project.ask_for_more(["item-0", "item-1"], 2) == 2
        assert status(project, "item-0") == "open"
        assert project.state.needed("item-0", "one", 2.0) == 2
        assert project.state.wanted("one") == 8
        assert is_consistent(project)
        judge(project, "item-0", "no", "yes")
        assert status(project, "item-0") == "done"
        assert len(project.state.counted("item-0", "one")) == 4
        assert is_consistent(project)


def test_tests_and_fixed_numbers_of_judgements_stay(tmp_path: Path) -> None:
    with Project.create(tmp_path / "pcl", "pcl") as project:
        project.add_items([NewItem("a", "A text."), NewItem("t", "A test.", gold={"pcl": "0"})])
        assert project.ask_for_more(["a"]) == 0, "the scale needs two judgements"
        assert project.close_items(["t"]) == 0
        assert project.close_items(["a", "t"]) == 1


@pytest.mark.parametrize("more", [0, 21])
def test_bad_wishes_are_refused(tmp_path: Path, more: int) -> None:
    with project_of(tmp_path, 1) as project:
        with pytest.raises(InputError, match="1 to 20"):
            project.ask_for_more(["item-0"], more)
        with pytest.raises(InputError, match="no item 'x'"):
            project.close_items(["item-0", "x"])
        with pytest.raises(InputError, match="at most 1,000"):
            project.close_items([str(n) for n in range(1001)])
        assert project.state.counts("one")["open"] == 1
