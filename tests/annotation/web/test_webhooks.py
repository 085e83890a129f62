"""Webhooks of annotation: what a real receiver gets, and when."""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject
from tests.service.test_webhooks import Receiver

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.project.watching import Watcher
from tactful.annotation.web.home import create_site
from tactful.cli.main import main
from tactful.webhooks import SECRET_VARIABLE, Sender, signature_of

SECRET = "a secret for tests only"  # noqa: S105
Told = list[tuple[str, Mapping[str, Any]]]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    yield found
    found.stop()


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    made = make_project("pcl", ["One.", "Two."])
    for name in ("Ann", "Bob", "Cem"):
        made.consent(made.invite("annotator", name).person, {})
    return made


@pytest.fixture
def told(project: Project) -> Told:
    found: Told = []
    Watcher(project, lambda kind, data: found.append((kind, data)))
    return found


def judge(project: Project, person: str, answer: str = "0", count: int = 2) -> None:
    for _ in range(count):
        item = project.page(person).items[0]
        project.answer(person, item.item, item.step, {"pcl": answer}, 2.0)


def kinds(told: Told) -> list[str]:
    return [kind for kind, _ in told]


def test_items_close_once_and_then_the_project_is_finished(project: Project, told: Told) -> None:
    judge(project, "a1")
    assert told == []
    judge(project, "a2", count=1)
    ((kind, data),) = told
    assert kind == "item.closed"
    assert data["project"] == "A trial"
    assert data["labels"] == {"paragraph": {"pcl": "0"}}
    judge(project, "a2", count=1)
    assert kinds(told) == ["item.closed", "item.closed", "project.finished"]
    assert {data["item"] for _, data in told[:2]} == {"item-0", "item-1"}
    # More work opens it, and it is finished again.
    project.add_items([NewItem("more", "Three.")])
    judge(project, "a1", count=1)
    judge(project, "a2", count=1)
    assert kinds(told)[3:] == ["item.closed", "project.finished"]


def test_a_removal_opens_items_which_close_again(project: Project, told: Told) -> None:
    judge(project, "a1")
    judge(project, "a2")
    told.clear()
    project.remove("a2", "left us")
    assert told == [("person.removed", {"project": "A trial", "person": "a2", "why": "owner"})]
    judge(project, "a3")
    assert kinds(told)[1:] == ["item.closed", "item.closed", "project.finished"]


def test_disputed_items_close_with_a_decision(project: Project, told: Told) -> None:
    judge(project, "a1", "0")
    judge(project, "a2", "2")
    assert told == []
    owner = project.invite("owner", "Olu").person
    project.adjudicate(owner, "item-0", "paragraph", {"pcl": "0"})
    assert kinds(told) == ["item.closed"]


def test_what_was_closed_before_is_not_told(project: Project) -> None:
    judge(project, "a1")
    judge(project, "a2")
    found: Told = []
    Watcher(project, lambda kind, data: found.append((kind, data)))
    project.invite("annotator", "Dot")
    project.change({"most_per_day": 9})
    assert found == []


def test_signed_events_reach_the_receiver(
    project: Project, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    sender = Sender(receiver.url, logging.getLogger("tactful.annotation"))
    with TestClient(create_site({"": project}, webhook=sender)) as client:
        assert client.get("/help").status_code == 200
        judge(project, "a1")
        judge(project, "a2")
        receiver.await_events(3)
    events = [json.loads(body) for _, body in receiver.got]
    assert [event["type"] for event in events] == ["item.closed", "item.closed", "project.finished"]
    assert b"One." not in receiver.got[0][1], "texts are not sent"
    headers, body = receiver.got[0]
    signed = signature_of(SECRET, headers["X-Tactful-Timestamp"], body)
    assert headers["X-Tactful-Signature"] == signed
    project.remove("a1")
    assert len(receiver.got) == 3, "a stopped server tells nothing"


def test_a_webhook_needs_a_secret_and_encryption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    for address, said in (
        ("http://127.0.0.1:1", SECRET_VARIABLE),
        ("http://hooks.example.org", "unencrypted"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(["annotate", "serve", str(tmp_path), "--webhook", address])
        assert stopped.value.code == 2
        assert said in capsys.readouterr().err
