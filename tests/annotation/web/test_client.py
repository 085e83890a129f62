"""The Python client against a real server."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.annotation.web.desks import MakeProject

from tactful.annotation import Client
from tactful.annotation.client import AccessError, ApiError, NoAnswerError
from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.live import announced, reach
from tactful.annotation.project.project import Project
from tactful.errors import UsageError

Serve = Callable[[Project], str]


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project("pcl", ["They also have the right to love."])


@pytest.fixture
def client(project: Project, serve: Serve) -> Client:
    return Client(f"{serve(project)}/join/{project.invite('owner', 'Olu').token}")


def test_a_whole_project_by_the_client(client: Client, project: Project, tmp_path: Path) -> None:
    info = client.project()
    assert (info.name, info.protocol["id"], info.you["role"]) == ("A trial", "pcl", "owner")
    items = [NewItem(f"i{number}", f"Text {number}.") for number in range(1_200)]
    assert client.import_items(items, check_only=True).items == 1_200
    assert client.import_items(items).items == 1_200
    assert client.import_items(items[:3], skip_existing=True).skipped == 3
    test = NewItem("test", "A test.", gold={"pcl": "0"})
    assert client.import_items([test]).tests == 1
    assert [item.id for item in client.items(status="test")] == ["test"]
    assert sum(1 for _ in client.items(status="open")) == 1_201
    assert client.item("i7").text == "Text 7."
    given = [NewAnswer(name, "paragraph", {"pcl": "0"}, at=1.7e9) for name in ("Amal", "Ben")]
    assert client.add_judgements({"item-0": given}).judgements == 2
    assert [each.annotator for each in client.judgements()] == ["Amal", "Ben"]
    (label,) = client.labels()
    assert (label.item, label.labels["pcl"]["value"]) == ("item-0", "0")
    client.decide("i0", "paragraph", {"pcl": "2"}, "clear")
    assert {each.item for each in client.labels()} == {"item-0", "i0"}
    made = client.invite("Bea", "annotator")
    assert made.token not in repr(made)
    assert client.remove(made.person, "no longer here").status == "removed"
    assert client.readmit(made.person).status == "active"
    assert client.revoke(made.person).status == "revoked"
    assert {each.name for each in client.people()} == {"Olu", "Amal", "Ben", "Bea"}
    assert client.change({"most_per_day": 5})["most_per_day"] == 5
    assert client.settings()["most_per_day"] == 5
    progress = client.progress()
    assert (progress.items, progress.tests, progress.steps[0].done) == (1_201, 1, 2)
    path = client.export("labels", tmp_path / "labels.zip")
    with ZipFile(path) as archive:
        assert "labels.jsonl" in archive.namelist()


def test_errors_say_what_is_wrong(client: Client, project: Project, tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="empty text") as refused:
        client.import_items([NewItem("a", " ")])
    assert (refused.value.code, refused.value.status) == (400, "INVALID_ARGUMENT")
    assert refused.value.details[0]["errorType"] == "BAD_ROW"
    with pytest.raises(ApiError, match="no item 'nowhere'"):
        client.item("nowhere")
    reader = Client(client.address, project.invite("reader", "Rea").token)
    with pytest.raises(AccessError, match="'reader'") as denied:
        reader.people()
    assert denied.value.code == 403
    with pytest.raises(AccessError):
        Client(client.address, "unknown").project()
    with pytest.raises(AccessError):
        reader.export("jsonl", tmp_path / "all.zip")
    assert not (tmp_path / "all.zip").exists()


def test_addresses_that_cannot_be_used() -> None:
    with pytest.raises(UsageError, match="no token"):
        Client("http://127.0.0.1:8100")
    with pytest.raises(UsageError, match="unencrypted"):
        Client("http://label.example.org", "token")
    with pytest.raises(UsageError):
        Client("ftp://127.0.0.1", "token")
    with pytest.raises(NoAnswerError, match="no answer"):
        Client("http://127.0.0.1:1", "token", timeout=5).project()


def test_a_command_finds_the_server(project: Project, serve: Serve) -> None:
    assert reach(project.folder) is None
    with announced(project.folder, serve(project)):
        found = reach(project.folder)
        assert found is not None
        assert found.project().you == {"person": None, "role": "owner"}
    assert reach(project.folder) is None
    (project.folder / "serving.json").write_text("[]", encoding="utf-8")
    assert reach(project.folder) is None
