"""Items and judgements that come in again: added where they are new, never doubled."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.importing import known_of
from tactful.annotation.project.project import Project
from tactful.annotation.store.events import Event
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


def test_in_parts_is_the_same_as_at_once(tmp_path: Path) -> None:
    answers = (NewAnswer("Amal", "paragraph", {"pcl": "0"}, at=1.0),)
    items = [NewItem(f"i{number}", f"Text {number}.") for number in range(600)]
    # The same texts once more, with judgements, and rows without ids of two files.
    items += [NewItem(f"i{number}", f"Text {number}.", answers=answers) for number in range(300)]
    items += [NewItem("a-1", f"Row of file {number}.", made_id=True) for number in range(2)]
    states = []
    for name, in_parts in (("one", False), ("two", True)):
        with Project.create(tmp_path / name, "pcl") as project:
            added = project.import_items(items, in_parts=in_parts, now=5.0)
            assert (added.items, added.judgements) == (602, 300)
            again = project.import_items(items, in_parts=in_parts, now=6.0)
            assert (again.items, again.judgements, again.again) == (0, 0, 300)
            states.append(
                [(item.id, item.text, item.steps) for item in project.state.items.values()]
            )
            with pytest.raises(BadRowsError):
                project.import_items(
                    [*(NewItem(f"n{n}", "New.") for n in range(600)), NewItem("bad", " ")],
                    in_parts=in_parts,
                )
            assert "n0" not in project.state.items, "all or none"
            some = [NewItem("i0", "Another text."), NewItem("new", "New.")]
            kept = project.import_items(some, skip_existing=True, in_parts=in_parts)
            assert (kept.items, kept.skipped) == (1, 1)
    assert states[0] == states[1]


def test_people_get_pages_while_many_items_arrive(tmp_path: Path) -> None:
    with Project.create(tmp_path / "busy", "pcl") as project:
        project.add_items([NewItem(f"i{number}", "A text.") for number in range(5)])
        person = project.invite("annotator", "Ann").person
        project.consent(person, {})
        seen = []

        def hear(events: Sequence[Event]) -> None:
            # Between two parts, somebody else's operation finds some of the new items.
            if any(event.kind == "shown" for event in events):
                seen.append(len(project.state.items))

        project.listeners.append(hear)
        items = [NewItem(f"n{number}", "A new text.") for number in range(3_000)]
        importer = threading.Thread(
            target=project.import_items, args=(items,), kwargs={"in_parts": True}
        )
        importer.start()
        while importer.is_alive():
            project.page(person)
            project.give_back(person)
        importer.join()
        assert len(project.state.items) == 3_005
        assert any(5 < count < 3_005 for count in seen)
