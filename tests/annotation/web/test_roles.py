"""What people of each role may do: every page, form and endpoint, by every role."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.state.roles import RIGHTS, ROLES, may, may_manage, works_on
from tactful.annotation.web.app import create_app

OWNER = {"owner"}
MANAGERS = {"owner", "lead"}
FIGURES = {"owner", "lead", "reader"}
DECIDERS = {"owner", "lead", "referee"}
PAGES: dict[tuple[str, str], set[str]] = {
    ("GET", "/owner"): FIGURES,
    ("GET", "/owner/live"): FIGURES,
    ("GET", "/owner/agreement"): FIGURES,
    ("GET", "/owner/agreement.csv"): FIGURES,
    ("GET", "/owner/log"): OWNER,
    ("GET", "/owner/people"): MANAGERS,
    ("POST", "/owner/people"): MANAGERS,
    ("GET", "/owner/people.csv"): OWNER,
    ("GET", "/owner/items"): MANAGERS,
    ("POST", "/owner/items"): OWNER,
    ("GET", "/owner/disputed"): DECIDERS,
    ("GET", "/owner/disputed.csv"): DECIDERS,
    ("GET", "/owner/item"): DECIDERS,
    ("GET", "/owner/item/{id:path}"): DECIDERS,
    ("POST", "/owner/adjudicate"): DECIDERS,
    ("POST", "/owner/gold"): OWNER,
    ("GET", "/owner/import"): OWNER,
    ("POST", "/owner/import"): OWNER,
    ("POST", "/owner/import/confirm"): OWNER,
    ("GET", "/owner/learning"): FIGURES,
    ("POST", "/owner/learning"): OWNER,
    ("GET", "/owner/anchoring.csv"): FIGURES,
    ("GET", "/owner/exposure.csv"): OWNER,
    ("GET", "/owner/export"): FIGURES,
    ("POST", "/owner/export"): FIGURES,
    ("GET", "/owner/assignment"): OWNER,
    ("POST", "/owner/assignment"): OWNER,
    ("GET", "/owner/crowd"): OWNER,
    ("POST", "/owner/crowd"): OWNER,
    ("GET", "/owner/settings"): OWNER,
    ("POST", "/owner/settings"): OWNER,
    ("GET", "/owner/wording"): FIGURES,
}
API: dict[tuple[str, str], set[str]] = {
    ("GET", "/project"): set(ROLES),
    ("GET", "/progress"): FIGURES,
    ("GET", "/items"): MANAGERS,
    ("POST", "/items"): OWNER,
    ("GET", "/item"): MANAGERS,
    ("GET", "/labels"): FIGURES,
    ("GET", "/judgements"): OWNER,
    ("POST", "/judgements"): OWNER,
    ("POST", "/decisions"): DECIDERS,
    ("GET", "/people"): MANAGERS,
    ("POST", "/people"): MANAGERS,
    ("POST", "/people/{person}/{change}"): MANAGERS,
    ("GET", "/settings"): OWNER,
    ("POST", "/settings"): OWNER,
    ("POST", "/suggestions"): OWNER,
    ("POST", "/ranking"): OWNER,
    ("GET", "/export/{format}"): FIGURES,
}
DISPUTED = NewItem(
    "item-0",
    "They also have the right to love.",
    answers=(
        NewAnswer("Amal", "paragraph", {"pcl": "0"}),
        NewAnswer("Ben", "paragraph", {"pcl": "2"}),
    ),
)


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project("pcl", [DISPUTED])


@pytest.fixture
def client(project: Project) -> Iterator[TestClient]:
    with TestClient(create_app(project)) as opened:
        yield opened


def declared(project: Project) -> list[tuple[str, str]]:
    found = []
    for route in create_app(project).routes:
        assert isinstance(route, Route | Mount)
        if isinstance(route, Route):
            found += [(method, route.path) for method in (route.methods or ()) if method != "HEAD"]
    return found


def test_every_route_is_in_these_tables(project: Project) -> None:
    """A new page or endpoint must say here who may use it."""
    known = {*PAGES, *((method, f"/api/v1{path}") for method, path in API)}
    ours = {one for one in declared(project) if one[1].startswith(("/owner", "/api/v1"))}
    assert ours == known


@pytest.mark.parametrize("role", ROLES)
def test_pages_exist_only_for_their_roles(client: TestClient, project: Project, role: Any) -> None:
    client.get(f"/join/{project.invite(role, 'Ann').token}")
    for (method, path), allowed in PAGES.items():
        if method == "POST":
            # Without the token of the session, those who may are refused, and others see no form.
            sent = {"files": {"file": b""}} if path == "/owner/import" else {"data": {}}
            status = client.post(path, **sent).status_code  # type: ignore[arg-type]
            assert status == (403 if role in allowed else 404), (method, path)
        else:
            asked = path.replace("/{id:path}", "/item-0")
            asked += "?id=item-0" if path == "/owner/item" else ""
            status = client.get(asked).status_code
            assert status == (200 if role in allowed else 404), (method, path)


@pytest.mark.parametrize("role", ROLES)
def test_endpoints_answer_only_their_roles(client: TestClient, project: Project, role: Any) -> None:
    headers = {"Authorization": f"Bearer {project.invite(role, 'Ann').token}"}
    for (method, path), allowed in API.items():
        asked = "/api/v1" + path.format(person="nobody", change="revoke", format="nothing")
        body: dict[str, str] | None = {} if method == "POST" else None
        answer = client.request(method, asked, json=body, headers=headers)
        if role in allowed:
            assert answer.status_code in (200, 400, 404), (method, path)
        else:
            assert answer.status_code == 403, (method, path)
            assert answer.json()["error"]["status"] == "PERMISSION_DENIED"


def test_what_a_lead_cannot_do(client: TestClient, project: Project) -> None:
    owner, worker = project.invite("owner", "Olu"), project.invite("annotator", "Ann")
    headers = {"Authorization": f"Bearer {project.invite('lead', 'Lea').token}"}
    made = client.post("/api/v1/people", json={"name": "Bea"}, headers=headers)
    assert made.status_code == 200
    for role in ("referee", "lead", "reader", "owner"):
        asked = {"name": "Eve", "role": role}
        assert client.post("/api/v1/people", json=asked, headers=headers).status_code == 403
    # Not even with the id of an existing annotator, who would get another role.
    asked = {"name": "Ann", "role": "owner", "person": worker.person}
    assert client.post("/api/v1/people", json=asked, headers=headers).status_code == 403
    asked = {"name": "Olu", "role": "annotator", "person": owner.person}
    assert client.post("/api/v1/people", json=asked, headers=headers).status_code == 403
    path = f"/api/v1/people/{owner.person}/revoke"
    assert client.post(path, json={}, headers=headers).status_code == 403
    path = f"/api/v1/people/{worker.person}/remove"
    assert client.post(path, json={}, headers=headers).json()["status"] == "removed"
    assert client.get("/api/v1/export/jsonl", headers=headers).status_code == 403
    assert {each.role for each in project.state.people.values()} == {"annotator", "owner", "lead"}


def test_a_lead_invites_annotators_on_the_page_and_nobody_else(
    client: TestClient, project: Project
) -> None:
    client.get(f"/join/{project.invite('lead', 'Lea').token}")
    page = client.get("/owner/people").text
    assert "<option>annotator</option>" in page
    assert "<option>owner</option>" not in page
    csrf = page.split('name="csrf" value="')[1].split('"')[0]
    form = {"csrf": csrf, "action": "invite", "name": "Eve"}
    assert client.post("/owner/people", data={**form, "role": "owner"}).status_code == 403
    assert client.post("/owner/people", data={**form, "role": "annotator"}).status_code == 200
    form = {"csrf": csrf, "format": "jsonl"}
    assert client.post("/owner/export", data=form).status_code == 403


def test_a_reader_sees_no_names_and_no_texts(client: TestClient, project: Project) -> None:
    project.invite("annotator", "Zebedee")
    client.get(f"/join/{project.invite('reader', 'Rea').token}")
    for path in ("/owner", "/owner/live", "/owner/agreement", "/owner/export"):
        page = client.get(path).text
        assert "Zebedee" not in page
        assert "right to love" not in page
    reader = next(each for each in project.state.people.values() if each.role == "reader")
    before = project.state.number
    csrf = client.get("/owner/export").text.split('name="csrf" value="')[1].split('"')[0]
    client.post("/consent", data={"csrf": csrf, "agree": "yes"})
    client.get("/api/page")
    client.post("/api/stop", data={"csrf": csrf})
    assert project.state.number == before, "a reader changes nothing"
    assert reader.consented is None


def test_a_removed_person_keeps_no_right(client: TestClient, project: Project) -> None:
    lead = project.invite("lead", "Lea")
    headers = {"Authorization": f"Bearer {lead.token}"}
    assert client.get("/api/v1/people", headers=headers).status_code == 200
    project.revoke(lead.person)
    assert client.get("/api/v1/people", headers=headers).status_code == 401


def test_the_table_of_rights() -> None:
    assert set(RIGHTS) == set(ROLES)
    assert all(RIGHTS[role] <= RIGHTS["owner"] for role in ROLES)
    assert not may("reader", "work")
    assert [role for role in ROLES if works_on(role, "referee")] == ["referee", "lead", "owner"]
    assert [role for role in ROLES if may_manage("lead", role)] == ["annotator"]
    assert not any(may_manage("reader", role) for role in ROLES)
