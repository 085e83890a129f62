"""A skip can be undone; a skipped item comes back once, when no other is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.annotation.scenes import STEP, Scene, picture, protocol, step

from tactful.annotation.analysis.overview import skipped_items
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Quality
from tactful.annotation.state.assignment import Given
from tactful.annotation.state.project_state import State

PROTOCOL = """\
id: mood
version: "1.0"
lang: en
name: Mood
summary: One question.
source: ours
quality: {page: 1}
steps:
  - id: one
    title: How does it sound?
    judgements: 2
    questions:
      - {id: kind, kind: choice, text: Does it sound kind?, options: ["yes", "no"]}
"""
NOON = 1_700_000_000.0


def scene(items: int = 3, tests: int = 0, page: int = 1, hidden: int = 0) -> Scene:
    """Two people, and two judgements for each item."""
    quality = Quality(page=page, tests=hidden)
    made = Scene(protocol(step(judgements=2), quality=quality), ("ann", "bob"))
    made.add(*(f"i{number}" for number in range(items)))
    made.add(*(f"t{number}" for number in range(tests)), gold={"rude": "no"})
    return made


def names(page: list[Given]) -> list[str]:
    return [each.item for each in page]


def skips(made: Scene, person: str, item: str) -> None:
    made.happens("skipped", item=item, annotator=person, step=STEP, data={"reason": ""})


def work(made: Scene, person: str, *, skipping: tuple[str, ...] = ()) -> list[str]:
    """Answer every item of every page, except some, which are always skipped; return all items."""
    seen: list[str] = []
    while page := made.takes_page(person):
        for each in page:
            seen.append(each.item)
            if each.item in skipping:
                skips(made, person, each.item)
            else:
                made.answers(person, each.item, "no")
        assert len(seen) < 50, "it never ends"
    return seen


def test_what_one_skipped_comes_back_when_nothing_else_is_left() -> None:
    made = scene()
    made.takes_page("ann")
    skips(made, "ann", "i0")
    assert work(made, "ann") == ["i1", "i2", "i0"]


def test_two_people_finish_although_one_skips() -> None:
    """Two annotators and two judgements: without the one who skipped it could never be done."""
    made = scene()
    made.takes_page("ann")
    skips(made, "ann", "i1")
    work(made, "bob")
    work(made, "ann")
    assert made.state.finished()
    assert made.state.people["ann"].skipped == 0, "what was judged in the end is no skip"


def test_a_second_skip_is_final() -> None:
    """Nobody is asked a third time: to skip counts against nobody, and must not be a fight."""
    made = scene()
    assert work(made, "ann", skipping=("i1",)) == ["i0", "i1", "i2", "i1"]
    assert made.page("ann") == []
    assert made.state.people["ann"].skipped == 1, "one text, although it was skipped twice"


def test_others_are_asked_before() -> None:
    """One judgement is enough, and bob has not seen the text yet."""
    made = scene(2)
    made.happens("settings-changed", data={"judgements": 1})
    made.takes_page("ann")
    skips(made, "ann", "i0")
    made.answers("bob", "i0", "no")
    assert work(made, "ann") == ["i1"]


def test_with_a_balanced_workload_too() -> None:
    made = scene(4)
    made.happens("settings-changed", data={"workload": "balanced"})
    made.answers("bob", "i3", "no")
    made.takes_page("ann")
    skips(made, "ann", "i0")
    work(made, "ann")
    work(made, "bob")
    work(made, "ann")
    assert made.state.finished()


def test_hidden_tests_that_were_skipped_come_back_with_the_items() -> None:
    """Somebody who skips everything must not learn which item was a test from what comes back."""
    made = scene(items=3, tests=1, page=4, hidden=1)
    first = sorted(names(made.takes_page("ann")))
    for name in first:
        skips(made, "ann", name)
    assert first == ["i0", "i1", "i2", "t0"]
    assert sorted(names(made.takes_page("ann"))) == first
    for name in first:
        skips(made, "ann", name)
    assert made.page("ann") == []


def test_an_answer_takes_a_skip_back() -> None:
    """Undo in the browser, then an answer: also without having been shown the text again."""
    made = scene()
    made.takes_page("ann")
    skips(made, "ann", "i0")
    made.answers("ann", "i0", "yes")
    part = made.state.items["i0"].steps[STEP]
    assert (part.skipped, list(part.answers)) == (set(), ["ann"])
    assert made.state.people["ann"].skipped == 0
    assert picture(State.derive(made.protocol, made.log)) == picture(made.state)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    (tmp_path / "mood.yaml").write_text(PROTOCOL, encoding="utf-8")
    with Project.create(tmp_path / "mood", tmp_path / "mood.yaml") as made:
        made.add_items([NewItem("t0", "Note 0."), NewItem("t1", "Note 1.")])
        yield made


def test_a_skip_that_is_sent_twice_is_one(project: Project) -> None:
    """The receipt was lost, and the text has come back meanwhile."""
    ann = project.invite("annotator", "Ann").person
    for _ in range(2):
        [given] = project.page(ann, now=NOON).items
        project.skip(ann, given.item, "one", key=f"ann:{given.item}", now=NOON)
    [again] = project.page(ann, now=NOON).items
    assert (again.item, again.again) == ("t0", True)
    project.skip(ann, "t0", "one", key="ann:t0", now=NOON)
    assert [each.item for each in project.page(ann, now=NOON).items] == ["t0"]
    # After undo the text is skipped once more without having come back: that is the same skip.
    project.skip(ann, "t1", "one", key="ann:t1 undone", now=NOON)
    project.answer(ann, "t0", "one", {"kind": "yes"}, 1.0, now=NOON)
    assert [each.item for each in project.page(ann, now=NOON).items] == ["t1"]
    assert project.page(ann, now=NOON).items[0].again
    events = [event.kind for event in project.store.read()]
    assert events.count("skipped") == 2


def test_what_nobody_wants_is_listed_for_the_owner(project: Project) -> None:
    ann, bob = (project.invite("annotator", name).person for name in ("Ann", "Bob"))
    owner = project.invite("owner", "Own").person

    def pass_by(person: str) -> None:
        page = project.page(person, now=NOON)
        while page.items:
            [given] = page.items
            if given.item == "t0":
                project.skip(person, "t0", "one", now=NOON)
            else:
                project.answer(person, given.item, "one", {"kind": "yes"}, 1.0, now=NOON)
            page = project.page(person, now=NOON)

    project.page(ann, now=NOON)
    project.skip(ann, "t0", "one", now=NOON)
    assert list(skipped_items(project.state)) == [], (
        "Ann will be asked again, and Bob was not asked"
    )
    pass_by(ann)
    [found] = skipped_items(project.state)
    assert (found.item, found.step, found.skipped, found.missing, found.able) == (
        "t0", "one", 1, 2, 1,
    )  # fmt: skip
    pass_by(bob)
    [found] = skipped_items(project.state)
    assert (found.skipped, found.missing, found.able) == (2, 2, 0)
    project.adjudicate(owner, "t0", "one", {"kind": "no"}, now=NOON)
    assert list(skipped_items(project.state)) == []


def test_who_cannot_come_in_is_not_counted_on(project: Project) -> None:
    """Revoked, removed, or known from an import only."""
    ann, bob = (project.invite("annotator", name).person for name in ("Ann", "Bob"))
    project.page(ann, now=NOON)
    project.skip(ann, "t0", "one", now=NOON)
    assert list(skipped_items(project.state)) == []
    project.revoke(bob)
    assert [each.able for each in skipped_items(project.state)] == [1]
