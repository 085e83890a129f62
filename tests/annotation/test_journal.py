"""State and store together: how a log is read, and who has to wait for the disk."""

import gc
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.store.events import Event
from tactful.annotation.store.journal import _LONG_LOG
from tactful.errors import InputError, OutputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Project.create(tmp_path / "project", "pcl") as project:
        project.add_items(NewItem(f"t{number}", "A text.") for number in range(_LONG_LOG + 1))
    return tmp_path / "project"


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    with Project.open(folder) as opened:
        yield opened


def is_collected(thing: object) -> bool:
    """Say whether the collector ever looks at something."""
    return any(each is thing for each in gc.get_objects())


def test_the_collector_leaves_a_long_log_alone_until_it_is_closed(folder: Path) -> None:
    """Otherwise pages would wait until the collector had seen all of it."""
    with Project.open(folder) as project:
        assert gc.isenabled()
        steps = project.state.items["t0"].steps
        assert not is_collected(steps)
        assert not is_collected(project.state.items[f"t{_LONG_LOG}"].steps)
    assert is_collected(steps)


def test_who_has_switched_the_collector_off_keeps_it_off(folder: Path) -> None:
    gc.disable()
    try:
        with Project.open(folder):
            assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_collector_is_on_again_when_a_log_cannot_be_read(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> Iterator[object]:
        raise InputError("the store is away")

    def full(*_: object) -> None:
        raise OutputError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(project.store, "append", full)
        patched.setattr(project.store, "read", away)
        with pytest.raises(OutputError, match="the disk is full"):
            project.invite("annotator", "Ann")
        assert gc.isenabled()
        # What was not written is not seen, nor is anything half read.
        assert not project.state.people
        with pytest.raises(InputError, match="the store is away"):
            project.invite("annotator", "Ann")
    assert project.invite("annotator", "Ann").person in project.state.people
    assert "t0" in project.state.items


def test_a_handle_that_is_known_waits_for_nobody(project: Project) -> None:
    """Who sends an answer queues up for the next transaction while another is being written."""
    ann = project.invite("annotator", "Ann").person
    project.consent(ann, {})
    first = project.page(ann).items[0]
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with project.lock:
            held.set()
            done.wait(10)

    with ThreadPoolExecutor(2) as threads:
        threads.submit(hold)
        assert held.wait(10)
        try:
            found = threads.submit(project.resolve, ann, first.handle)
            assert found.result(5) == (first.item, first.step)
        finally:
            done.set()


def test_a_handle_is_known_after_a_restart_and_to_its_person_only(folder: Path) -> None:
    with Project.open(folder) as project:
        ann, ben = (project.invite("annotator", name).person for name in ("Ann", "Ben"))
        project.consent(ann, {})
        first = project.page(ann).items[0]
    with Project.open(folder) as project:
        assert project.resolve(ann, first.handle) == (first.item, first.step)
        for person, handle in ((ben, first.handle), (ann, "0" * 40), (ann, "")):
            with pytest.raises(InputError, match="not given to you"):
                project.resolve(person, handle)


def test_listeners_hear_what_is_on_disk_and_cannot_break_anything(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    def listen(events: Sequence[Event]) -> None:
        heard.extend(event.kind for event in events)
        raise ValueError("a mistake of the listener")

    def full(*_: object) -> None:
        raise OutputError("the disk is full")

    project.listeners.append(listen)
    person = project.invite("annotator", "Ann").person
    assert person in project.state.people
    with monkeypatch.context() as patched:
        patched.setattr(project.store, "append", full)
        with pytest.raises(OutputError):
            project.revoke(person)
    assert heard == ["invited"], "what was not written is not told"
