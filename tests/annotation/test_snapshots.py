"""A snapshot gives the state that the log gives, or is not used."""

import json
import logging
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotation.scenes import START, Scene
from tests.annotation.test_state_laws import MOVES, PROTOCOLS, answers_of, play
from tests.children import child

from tactful.annotation.project.exchange import NewItem, NewSuggestion
from tactful.annotation.project.project import Project
from tactful.annotation.project.snapshotting import Snapshotter
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.items import ItemStep
from tactful.annotation.state.project_state import State
from tactful.annotation.state.queue import Leases, Queue
from tactful.annotation.state.snapshot import data_of, state_of
from tactful.annotation.state.suggestions import Suggestions
from tactful.annotation.state.teams import Teams
from tactful.annotation.store import journal, snapshots
from tactful.annotation.store.events import Event
from tactful.annotation.store.log import open_store
from tactful.annotation.store.snapshots import SNAPSHOT_FILE

UNSEEN = {"_handlers", "_days", "_stopping", "known", "clock"}
"""Fields that are derived from the others, or depend on the time of a request."""
PLACES = st.tuples(
    st.sampled_from(
        ["worded", "suggested", "shown", "remarked", "closed", "extended", "ranked", "team"]
    ),
    st.integers(0, 5),
)


def everything(value: Any) -> Any:
    """Return all that a state has, to compare two of them."""
    if isinstance(value, Queue):
        return list(value)
    if isinstance(value, State | Leases | Suggestions | Teams):
        found = {name: everything(each) for name, each in vars(value).items() if name not in UNSEEN}
        return found | ({"_ends": sorted(value._ends)} if isinstance(value, Leases) else {})
    if is_dataclass(value) and not isinstance(value, type | Protocol):
        names = [each.name for each in fields(value) if each.name not in UNSEEN]
        return {name: everything(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return [(name, everything(each)) for name, each in value.items()]
    return [everything(each) for each in value] if type(value) is list else value


def more(scene: Scene, extras: list[tuple[str, int]]) -> None:
    """Let happen what the other laws leave out."""
    step = scene.protocol.steps[0].id
    for what, chance in extras:
        item, person = f"i{chance % 4}", ("ann", "bob", "cem")[chance % 3]
        about: dict[str, Any] = {"item": item, "step": step}
        match what:
            case "worded":
                data: dict[str, Any] = {"version": f"v{chance}", "wording": {"steps": [chance]}}
                scene.happens("worded", data=data)
                said = answers_of(scene.protocol, step, chance)
                scene.answers(person, item, said, step)
            case "suggested":
                said = answers_of(scene.protocol, step, chance)
                scene.happens("suggested", **about, data={"answers": said, "source": "file"})
            case "shown":
                data = {"until": scene.now + 60, "page": 1, "suggestion": "shown"}
                scene.happens("shown", **about, annotator=person, data=data)
            case "remarked":
                said = {"text": f"remark {chance}"}
                scene.happens("remarked", **about, annotator=person, data=said)
            case "closed":
                scene.happens("closed" if chance % 2 else "reopened", **about)
            case "extended":
                scene.happens("extended", **about, data={"more": 1 + chance})
            case "ranked":
                scene.happens("ranked", data={"first": [item, "i3"][: 1 + (item != "i3")]})
            case "team":
                team = {"groups": {"g": ["ann"]}, "quotas": {"g": chance}, "assign": {item: ["g"]}}
                scene.happens("settings-changed", data=team)


@settings(max_examples=100)
@given(st.sampled_from(sorted(PROTOCOLS)), MOVES, st.lists(PLACES, max_size=20), st.integers(0, 90))
def test_a_snapshot_and_the_rest_is_the_whole(
    name: str, moves: list[tuple[str, str, str, int]], extras: list[tuple[str, int]], cut: int
) -> None:
    scene = play(PROTOCOLS[name], moves)
    more(scene, extras)
    live = State(scene.protocol)
    for event in scene.log[:cut]:
        live.apply(event)
        list(live.queue(scene.protocol.steps[0].id, event.at))  # as a server asks all the time
    data = json.loads(json.dumps(data_of(live), allow_nan=False))
    loaded = state_of(scene.protocol, data)
    loaded.extend(scene.log[cut:])
    whole = State.derive(scene.protocol, scene.log)
    assert everything(loaded) == everything(whole)
    later = scene.now + 1_000
    for step in scene.protocol.steps:
        assert list(loaded.queue(step.id, later)) == list(whole.queue(step.id, later))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a snapshot, and with a few events after it."""
    monkeypatch.setattr(journal, "WORTH_IT", 1)
    with Project.create(tmp_path / "project", "unhealthy") as project:
        work(project)
    monkeypatch.setattr(journal, "WORTH_IT", 10**9)
    with Project.open(tmp_path / "project") as project:
        project.invite("annotator", "Dot", now=START + 50)
    return tmp_path / "project"


def work(project: Project) -> None:
    project.add_items([NewItem(f"i{at}", f"Text {at}.", priority=at % 3) for at in range(30)])
    project.add_items([NewItem("t", "A test.", gold={"unhealthy.hostile": "no"})])
    step = project.protocol.steps[0].id
    project.suggest({"i3": [NewSuggestion(step, {"unhealthy": "no"}, "file")]})
    for at, name in enumerate(("Ann", "Bob", "Cem")):
        person = project.invite("annotator", name, now=START).person
        project.consent(person, {}, now=START)
        for each in project.page(person, now=START + at).items[:2]:
            said = {question.id: "no" for question in project.protocol.steps[0].questions}
            said.pop("unhealthy.generalisation_unfair", None)
            key = f"key {person} {each.item}"
            project.answer(person, each.item, step, said, 3.0, key=key, now=START + at)


def replayed(folder: Path) -> Any:
    """Return the state and the journal of a copy without a snapshot."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    (copy / SNAPSHOT_FILE).unlink(missing_ok=True)
    try:
        return opened(copy)[1]
    finally:
        shutil.rmtree(copy)


def opened(folder: Path) -> tuple[int, Any]:
    """Return how many events the snapshot saved, and everything that is known."""
    with Project.open(folder) as project:
        known = project._journal._derived
        seen = everything(project.state), known.keys, everything(known.shown)
        return project.state.number - project.unsaved, seen


def test_a_project_opens_with_its_snapshot(folder: Path) -> None:
    saved, seen = opened(folder)
    assert saved > 30
    assert seen == replayed(folder)


def test_what_was_saved_goes_on(folder: Path) -> None:
    """An answer sent again, and a page that was given before, are known."""
    with Project.open(folder) as project:
        ann = next(iter(project.state.people))
        item, step = project.state.answered_by(ann)[0]
        before = project.state.number
        again = project.answer(ann, item, step, {}, key=f"key {ann} {item}", now=START + 60)
        assert again.seconds == 3.0
        assert project.state.number == before
        project.give_back(ann, now=START + 61)
    assert opened(folder)[1] == replayed(folder)


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    at = content.index(b"Text 7")
    content[at] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def not_json(path: Path) -> None:
    path.write_bytes(b"\x00\xff not a snapshot")


def a_list(path: Path) -> None:
    path.write_text("[1]\n{}", encoding="utf-8")


def with_head(**changes: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        head, content = path.read_bytes().split(b"\n", 1)
        path.write_bytes(json.dumps(json.loads(head) | changes).encode() + b"\n" + content)

    return change


def with_state(**changes: Any) -> Callable[[Path], None]:
    """Write another state, with the right digest of the content."""

    def change(path: Path) -> None:
        head, content = path.read_bytes().split(b"\n", 1)
        data = json.loads(content)
        data["state"] |= changes
        changed = json.dumps(data).encode()
        told = json.loads(head) | {"content": sha256(changed).hexdigest()}
        path.write_bytes(json.dumps(told).encode() + b"\n" + changed)

    return change


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BAD: dict[str, Callable[[Path], None]] = {
    "a flipped bit": flipped,
    "cut off": cut,
    "empty": emptied,
    "not JSON": not_json,
    "a list": a_list,
    "an older format": with_head(format=0),
    "other code": with_head(made_by="0" * 64),
    "no digest": with_head(content=None),
    "no events": with_state(number=0),
    "fewer events": with_state(number=3),
    "more events": with_state(number=10_000),
    "no number": with_state(number=None),
    "another log": with_head(log="0" * 64),
    "no people": with_state(people=[]),
    "a folder": a_folder,
}


@pytest.mark.parametrize("damage", BAD.values(), ids=BAD)
def test_a_bad_snapshot_is_not_used(
    folder: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    expected = replayed(folder)
    damage(folder / SNAPSHOT_FILE)
    with caplog.at_level(logging.INFO, logger="tactful"):
        saved, seen = opened(folder)
    assert saved == 0
    assert seen == expected
    assert len([each for each in caplog.records if "snapshot" in each.message]) == 1


def test_without_a_snapshot_nothing_is_said(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / SNAPSHOT_FILE).unlink()
    with caplog.at_level(logging.INFO, logger="tactful"):
        assert opened(folder)[0] == 0
    assert not caplog.records


def test_the_snapshot_of_another_log_is_not_used(folder: Path) -> None:
    other = folder.with_name("other")
    with Project.create(other, "unhealthy") as project:
        work(project)
        project.save_snapshot()
    shutil.copy(other / SNAPSHOT_FILE, folder / SNAPSHOT_FILE)
    saved, seen = opened(folder)
    assert (saved, seen) == (0, replayed(folder))


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE events SET data = replace(data, 'Text 7', 'Text 8') WHERE number = 8",
        "UPDATE events SET at = at + 0.001 WHERE number = 8",
        "UPDATE events SET annotator = '' WHERE number = 8",
        "DELETE FROM events WHERE number > 20",
    ],
)
def test_an_edited_log_makes_the_snapshot_useless(folder: Path, edit: str) -> None:
    with sqlite3.connect(folder / "events.db") as connection:
        assert connection.execute(edit).rowcount
    connection.close()
    saved, seen = opened(folder)
    assert (saved, seen) == (0, replayed(folder))


def test_another_protocol_makes_the_snapshot_useless(folder: Path) -> None:
    with Project.open(folder) as project:
        used, store = project.protocol, project.store
        found = snapshots.load_snapshot(folder / SNAPSHOT_FILE, used, store)
        assert found is not None
        other = replace(used, lease_minutes=used.lease_minutes + 1)
        assert snapshots.load_snapshot(folder / SNAPSHOT_FILE, other, store) is None


def test_every_store_tells_edited_events_apart(store_url: str) -> None:
    """Also when the events are read in other pieces."""

    def event(text: str, key: str | None) -> Event:
        return Event("imported", START + 0.25, item="é", data={"text": text}, key=key)

    with open_store(store_url) as store:
        store.append([event("one", None), event("two", "key"), event("two", "")])
        whole = b"".join(store.read_raw(0, 3))
        assert b"".join([*store.read_raw(0, 1), *store.read_raw(1, 3)]) == whole
        assert len({*b"".join(store.read_raw(1, 3)).split(b"\n")}) == 3
        assert b"".join(store.read_raw(0, 0)) == b""


def test_a_project_on_postgresql_opens_with_its_snapshot(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    with Project.create(tmp_path / "project", "unhealthy", store=new_database()) as project:
        work(project)
        project.save_snapshot()
        expected = everything(project.state)
    saved, seen = opened(tmp_path / "project")
    assert saved > 30
    assert seen[0]["items"] == expected["items"]


def test_a_short_log_and_a_reader_write_no_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.create(tmp_path / "project", "unhealthy") as project:
        work(project)
    monkeypatch.setattr(journal, "WORTH_IT", 1)
    with Project.open(tmp_path / "project", read_only=True):
        pass
    assert not (tmp_path / "project" / SNAPSHOT_FILE).exists()


def test_a_snapshot_that_cannot_be_written_is_only_logged(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    a_folder(folder / SNAPSHOT_FILE)
    with Project.open(folder) as project:
        ann = project.invite("annotator", "Ann").person
        assert not project.save_snapshot()
    assert "no snapshot was written" in caplog.text
    with Project.open(folder) as project:
        assert ann in project.state.people


def test_a_served_project_is_saved_by_another_process(folder: Path) -> None:
    with Project.open(folder) as project:
        new = project.unsaved
        assert new
        assert Snapshotter(project).run()
        assert project.unsaved == 0
        project.invite("annotator", "Dot")
        number = project.state.number
    saved, seen = opened(folder)
    assert (saved, seen) == (number - 1, replayed(folder))


STOPS = """
import sys, time
from contextlib import contextmanager
from pathlib import Path
from tactful.annotation.project.project import Project
from tactful.annotation.store import snapshots

real = snapshots.atomic_path

@contextmanager
def waits(path, force):
    with real(path, force) as temporary:
        yield temporary
        print("written", flush=True)
        time.sleep(600)

snapshots.atomic_path = waits
with Project.open(Path(sys.argv[1])) as project:
    print(project.invite("annotator", "Eve").person, flush=True)
    project.save_snapshot()
"""


def left(folder: Path) -> Iterator[Path]:
    return folder.glob(f".{SNAPSHOT_FILE}.*")


def test_a_kill_while_a_snapshot_is_written_loses_nothing(folder: Path) -> None:
    before = (folder / SNAPSHOT_FILE).read_bytes()
    command = [sys.executable, "-c", STOPS, str(folder)]
    with child(command, stdout=subprocess.PIPE, text=True) as process:
        eve = process.stdout.readline().strip()
        assert process.stdout.readline() == "written\n"
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert (folder / SNAPSHOT_FILE).read_bytes() == before
    assert [*left(folder)]
    saved, seen = opened(folder)
    assert saved
    assert seen == replayed(folder)
    with Project.open(folder) as project:
        assert eve in project.state.people
        assert project.save_snapshot()
    assert not [*left(folder)]


def test_a_part_of_a_state_has_every_field() -> None:
    """A new field of a step must be saved, too; then this list grows with it."""
    assert {each.name for each in fields(ItemStep)} == {
        "status", "answers", "leases", "skipped", "declined", "decision", "counting", "complete",
        "finalized", "closed", "extra", "version", "known",
    }  # fmt: skip
