"""A project, on both stores: people come in, judge, are stopped by the rules; nothing is lost."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.files import PASSWORD_FILE, PROJECT_FILE, SECRET_FILE
from tactful.annotation.project.project import Project
from tactful.errors import (
    BadRowsError,
    FileFormatError,
    InputError,
    OutputError,
    TactfulError,
    UnknownNameError,
    UsageError,
)

PROTOCOL = """\
id: mood
version: "1.0"
lang: en
name: Mood
summary: One question, with hidden tests.
source: "of our own"
guideline: Say how it sounds.
quality: {page: 3, tests: 1, least_trust: 0.6, least_tests: 2}
wellbeing: {consent: "You will read short notes.", most_per_day: 8}
traits: [{id: age, kind: text, text: How old are you?}]
steps:
  - id: one
    title: How does it sound?
    judgements: 2
    context: [before]
    questions:
      - id: kind
        kind: choice
        text: Does it sound kind?
        options: [{value: "yes", name: "Yes"}, {value: "no", name: "No"}]
"""
YES, NO = {"kind": "yes"}, {"kind": "no"}
DAY = 86_400.0
NOON = 20_000 * DAY + DAY / 2


@pytest.fixture
def protocol(tmp_path: Path) -> Path:
    path = tmp_path / "mood.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    return path


@pytest.fixture
def project(tmp_path: Path, protocol: Path, store_url: str) -> Iterator[Project]:
    with Project.create(tmp_path / "work", protocol, name="Our notes", store=store_url) as made:
        made.rng = Random(8)
        yield made


def items(number: int, tests: int = 0) -> list[NewItem]:
    return [
        *(
            NewItem(f"t{at}", f"Note {at}", {"before": "Hello"}, {"row": str(at)})
            for at in range(number)
        ),
        *(NewItem(f"g{at}", f"Test {at}", gold=YES) for at in range(tests)),
    ]


def let_in(project: Project, name: str = "Ann", now: float = NOON) -> str:
    person = project.invite("annotator", name, now=now).person
    project.consent(person, {}, now=now)
    return person


def judge(project: Project, person: str, now: float, say: Callable[[str], dict[str, str]]) -> int:
    """Answer one page; return how many items it had."""
    page = project.page(person, now=now)
    for at, item in enumerate(page.items):
        found, step = project.resolve(person, item.handle)
        project.answer(person, found, step, say(found), 2.0, f"{person}{found}{now}{at}", now=now)
    return len(page.items)


def judge_all(project: Project, person: str, answers: dict[str, str]) -> None:
    while judge(project, person, NOON, lambda _: answers):
        pass


# ---- the folder ---------------------------------------------------------------------------------


def test_a_project_is_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    with Project.create(folder, "pcl") as project:
        assert (project.name, project.protocol.id) == ("mine", "pcl")
    assert {"project.yaml", "secret", "events.db"} <= {path.name for path in folder.iterdir()}
    assert (folder / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    with Project.open(folder) as again:
        assert again.protocol == project.protocol
        assert again.secret == project.secret


def test_a_protocol_of_ones_own_is_copied(tmp_path: Path, protocol: Path) -> None:
    Project.create(tmp_path / "mine", protocol).close()
    protocol.unlink()
    with Project.open(tmp_path / "mine") as project:
        assert project.protocol.id == "mood"


def test_a_folder_that_is_there_is_refused(tmp_path: Path) -> None:
    Project.create(tmp_path / "mine", "pcl").close()
    before = (tmp_path / "mine" / SECRET_FILE).read_bytes()
    with pytest.raises(UsageError, match="it exists already"):
        Project.create(tmp_path / "mine", "pcl")
    assert (tmp_path / "mine" / SECRET_FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("protocol_name", "store", "error"),
    [
        ("plc", None, UnknownNameError),
        ("none.yaml", None, TactfulError),
        ("pcl", "sqlte:///events.db", UsageError),
        ("pcl", "postgresql://u:geheim@127.0.0.1:9/db", InputError),
    ],
)
def test_nothing_is_left_of_a_project_that_cannot_be_made(
    tmp_path: Path, protocol_name: str, store: str | None, error: type[Exception]
) -> None:
    with pytest.raises((error, FileNotFoundError)) as found:
        Project.create(tmp_path / "mine", protocol_name, store=store)
    assert "geheim" not in str(found.value)
    assert list(tmp_path.iterdir()) == []


def test_a_store_with_events_belongs_to_another_project(
    tmp_path: Path, protocol: Path, project: Project, store_url: str
) -> None:
    project.add_items(items(1))
    project.close()
    with pytest.raises(UsageError, match="found a store with 1 events"):
        Project.create(tmp_path / "other", protocol, store=store_url)
    assert not (tmp_path / "other").exists()


def test_a_password_is_not_written_into_the_plan(
    tmp_path: Path, protocol: Path, new_database: Callable[[], str]
) -> None:
    url = new_database().replace("tactful@", "tactful:geheim@")
    Project.create(tmp_path / "mine", protocol, store=url).close()
    assert "geheim" not in (tmp_path / "mine" / PROJECT_FILE).read_text(encoding="utf-8")
    password = tmp_path / "mine" / PASSWORD_FILE
    assert password.read_text(encoding="utf-8") == "geheim"
    assert password.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "line 1: found invalid YAML"),
        ("- 1", "found no fields"),
        ("format: 9", "found the format 9"),
        ("format: 1\nname: x\nprotocol: pcl\nstore: 3", "as 'store'"),
    ],
)
def test_a_bad_plan_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / PROJECT_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=message):
        Project.open(tmp_path)


def test_a_folder_that_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tactful annotate init"):
        Project.open(tmp_path)


@pytest.mark.parametrize(
    ("secret", "message"), [(None, "copy it from your backup"), ("abc", "found no secret")]
)
def test_a_lost_secret_is_one_sentence(tmp_path: Path, secret: str | None, message: str) -> None:
    Project.create(tmp_path / "mine", "pcl").close()
    (tmp_path / "mine" / SECRET_FILE).unlink()
    if secret is not None:
        (tmp_path / "mine" / SECRET_FILE).write_text(secret, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Project.open(tmp_path / "mine")
    with pytest.raises(InputError, match=message):  # and the store was let go
        Project.open(tmp_path / "mine")


def test_one_writes_and_others_read(project: Project) -> None:
    project.add_items(items(2))
    with pytest.raises(InputError, match="another process is writing to this project"):
        Project.open(project.folder)
    with Project.open(project.folder, read_only=True) as reader:
        assert list(reader.state.items) == ["t0", "t1"]
        with pytest.raises(OutputError, match="for reading only"):
            reader.add_items([NewItem("x", "y")])
        assert list(reader.state.items) == ["t0", "t1"]


# ---- items --------------------------------------------------------------------------------------


def test_items_come_in_with_all_they_have(project: Project) -> None:
    old = NewAnswer("earlier", "one", NO, at=5.0, seconds=3.0)
    decided = NewAnswer("chief", "one", YES, adjudicated=True)
    assert project.add_items([*items(1), NewItem("old", "Old", answers=(old, decided))]) == 2
    found = project.state.items
    assert found["t0"].context == {"before": "Hello"}
    assert found["t0"].meta == {"row": "0"}
    step = found["old"].steps["one"]
    assert step.answers["earlier"].answers == NO
    assert step.answers["earlier"].at == 5.0
    assert step.decision is not None
    assert step.decision.answers == YES
    assert {name: who.role for name, who in project.state.people.items()} == {
        "earlier": "annotator",
        "chief": "referee",
    }
    assert all(who.token is None for who in project.state.people.values())


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (NewItem("a", " ", place="x.csv, line 2"), "x.csv, line 2: Found an empty text"),
        (NewItem("", "b"), "Found the id ''"),
        (NewItem("a\nb", "b"), "Found the id"),
        (NewItem("t0", "b"), "which the project already has"),
        (NewItem("a", "b" * 100_001), "split it"),
        (NewItem("a", "b", gold={}), "without one for the step 'one'"),
        (NewItem("a", "b", gold={"kindly": "yes"}), "a right answer to 'kindly'"),
        (NewItem("a", "b", gold={"kind": "maybe"}), "maybe"),
        (NewItem("a", "b", answers=(NewAnswer("p", "two", YES),)), "in the step 'two'"),
        (NewItem("a", "b", answers=(NewAnswer("p", "one", {}),)), "kind"),
        (NewItem("a", "b", answers=(NewAnswer(" ", "one", YES),)), "Found the annotator"),
        (NewItem("a", "b", answers=(NewAnswer("p", "one", YES),) * 2), "two answers of 'p'"),
    ],
)
def test_bad_items_bring_nothing_in(project: Project, new: NewItem, message: str) -> None:
    project.add_items(items(1))
    with pytest.raises(BadRowsError, match="1 row is not as expected") as found:
        project.add_items([NewItem("good", "text"), new])
    assert message in str(found.value)
    assert list(project.state.items) == ["t0"]
    assert project.state.people == {}
    assert project.store.last == 1


def test_repeated_ids_say_both_places(project: Project) -> None:
    twice = [NewItem("a", "x", place="f.csv, line 2"), NewItem("a", "y", place="f.csv, line 7")]
    with pytest.raises(BadRowsError, match=r"line 7: Found the id 'a' again, .* f.csv, line 2"):
        project.add_items(twice)


# ---- people -------------------------------------------------------------------------------------


def test_a_token_lets_in_until_it_is_revoked(project: Project) -> None:
    first = project.invite("annotator", " Ann  B. ")
    second = project.invite("referee", "Bo")
    assert (first.person, second.person) == ("a1", "r1")
    assert len(first.token) >= 43
    found = project.who(first.token)
    assert found is not None
    assert (found.id, found.name) == ("a1", "Ann B.")
    assert project.who(first.token + "x") is None
    assert project.who("") is None
    project.revoke("a1")
    assert project.who(first.token) is None
    again = project.invite("annotator", "Ann", person="a1")
    assert project.who(first.token) is None
    assert project.who(again.token) is project.state.people["a1"]
    assert project.invite("annotator", "Cy").person == "a2"


def test_no_token_is_stored(project: Project) -> None:
    token = project.invite("owner", "Own").token
    assert all(token not in str(event) for event in project.store.read())
    found = [path.read_bytes() for path in project.folder.rglob("*") if path.is_file()]
    assert all(token.encode() not in data for data in found)


def test_bad_calls_about_people(project: Project) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'owner'"):
        project.invite("owners", "X")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Found the name"):
        project.invite("owner", " \n")
    with pytest.raises(UnknownNameError, match="no person named 'a9'"):
        project.revoke("a9")
    person = let_in(project)
    with pytest.raises(InputError, match="is active; expected removed"):
        project.readmit(person)


def test_settings_are_checked_and_take_effect(project: Project) -> None:
    with pytest.raises(UnknownNameError):
        project.change({"most_per_dya": 4})
    with pytest.raises(InputError):
        project.change({"most_per_day": "many"})
    project.change({"most_per_day": 2})
    assert project.wellbeing.most_per_day == 2
    assert project.protocol.wellbeing.most_per_day == 8


# ---- the work -----------------------------------------------------------------------------------


def test_a_page_is_judged_and_survives(project: Project) -> None:
    project.add_items(items(4, tests=2))
    ann, bo = let_in(project), let_in(project, "Bo")
    page = project.page(ann, now=NOON)
    assert len(page.items) == 3
    assert page.left == 8
    assert page.items[0].context in ({"before": "Hello"}, {})
    assert project.page(ann, now=NOON + 1).items == page.items
    for person in (ann, bo):
        while judge(project, person, NOON + 2, lambda _: YES):
            pass
    # A cap of 8 a day is above the 4 items and the tests.
    assert project.state.finished()
    assert project.page(ann, now=NOON + 3).why == "Everything has been judged; thank you."
    seen = [(event.kind, event.number) for event in project.store.read()]
    state = {name: each.steps["one"].answers for name, each in project.state.items.items()}
    project.close()
    with Project.open(project.folder) as again:
        assert {n: each.steps["one"].answers for n, each in again.state.items.items()} == state
        assert [(event.kind, event.number) for event in again.store.read()] == seen
        assert again.resolve(ann, page.items[0].handle) == (page.items[0].item, "one")


def test_the_same_key_is_one_answer(project: Project) -> None:
    project.add_items(items(1))
    ann = let_in(project)
    item = project.page(ann, now=NOON).items[0]
    first = project.answer(ann, item.item, "one", YES, 1.0, "k", now=NOON)
    before = project.store.last
    assert project.answer(ann, item.item, "one", NO, 9.0, "k", now=NOON + 1) == first
    assert project.store.last == before
    changed = project.answer(ann, item.item, "one", NO, 2.0, "k2", now=NOON + 2)
    assert changed.answers == NO
    assert changed.number == before + 1
    assert project.state.people[ann].answered == 1


def test_undo_ends_with_the_time_of_the_page_for_tests_too(project: Project) -> None:
    project.add_items(items(2, tests=1))
    ann = let_in(project)
    page = project.page(ann, now=NOON)
    refused = []
    for item in page.items:
        project.answer(ann, item.item, "one", YES, 1.0, None, now=NOON + 1)
        project.answer(ann, item.item, "one", NO, 1.0, None, now=NOON + 2)
        with pytest.raises(InputError, match="time to change this answer is over") as found:
            project.answer(ann, item.item, "one", YES, 1.0, None, now=NOON + 1801)
        refused.append(str(found.value))
    assert len(page.items) == 3
    assert len(set(refused)) == 1


def test_what_was_not_given_is_refused(project: Project) -> None:
    project.add_items(items(9, tests=1))
    ann, bo = let_in(project), let_in(project, "Bo")
    mine = project.page(ann, now=NOON).items[0]
    other = next(
        name
        for name in project.state.items
        if name not in {item.item for item in project.page(ann, now=NOON).items}
    )
    for call in (
        lambda: project.answer(ann, other, "one", YES, 1.0, None, now=NOON),
        lambda: project.skip(ann, other, "one", now=NOON),
        lambda: project.resolve(bo, mine.handle),
        lambda: project.resolve(ann, "0" * 40),
    ):
        with pytest.raises(InputError, match="not given to you"):
            call()
    with pytest.raises(InputError, match="There is no item"):
        project.answer(ann, "none", "one", YES, 1.0, None, now=NOON)
    with pytest.raises(UnknownNameError, match="no step named 'two'"):
        project.answer(ann, mine.item, "two", YES, 1.0, None, now=NOON)
    for bad in ({}, {"kind": "maybe"}, {"other": "yes"}):
        with pytest.raises(InputError):
            project.answer(ann, mine.item, "one", bad, 1.0, None, now=NOON)
    with pytest.raises(InputError, match="seconds"):
        project.answer(ann, mine.item, "one", YES, float("nan"), None, now=NOON)
    assert not project.state.items[mine.item].steps["one"].answers


def test_handles_tell_nothing(project: Project) -> None:
    project.add_items(items(2, tests=1))
    pages = [project.page(let_in(project, name), now=NOON).items for name in ("A", "B")]
    handles = [item.handle for page in pages for item in page]
    assert len(set(handles)) == len(handles) == 6
    assert {len(handle) for handle in handles} == {40}
    for page in pages:
        assert all(item.item not in item.handle for item in page)


def test_consent_comes_first(project: Project) -> None:
    project.add_items(items(1))
    person = project.invite("annotator", "Ann").person
    page = project.page(person)
    assert page.items == ()
    assert page.why
    with pytest.raises(InputError, match="agree to it"):
        project.answer(person, "t0", "one", YES, 1.0)
    project.consent(person, {"age": "30-39"})
    assert len(project.page(person).items) == 1
    assert project.state.people[person].traits == {"age": "30-39"}


def test_the_cap_of_a_day_is_kept_by_the_server(project: Project) -> None:
    project.add_items(items(20))
    ann = let_in(project)
    given = [item.item for item in project.page(ann, now=NOON).items]
    project.change({"most_per_day": 2}, now=NOON)
    for item in given[:2]:
        project.answer(ann, item, "one", YES, 1.0, None, now=NOON)
    with pytest.raises(InputError, match="today"):
        project.answer(ann, given[2], "one", YES, 1.0, None, now=NOON)
    project.answer(ann, given[1], "one", NO, 1.0, None, now=NOON)  # to change is not one more
    page = project.page(ann, now=NOON + 1)
    assert (page.items, page.left) == ((), 0)
    assert page.why is not None
    assert "tomorrow" in page.why
    project.answer(ann, given[2], "one", YES, 1.0, None, now=NOON + DAY)


def test_skipped_and_returned_items_go_to_others(project: Project) -> None:
    project.change({"one.judgements": 1})
    project.add_items(items(2))
    ann, bo = let_in(project), let_in(project, "Bo")
    first, second = (item.item for item in project.page(ann, now=NOON).items)
    assert project.page(bo, now=NOON).items == ()
    project.skip(ann, first, "one", "too sad", now=NOON)
    project.skip(ann, first, "one", "too sad", now=NOON)
    assert [item.item for item in project.page(bo, now=NOON).items] == [first]
    project.give_back(ann, now=NOON)
    project.give_back(bo, now=NOON)
    assert [item.item for item in project.page(bo, now=NOON).items] == [first, second]
    assert project.page(ann, now=NOON).items == ()
    assert project.state.people[ann].skipped == 1


def test_a_lease_that_is_over_goes_to_others_and_a_late_answer_is_kept(project: Project) -> None:
    project.change({"one.judgements": 1})
    project.add_items(items(1))
    ann, bo = let_in(project), let_in(project, "Bo")
    project.page(ann, now=NOON)
    late = NOON + 31 * 60
    assert len(project.page(bo, now=late).items) == 1
    project.answer(bo, "t0", "one", YES, 1.0, None, now=late)
    project.answer(ann, "t0", "one", NO, 1.0, None, now=late + 1)
    assert [answer.annotator for answer in project.state.counted("t0", "one")] == [bo]


def test_a_page_that_is_half_over_gets_its_time_again(project: Project) -> None:
    project.add_items(items(1))
    ann = let_in(project)
    project.page(ann, now=NOON)
    before = project.store.last
    project.page(ann, now=NOON + 10 * 60)
    assert project.store.last == before
    project.page(ann, now=NOON + 20 * 60)
    assert project.state.items["t0"].steps["one"].leases[ann] == NOON + 50 * 60


# ---- trust --------------------------------------------------------------------------------------


def test_who_fails_the_tests_is_removed_and_comes_back_when_they_change(project: Project) -> None:
    """Price et al. 2020, section 3: below the threshold all judgements of a person go."""
    project.add_items(items(6, tests=3))
    ann = let_in(project)
    judge(project, ann, NOON, lambda _: NO)
    judge_all(project, ann, NO)
    kinds = [event.kind for event in project.store.read()]
    # The second test fails them. What else is on that page is taken as if nothing had happened.
    assert kinds.count("answered") == 6
    assert kinds[-1] == "removed"
    assert project.state.people[ann].status == "removed"
    assert all(not project.state.counted(f"t{at}", "one") for at in range(6))
    with pytest.raises(InputError, match="has ended"):
        project.answer(ann, "t0", "one", YES, 1.0, None, now=NOON)
    page = project.page(ann, now=NOON)
    assert page.items == ()
    assert page.why is not None
    for name in project.state.people[ann].taken:
        project.edit_gold(name[0], NO)
    assert [event.kind for event in project.store.read()].count("re-admitted") == 1
    assert project.state.people[ann].status == "active"
    assert any(project.state.counted(f"t{at}", "one") for at in range(6))


def test_nobody_is_removed_in_the_middle_of_a_page(project: Project) -> None:
    """Somebody who is refused after one answer would know which item was the test."""
    project.add_items(items(6, tests=3))
    ann = let_in(project)
    judge(project, ann, NOON, lambda _: NO)
    page = sorted(project.page(ann, now=NOON).items, key=lambda each: each.item)
    assert page[0].item.startswith("g")
    for at, each in enumerate(page):
        project.answer(ann, each.item, each.step, NO, 1.0, None, now=NOON)
        expected = "removed" if at == len(page) - 1 else "active"
        assert project.state.people[ann].status == expected


def test_who_leaves_a_page_is_removed_when_its_time_is_over(project: Project) -> None:
    project.add_items(items(6, tests=3))
    ann, ben = let_in(project), let_in(project, "Ben")
    judge(project, ann, NOON, lambda _: NO)
    page = sorted(project.page(ann, now=NOON).items, key=lambda each: each.item)
    project.answer(ann, page[0].item, page[0].step, NO, 1.0, None, now=NOON)
    project.page(ben, now=NOON + 60)
    assert project.state.people[ann].status == "active"
    project.page(ben, now=NOON + 3 * 3600)
    assert project.state.people[ann].status == "removed"


def test_half_a_character_is_refused(project: Project) -> None:
    for item in (NewItem("a", "x\ud800"), NewItem("a", "x", context={"one": "\udfff"})):
        with pytest.raises(InputError, match="half a character"):
            project.add_items([item])
    assert not project.state.items


def test_the_owner_removes_and_readmits(project: Project) -> None:
    project.add_items(items(2))
    ann = let_in(project)
    judge(project, ann, NOON, lambda _: YES)
    project.remove(ann, "asked to")
    assert not project.state.counted("t0", "one")
    project.readmit(ann)
    assert any(project.state.counted(f"t{at}", "one") for at in range(6))
    assert [
        e.data["why"] for e in project.store.read() if e.kind in ("removed", "re-admitted")
    ] == [
        "owner",
        "owner",
    ]


def test_gold_is_edited_taken_away_and_given(project: Project) -> None:
    project.add_items(items(1, tests=1))
    with pytest.raises(InputError, match="is not a test"):
        project.edit_gold("t0", None)
    with pytest.raises(InputError, match="maybe"):
        project.edit_gold("g0", {"kind": "maybe"})
    project.edit_gold("g0", None)
    project.edit_gold("t0", NO)
    assert project.state.items["g0"].gold is None
    assert project.state.items["t0"].gold == NO
    assert [event.kind for event in project.store.read()][-2:] == ["gold-edited", "tested"]


def test_a_referee_decides(project: Project) -> None:
    project.add_items(items(1, tests=1))
    ann, bo = let_in(project), let_in(project, "Bo")
    for person, said in ((ann, YES), (bo, NO)):
        judge(project, person, NOON, lambda _, said=said: said)  # type: ignore[misc]
    assert project.state.counts("one")["disputed"] == 1
    referee = project.invite("referee", "Ref").person
    with pytest.raises(InputError, match="cannot decide"):
        project.adjudicate(ann, "t0", "one", YES)
    with pytest.raises(InputError, match="is a test"):
        project.adjudicate(referee, "g0", "one", YES)
    with pytest.raises(InputError):
        project.adjudicate(referee, "t0", "one", {"kind": "maybe"})
    assert project.adjudicate(referee, "t0", "one", YES, "clear enough").answers == YES
    assert project.state.counts("one")["done"] == 1
    assert project.state.labels("t0", "one")["kind"].value == "yes"


# ---- at the same time ---------------------------------------------------------------------------


def test_many_at_once_collect_what_is_needed_and_no_more(project: Project) -> None:
    project.change({"most_per_day": None})
    project.add_items(items(60, tests=3))
    people = [let_in(project, f"P{at}") for at in range(12)]
    errors: list[BaseException] = []

    def work(person: str) -> None:
        try:
            while judge(project, person, NOON, lambda _: YES):
                pass
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert project.state.finished()
    for at in range(60):
        assert len(project.state.items[f"t{at}"].steps["one"].answers) == 2
    assert len({event.number for event in project.store.read()}) == project.store.last
    answered = [e.key for e in project.store.read() if e.kind == "answered"]
    assert len(answered) == len(set(answered))


def test_what_could_not_be_written_did_not_happen(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.add_items(items(1))
    ann = let_in(project)
    project.page(ann, now=NOON)

    def full(events: Any) -> Any:
        raise OutputError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(project.store, "append", full)
        with pytest.raises(OutputError, match="the disk is full"):
            project.answer(ann, "t0", "one", YES, 1.0, "k", now=NOON)
        assert not project.state.items["t0"].steps["one"].answers
    project.answer(ann, "t0", "one", YES, 1.0, "k", now=NOON)
    assert project.state.items["t0"].steps["one"].answers[ann].answers == YES


def test_an_operation_that_breaks_in_the_middle_leaves_nothing(project: Project) -> None:
    project.add_items(items(1))
    ann = let_in(project)
    before = project.store.last
    project.page(ann, now=NOON)

    class BrokenError(Exception):
        pass

    def half() -> None:
        from tactful.annotation.store.events import Event

        project._journal.record([Event("skipped", NOON, "t0", ann, "one")])
        raise BrokenError

    with pytest.raises(BrokenError):
        project._journal.run(half)
    assert not project.state.items["t0"].steps["one"].skipped
    assert project.store.last == before + 1
    project.skip(ann, "t0", "one", now=NOON)
    assert project.state.items["t0"].steps["one"].skipped == {ann}


@pytest.mark.slow
def test_sixty_people_at_once(project: Project) -> None:
    project.change({"most_per_day": None})
    project.add_items(items(20_000, tests=50))
    people = [let_in(project, f"P{at}") for at in range(60)]
    given: list[tuple[str, str]] = []

    def work(person: str) -> None:
        for _ in range(8):
            for item in project.page(person).items:
                project.answer(person, item.item, item.step, YES, 0.2, f"{person}{item.handle}")
                given.append((person, item.item))

    threads = [threading.Thread(target=work, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == len(set(given)) > 1000
    kept = (event for event in project.store.read() if event.kind == "answered")
    assert sorted((each.annotator or "", each.item or "") for each in kept) == sorted(given)
