"""Several projects on one server: addresses, links, sessions, and the first page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject

from tactful.annotation.project.project import Project
from tactful.annotation.web.home import addresses, create_site

TEXT = "They also have the right to love."


@pytest.fixture
def two(make_project: MakeProject) -> list[Project]:
    return [make_project("pcl", [TEXT]), make_project("stereotypes", ["Ellos también pueden."])]


@pytest.fixture
def client(two: list[Project]) -> Iterator[TestClient]:
    with TestClient(create_site(addresses(two))) as opened:
        yield opened


def test_a_single_project_has_no_address_of_its_own(two: list[Project]) -> None:
    assert list(addresses(two[:1])) == [""]
    assert list(addresses(two)) == ["/p/project-1", "/p/project-2"]


def test_folders_of_the_same_name_get_different_addresses(tmp_path: Path) -> None:
    made = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        with Project.create(tmp_path / place / "Mine", "pcl") as project:
            made.append(project)
    assert list(addresses(made)) == ["/p/mine", "/p/mine-2"]


def test_the_first_page_lists_only_the_projects_of_this_browser(
    client: TestClient, two: list[Project]
) -> None:
    assert client.get("/").status_code == 401
    owner = two[0].invite("owner", "Olu")
    client.get(f"/p/project-1/join/{owner.token}")
    page = client.get("/").text
    assert "You own it" in page
    assert "0 of 1 texts done" in page
    assert "/p/project-2" not in page
    worker = two[1].invite("annotator", "Ana")
    client.get(f"/p/project-2/join/{worker.token}")
    page = client.get("/").text
    assert 'href="/p/project-1/"' in page
    assert 'href="/p/project-2/"' in page
    two[1].revoke(worker.person)
    assert "/p/project-2" not in client.get("/").text


def test_a_link_from_before_finds_its_project(client: TestClient, two: list[Project]) -> None:
    invited = two[1].invite("owner", "Olu")
    answer = client.get(f"/join/{invited.token}")
    assert (answer.status_code, answer.url.path) == (200, "/p/project-2/owner")
    assert client.get("/join/unknown").status_code == 401


def test_pages_stay_within_their_project(client: TestClient, two: list[Project]) -> None:
    """No address in a page, and no redirect, leads out of the project."""
    client.get(f"/p/project-1/join/{two[0].invite('owner', 'Olu').token}")
    paths = ["", "/people", "/items", "/item?id=item-0", "/export", "/settings", "/log"]
    for path in ["/work", "/guideline", "/help", "/consent", *(f"/owner{each}" for each in paths)]:
        page = client.get(f"/p/project-1{path}")
        assert page.status_code == 200, path
        found = re.findall(r'(?:href|action|src|data-source)="(/[^"]*)"', page.text)
        assert found
        assert [each for each in found if not each.startswith("/p/project-1/")] == []
        assert 'data-root="/p/project-1"' in page.text


def test_one_project_is_closed_to_the_people_of_another(
    client: TestClient, two: list[Project]
) -> None:
    client.get(f"/p/project-1/join/{two[0].invite('owner', 'Olu').token}")
    assert client.get("/p/project-2/owner").status_code == 401
    assert client.get(f"/p/project-2/join/{two[0].invite('owner', 'Ola').token}").status_code == 401
    other = client.get("/p/project-2/api/page")
    assert (other.status_code, other.json()["error"]["status"]) == (401, "UNAUTHENTICATED")


def test_only_exports_take_a_token_from_the_address(two: list[Project]) -> None:
    """Also where the name of a project is part of the address."""
    token = two[0].invite("owner", "Olu").token
    with TestClient(create_site({"/p/export": two[0], "/p/other": two[1]})) as client:
        assert client.get(f"/p/export/api/v1/items?token={token}").status_code == 401
        assert client.get(f"/p/export/api/v1/export/labels?token={token}").status_code == 200


def test_an_invitation_made_in_a_project_leads_there(
    client: TestClient, two: list[Project]
) -> None:
    client.get(f"/p/project-1/join/{two[0].invite('owner', 'Olu').token}")
    page = client.get("/p/project-1/owner/people").text
    csrf = re.search(r'name="csrf" value="(\w+)"', page)
    assert csrf is not None
    form = {"csrf": csrf[1], "action": "invite", "name": "Ann", "role": "annotator"}
    made = client.post("/p/project-1/owner/people", data=form).text
    assert re.search(r"http://testserver/p/project-1/join/[\w-]{40,}", made)


def test_the_first_page_has_the_security_headers_once(client: TestClient) -> None:
    for path in ("/", "/p/project-1/help", "/nowhere"):
        answer = client.get(path)
        assert len(answer.headers.get_list("content-security-policy")) == 1, path
