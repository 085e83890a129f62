"""Who may take what: people who judge everything, batches, groups, quotas and deadlines."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotation.scenes import STEP, Scene, picture, protocol, step

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Quality
from tactful.annotation.state.assignment import QUOTA_DONE, allowance, next_page
from tactful.annotation.state.project_state import State
from tactful.annotation.state.teams import Teams, read_deadline, too_few
from tactful.errors import InputError

PEOPLE = ("ann", "bob", "cem", "dot", "eve", "fay")
SEEDS = st.integers(0, 100_000)
GROUPS = {"experts": ["ann", "bob"], "crowd": ["cem", "dot", "eve", "fay"]}


def scene(items: int = 8, judgements: int = 3, page: int = 2, **teams: Any) -> Scene:
    made = Scene(protocol(step(judgements=judgements), quality=Quality(page=page, tests=0)), PEOPLE)
    for number in range(items):
        meta = {"batch": "first" if number % 2 else "second"}
        data = {"text": f"text {number}", "meta": meta}
        made.happens("imported", item=f"i{number}", data=data)
    change(made, groups=GROUPS, **teams)
    return made


def change(made: Scene, **teams: Any) -> None:
    made.happens("settings-changed", data=teams)


def work(made: Scene, rng: Random, people: tuple[str, ...] = PEOPLE, turns: int = 200) -> None:
    """Let people come in any order; some skip, some leave their pages."""
    for _ in range(turns):
        person = rng.choice(people)
        for each in made.takes_page(person, rng.randrange(1000)):
            chance = rng.random()
            if chance < 0.05:
                made.happens("skipped", item=each.item, annotator=person, step=STEP, data={})
            elif chance < 0.15:
                made.happens("returned", item=each.item, annotator=person, step=STEP)
            else:
                made.answers(person, each.item, rng.choice(["yes", "no"]))


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 4))
def test_two_people_judge_everything(seed: int, judgements: int) -> None:
    made = scene(judgements=judgements, everything=["experts"])
    work(made, Random(seed))
    assert made.state.counts(STEP)["open"] == 0
    for item in made.state.items.values():
        part = item.steps[STEP]
        for expert in ("ann", "bob"):
            assert expert in part.answers or expert in part.declined
        assert len(part.counting) == judgements, "and nobody came in addition"
        assert len(part.answers) == judgements


@settings(max_examples=25)
@given(SEEDS)
def test_nobody_gets_what_is_assigned_to_others(seed: int) -> None:
    made = scene(judgements=2, assign={"first": ["experts"], "i0": ["cem", "dot"]})
    # An item of a batch belongs to the batch: only one without a batch is named by its id.
    made.happens("imported", item="alone", data={"text": "alone"})
    change(made, assign={"first": ["experts"], "alone": ["cem", "dot"]})
    work(made, Random(seed))
    for name, item in made.state.items.items():
        given_by = set(item.steps[STEP].answers)
        if name == "alone":
            assert given_by <= {"cem", "dot"}
        elif item.meta["batch"] == "first":
            assert given_by <= {"ann", "bob"}
    others = {
        person
        for item in made.state.items.values()
        if item.meta.get("batch") == "second"
        for person in item.steps[STEP].answers
    }
    assert others - {"ann", "bob"}, "a batch that is not assigned is for everybody"


@settings(max_examples=25)
@given(SEEDS)
def test_nobody_answers_more_than_their_quota(seed: int) -> None:
    made = scene(items=12, quotas={"*": 3, "crowd": 2, "eve": 5, "bob": 0})
    work(made, Random(seed))
    done = Counter({name: person.answered for name, person in made.state.people.items()})
    most = {"ann": 3, "bob": 0, "cem": 2, "dot": 2, "eve": 5, "fay": 2}
    assert all(done[name] <= most[name] for name in PEOPLE)
    assert done["ann"] == 3, "and everybody can have all of it while there is work"
    assert allowance(made.state, "ann", made.now).why == QUOTA_DONE


def test_a_quota_counts_hidden_tests_too() -> None:
    made = scene(items=4, page=3, quotas={"ann": 2})
    made.add("t0", gold={"rude": "no"})
    made.answers("ann", "t0", "no")
    assert allowance(made.state, "ann", made.now).left == 1
    assert len(made.page("ann")) == 1


def test_after_its_deadline_nobody_gets_an_item() -> None:
    made = scene(page=8, deadlines={"first": "2023-11-15"})
    end = read_deadline("2023-11-15")
    assert made.now < end
    assert len(made.page("ann")) == 8
    made.now = end - 1
    assert len(made.page("ann")) == 8
    made.now = end
    batches = {made.state.items[each.item].meta["batch"] for each in made.page("ann")}
    assert batches == {"second"}
    change(made, deadlines={"*": "2023-11-15T10:00Z"})
    assert made.page("ann") == []
    change(made, deadlines={})
    assert len(made.page("ann")) == 8


def test_what_was_given_before_the_deadline_may_be_finished() -> None:
    made = scene(deadlines={"*": "2023-11-15"})
    made.now = read_deadline("2023-11-15") - 2
    page = made.takes_page("ann")
    assert made.page("ann") == page


def test_a_removed_expert_keeps_no_place() -> None:
    made = scene(items=1, judgements=2, everything=["ann", "bob"])
    assert made.page("cem") == []
    made.removes("bob")
    assert len(made.page("cem")) == 1
    made.readmits("bob")
    assert made.page("cem") == []
    made.happens("revoked", annotator="bob")
    assert len(made.page("cem")) == 1


def test_an_expert_with_a_page_is_not_counted_twice() -> None:
    made = scene(items=1, judgements=3, everything=["ann", "bob"])
    made.takes_page("ann")
    assert len(made.takes_page("cem")) == 1
    assert made.page("dot") == []


@settings(max_examples=25)
@given(SEEDS, st.integers(0, 120))
def test_the_log_gives_the_same_state(seed: int, cut: int) -> None:
    made = scene(everything=["ann"], assign={"first": ["crowd", "ann"]}, quotas={"*": 6})
    work(made, Random(seed), turns=30)
    whole = State.derive(made.protocol, made.log)
    parted = State.derive(made.protocol, made.log[:cut])
    for event in made.log[cut:]:
        parted.apply(event)
    assert picture(parted) == picture(whole) == picture(made.state)
    for person in PEOPLE:
        assert next_page(parted, person, made.now, Random(1), key=b"key") == made.page(person, 1)


def test_those_who_judge_everything_have_no_share() -> None:
    made = scene(items=6, judgements=2, everything=["ann"], workload="balanced")
    for _ in range(6):
        for each in made.takes_page("ann"):
            made.answers("ann", each.item, "no")
    assert made.state.people["ann"].answered == 6


def test_days_and_times() -> None:
    assert read_deadline("2026-12-01T18:00+02:00") == read_deadline("2026-12-01T16:00Z")
    teams = Teams({"deadlines": {"*": "2026-12-05", "a": "2026-12-01", "b": "2026-12-09"}})
    assert teams.end_of("a") == read_deadline("2026-12-01")
    assert teams.end_of("b") == teams.end_of("c") == read_deadline("2026-12-05")
    for wrong in ("soon", "", "2026-13-01", 7):
        with pytest.raises(InputError, match="deadline"):
            read_deadline(wrong)  # type: ignore[arg-type]


def test_too_few_people_for_a_batch() -> None:
    made = scene(judgements=3, assign={"first": ["experts"]})
    people = made.state.people.values()
    assert too_few(made.state.teams, made.protocol, people, "first") == [(STEP, 2)]
    assert too_few(made.state.teams, made.protocol, people, "second") == []


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with Project.create(tmp_path / "trial", "pcl") as opened:
        opened.add_items([NewItem("one", "A text.", meta={"batch": "first"})])
        for name in ("Ann", "Bob", "Cem"):
            opened.invite("annotator", name)
        yield opened


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"groups": ["a1"]}, "an object of names"),
        ({"groups": {"x": "a1"}}, "an object of names"),
        ({"groups": {"a1": ["a2"]}}, "a name that no person has"),
        ({"groups": {"x": ["a9"]}}, "Found 'a9' in the group 'x'"),
        ({"everything": ["nobody"]}, "Found 'nobody' in 'everything'"),
        ({"everything": "a1"}, "a list of people"),
        ({"everything": ["a1", "a2", "a3"]}, "asks for 2 judgements, and 3 people"),
        ({"assign": {"first": []}}, "an object of batches"),
        ({"assign": {"first": ["ghost"]}}, "Found 'ghost' in the batch 'first'"),
        ({"quotas": {"a1": -1}}, "whole numbers"),
        ({"quotas": {"a1": True}}, "whole numbers"),
        ({"quotas": {"ghost": 1}}, "Found 'ghost'"),
        ({"deadlines": {"first": "soon"}}, "Found the deadline 'soon'"),
        ({"deadline": "2026-12-01"}, "deadlines"),
    ],
)
def test_wrong_settings_are_refused(project: Project, change: dict[str, Any], said: str) -> None:
    before = project.state.number
    with pytest.raises(Exception, match=said):
        project.change(change)
    assert project.state.number == before


def test_fewer_judgements_than_people_who_judge_everything(project: Project) -> None:
    project.change({"everything": ["a1", "a2"]})
    with pytest.raises(InputError, match="2 people would judge everything"):
        project.change({"spans.judgements": 1})
