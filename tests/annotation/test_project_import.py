"""Items and judgements that come in again: added where they are new, never doubled."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.importing import known_of
from tactful.annotation.project.project import Project
from tactful.errors import BadRowsError

TEXT = "They also have the right to love."


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "work", "pcl") as made:
        made.add_items([NewItem("1", TEXT), NewItem("2", "Plain.")])
        yield made


def judged(who: str, value: str, **more: Any) -> NewAnswer:
    return NewAnswer(who, "paragraph", {"pcl": value}, **more)


def item(*answers: NewAnswer, name: str = "1", text: str = TEXT, **more: Any) -> NewItem:
    return NewItem(name, text, answers=answers, place="more.jsonl, line 3", **more)


def given(project: Project, name: str = "1") -> dict[str, Any]:
    answers = project.state.items[name].steps["paragraph"].answers
    return {who: each.answers["pcl"] for who, each in answers.items()}


def test_judgements_come_after_their_texts(project: Project) -> None:
    project.add_items([item(judged("ann", "2"))])
    project.add_items([item(judged("ann", "2"), judged("bob", "1"))])
    assert given(project) == {"ann": "2", "bob": "1"}
    assert list(project.state.items) == ["1", "2"]
    assert project.state.labels("1", "paragraph")["pcl"].value == "3"


def test_the_same_again_changes_nothing(project: Project) -> None:
    decided = judged("chief", "2", adjudicated=True)
    new = [item(judged("ann", "2"), decided), NewItem("3", "Another.")]
    project.add_items(new)
    before = project.store.last
    assert known_of(project.state, new) == (2, 0)
    project.add_items(new)
    assert project.store.last == before


def test_what_a_person_said_here_stays(project: Project) -> None:
    project.add_items([item(judged("ann", "2"))])
    other = [item(judged("ann", "0"), judged("bob", "0"))]
    assert known_of(project.state, other) == (1, 1)
    project.add_items(other)
    assert given(project) == {"ann": "2", "bob": "0"}


def test_a_step_has_one_decision(project: Project) -> None:
    project.add_items([item(judged("chief", "2", adjudicated=True))])
    project.add_items([item(judged("other", "0", adjudicated=True))])
    decision = project.state.items["1"].steps["paragraph"].decision
    assert decision is not None
    assert (decision.annotator, decision.answers) == ("chief", {"pcl": "2"})
    assert "other" not in project.state.people


def test_two_files_at_once(project: Project) -> None:
    """Each annotator's file has the texts; a person in both is taken once."""
    first = [item(judged("ann", "2"), name="9", text="So.")]
    second = [item(judged("bob", "1"), judged("ann", "0"), name="9", text="So.")]
    project.add_items([*first, *second])
    assert given(project, "9") == {"ann": "2", "bob": "1"}


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ([item(judged("ann", "2"), text="They too.")],
         "more.jsonl, line 3: Found the id '1', which the project already has with"),
        ([NewItem("1", TEXT, gold={"pcl": "0"})], "Found right answers for '1'"),
        ([item(judged("a", "2"), name="9"), item(judged("b", "2"), name="9", text="No.")],
         "Found the id '9' again, which is already in more.jsonl, line 3, with a different text"),
        ([NewItem("9", "So."), NewItem("9", "So.")], "Found the id '9' again"),
        ([item(NewAnswer("ann", "paragraph", {}))], "Found nothing that 'ann' answered"),
        ([item(judged("ann", "3"))], "'pcl'"),
    ],
)  # fmt: skip
def test_what_is_not_the_same_is_refused_and_nothing_is_written(
    project: Project, new: list[NewItem], message: str
) -> None:
    before = project.store.last
    with pytest.raises(BadRowsError) as found:
        project.add_items([NewItem("good", "Good."), *new])
    assert message in str(found.value)
    assert project.store.last == before
    assert "good" not in project.state.items


def test_a_test_that_is_there_may_come_again(tmp_path: Path) -> None:
    new = NewItem("t", "Known.", gold={"pcl": "0"})
    with Project.create(tmp_path / "tests", "pcl") as project:
        project.add_items([new])
        project.add_items([new])
        assert project.store.last == 1


def test_fewer_answers_than_the_form_asks_for_come_in(tmp_path: Path) -> None:
    """SBIC has workers with one statement; the form asks for two to four (section 3.2)."""
    said = {
        "frame.offensive": "yes",
        "frame.group": "yes",
        "frame.target_group": ["women"],
        "frame.implied_statement": {"women": ["women are late"]},
    }
    with Project.create(tmp_path / "frames", "frames") as project:
        project.add_items([NewItem("1", "So.", answers=(NewAnswer("w", "frame", said),))])
        assert project.state.items["1"].steps["frame"].answers["w"].answers == said
