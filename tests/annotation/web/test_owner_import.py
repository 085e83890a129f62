"""The owner's page of imports: preview, errors by line, and confirmation."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, Visit, Visitor

from tactful.annotation.project.project import Project
from tactful.annotation.web.owner import importing
from tactful.annotation.web.owner.importing import file_name, read_upload

Send = Callable[..., Any]


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project("pcl", ["They also have the right to love."])


@pytest.fixture
def owner(project: Project, visit: Visit) -> Visitor:
    return visit(project, "owner")


def send(owner: Visitor, name: str, content: bytes, **fields: str) -> Any:
    data = {"csrf": owner.csrf, "kind": "texts", **fields}
    return owner.client.post("/owner/import", data=data, files={"file": (name, content)})


def confirm(owner: Visitor, page: str) -> Any:
    key = re.search(r'name="key" value="([\w-]+)"', page)
    assert key is not None
    data = {"csrf": owner.csrf, "key": key[1]}
    return owner.client.post("/owner/import/confirm", data=data)


def test_a_table_is_shown_and_then_added(owner: Visitor, project: Project) -> None:
    before = project.state.number
    table = 'key,comment,from\n1,"Línea <b>one</b>,\r\ntwo",web\n2,Another.,web\n'
    page = send(owner, "más.csv", table.encode(), text_column="comment", id_column="key")
    assert page.status_code == 200
    assert "<strong>2 texts</strong>" in page.text
    assert "Línea &lt;b&gt;one&lt;/b&gt;" in page.text
    assert project.state.number == before, "nothing is added before it is confirmed"
    done = confirm(owner, page.text)
    assert "Added 2 texts from más.csv." in done.text
    assert project.state.items["1"].text == "Línea <b>one</b>,\r\ntwo"
    assert project.state.items["2"].meta == {"from": "web"}
    again = confirm(owner, page.text)
    assert again.status_code == 400
    assert "already added" in again.text


def test_every_problem_has_its_line(owner: Visitor, project: Project) -> None:
    table = b"id,text\nitem-0,Something else.\nnew,\nnew,Twice.\nnew,Twice.\n"
    page = send(owner, "bad.csv", table)
    assert page.status_code == 400
    for place in ("bad.csv, line 2: ", "bad.csv, line 3: ", "bad.csv, line 4: "):
        assert place in page.text
    assert "/tmp/" not in page.text  # noqa: S108
    assert set(project.state.items) == {"item-0"}
    kept = send(
        owner, "bad.csv", b"id,text\nitem-0,Something else.\nok,Fine.\n", skip_existing="yes"
    )
    assert "<strong>1 text</strong>; 1 are skipped" in kept.text


def test_hidden_tests_and_judgements(owner: Visitor, project: Project) -> None:
    tests = send(owner, "tests.csv", b"id,text,pcl\nt1,A test.,0\n", kind="tests")
    assert "<strong>1 hidden test</strong>" in tests.text
    assert "pcl: 0" in tests.text
    confirm(owner, tests.text)
    assert project.state.items["t1"].gold == {"pcl": "0"}
    wrong = send(owner, "tests.csv", b"id,text,pcl\nt2,A test.,seven\n", kind="tests")
    assert "tests.csv, line 2: " in wrong.text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("", b"", "No file was chosen"),
        ("a.csv", b"id,body\n1,x\n", "text"),
        ("a.csv", b"id,text\n1,\xff\n", "a.csv, line 2"),
        ("a.exe", b"MZ", "a.exe"),
        ("a.jsonl", b"{\n", "a.jsonl"),
        ("../../etc/a.parquet", b"PAR1", "a.parquet"),
        ("a.csv", b"", "a.csv"),
    ],
)
def test_files_that_cannot_be_read(owner: Visitor, name: str, content: bytes, said: str) -> None:
    page = send(owner, name, content)
    assert page.status_code == 400
    assert "Nothing was added" in page.text
    assert said in page.text


def test_forged_long_and_odd_requests(
    owner: Visitor, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = b"id,text\n1,One.\n"
    assert send(owner, "a.csv", table, csrf="forged").status_code == 403
    assert send(owner, "a.csv", table, kind="magic").status_code == 400
    plain = owner.client.post("/owner/import", data={"csrf": owner.csrf})
    assert plain.status_code == 415
    monkeypatch.setattr(importing, "MOST_UPLOAD", 1000)
    assert send(owner, "a.csv", table * 100).status_code == 413


def test_only_the_person_who_sent_it_confirms_it(
    owner: Visitor, project: Project, visit: Visit
) -> None:
    page = send(owner, "a.csv", b"id,text\n1,One.\n").text
    other = visit(project, "owner")
    assert confirm(other, page).status_code == 400
    assert "1" not in project.state.items
    for number in range(5):
        send(owner, "b.csv", b"id,text\n%d,Later.\n" % number)
    assert confirm(owner, page).status_code == 400, "only a few files wait"


def test_names_of_files() -> None:
    assert file_name("C:\\data\\my file.csv") == "my_file.csv"
    assert file_name("../..") == "upload"
    assert file_name("/etc/.hidden.csv") == "hidden.csv"


@pytest.mark.parametrize("content", [b"a\r\n\r\nb\r\n", b"\x00\xff\n\r\r\n", b"--x\n--x--\n"])
def test_the_bytes_of_a_file_stay_as_they_are(content: bytes) -> None:
    body = (
        b'--bound\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n" + content + b"\r\n--bound--\r\n"
    )
    assert read_upload("multipart/form-data; boundary=bound", body) == ({}, "a.bin", content)
