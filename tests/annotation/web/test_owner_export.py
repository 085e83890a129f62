"""Downloads of a project: who gets them, what is in them, and how they are named."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.load import EXPORTS
from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.web.owner import export
from tactful.annotation.web.owner.export import safe_name

Visit = Callable[..., Any]
PROJECT = "unhealthy"
ANSWERS = {
    f"unhealthy{name}": "no"
    for name in (
        "",
        ".sarcastic",
        ".generalisation",
        ".hostile",
        ".antagonistic",
        ".condescending",
        ".dismissive",
    )
}


@pytest.fixture
def owner(make_project: Callable[..., Project], visit: Visit) -> Any:
    said = NewAnswer("Ann", "questionnaire", ANSWERS, at=1.7e9, seconds=9)
    project = make_project(PROJECT, [NewItem("a", "=A mild text.", answers=(said,)), "Another."])
    return visit(project, "owner")


def ask(visitor: Any, name: str, **more: str) -> Any:
    page = visitor.client.get("/owner/export").text
    token = re.findall(r'name="csrf" value="(\w+)"', page)[0]
    return visitor.client.post("/owner/export", data={"csrf": token, "format": name, **more})


def unpack(answer: Any) -> dict[str, bytes]:
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_every_format_is_offered(owner: Any) -> None:
    page = owner.client.get("/owner/export").text
    for name in EXPORTS:
        assert f'name="format" value="{name}"' in page


def test_a_download_holds_what_the_command_writes(owner: Any, tmp_path: Path) -> None:
    from tactful.annotation.formats.load import export

    answer = ask(owner, "jsonl")
    assert answer.headers["content-type"] == "application/zip"
    name = answer.headers["content-disposition"]
    assert re.fullmatch(r"attachment; filename\*=utf-8''a-trial-jsonl-\d{4}-\d\d-\d\d\.zip", name)
    files = unpack(answer)
    export(owner.project, "jsonl", tmp_path / "files")
    assert sorted(files) == sorted(path.name for path in (tmp_path / "files").iterdir())
    assert json.loads(files["export.json"])["format"] == "jsonl"
    assert b"=A mild text." in b"".join(files.values())
    assert owner.token.encode() not in b"".join(files.values())


def test_cells_can_be_neutralised(owner: Any) -> None:
    for ticked, words in (({}, b",=A mild"), ({"spreadsheet": "yes"}, b"'=A mild")):
        files = unpack(ask(owner, "ucc", **ticked))
        assert words in b"".join(each for name, each in files.items() if name.endswith(".csv"))


def test_labels_that_may_still_change_can_be_asked_for(owner: Any) -> None:
    for ticked, instead in (({}, "--unfinished"), ({"unfinished": "yes"}, "may still change")):
        lost = json.loads(unpack(ask(owner, "ucc", **ticked))["export.json"])["lost"]
        [unfinished] = [each for each in lost if each["what"].endswith("not finished")]
        assert instead in unfinished["why"]


def test_nobody_waits_for_it_and_the_project_goes_on(owner: Any) -> None:
    before = owner.project.store.last
    unpack(ask(owner, "csv"))
    owner.project.add_items([NewItem("later", "A later text.")])
    assert owner.project.store.last == before + 1
    assert b"A later text." in b"".join(unpack(ask(owner, "csv")).values())


def test_a_format_that_does_not_fit_says_so(owner: Any) -> None:
    answer = ask(owner, "dpm")
    told = re.findall(r'<p class="said wrong" role="alert">(.*?)</p>', answer.text, re.DOTALL)
    assert answer.status_code == 409
    assert "Traceback" not in answer.text
    assert "gives no label from 0 to 4" in told[0]


@pytest.mark.parametrize("name", ["", "exe", "../jsonl", "--help"])
def test_an_unknown_format_is_refused(owner: Any, name: str) -> None:
    assert ask(owner, name).status_code == 400


@pytest.mark.parametrize("role", ["annotator", "referee"])
def test_only_the_owner_downloads(owner: Any, visit: Visit, role: str) -> None:
    client = visit(owner.project, role).client
    assert client.get("/owner/export").status_code == 404
    assert client.post("/owner/export", data={"format": "jsonl"}).status_code == 404
    assert owner.client.post("/owner/export", data={"format": "jsonl"}).status_code == 403


def test_one_is_made_at_a_time(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = []

    def meanwhile(*_: object) -> Any:
        answers.append(ask(owner, "csv"))
        return io.BytesIO(b"made")

    monkeypatch.setattr(export, "_zipped", meanwhile)
    assert ask(owner, "jsonl").content == b"made"
    assert answers[0].status_code == 409
    assert "Another export is being made" in answers[0].text


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("A trial", "a-trial"),
        ('../"x"\r\nSet-Cookie: y', "x-set-cookie-y"),
        ("Straße 7", "strasse-7"),
        ("…", "annotations"),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_name_is_safe(name: str, safe: str) -> None:
    assert safe_name(name) == safe
