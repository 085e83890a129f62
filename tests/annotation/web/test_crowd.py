"""Participants of a crowd platform: their link, screening, and completion codes."""

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.project.project import Project
from tactful.annotation.state.crowd import Crowd, read_crowd
from tactful.annotation.web.app import create_app
from tactful.annotation.web.crowd import link_key
from tactful.errors import InputError

STUDY: dict[str, Any] = {
    "code": "C1DONE",
    "screened_code": "C2SCREEN",
    "countries": ["United States", "US", "Canada"],
    "languages": ["English"],
    "most": 3,
}


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    made = make_project("pcl", [f"Text {number}." for number in range(9)])
    made.change({"crowd": STUDY, "quotas": {"*": 2}})
    return made


@pytest.fixture
def client(project: Project) -> Iterator[TestClient]:
    with TestClient(create_app(project)) as opened:
        yield opened


def come(client: TestClient, project: Project, participant: str = "5f3a") -> Any:
    return client.get(f"/crowd/{link_key(project)}?PROLIFIC_PID={participant}")


def begin(client: TestClient, project: Project, participant: str = "5f3a", **said: str) -> Any:
    page = come(client, project, participant).text
    signed = re.search(r'name="sign" value="(\w+)"', page)
    assert signed is not None
    form = {"participant": participant, "sign": signed[1], "country": "U.S.", "language": "english"}
    return client.post(f"/crowd/{link_key(project)}", data={**form, **said})


def work(project: Project, person: str, count: int) -> None:
    project.consent(person, {})
    for _ in range(count):
        item = project.page(person).items[0]
        project.answer(person, item.item, item.step, {"pcl": "0"}, 2.0)


def test_from_the_platform_and_back(client: TestClient, project: Project) -> None:
    page = come(client, project)
    assert "5f3a" in page.text
    assert "In which country" in page.text
    assert len(project.state.people) == 0, "opening a link changes nothing"
    assert begin(client, project).url.path == "/consent"
    (person,) = project.state.people.values()
    assert (person.crowd, person.role, person.name) == ("5f3a", "annotator", "5f3a")
    work(project, person.id, 1)
    assert "C1DONE" not in client.get("/done").text
    work(project, person.id, 1)
    done = client.get("/done").text
    assert "C1DONE" in done
    assert 'href="https://app.prolific.com/submissions/complete?cc=C1DONE"' in done
    assert "You have done all the items that were planned for you." in done
    # With the link once more, they are where they were.
    assert come(client, project).url.path == "/work"
    assert len(project.state.people) == 1


def test_the_same_participant_in_another_browser_is_the_same_person(
    client: TestClient, project: Project
) -> None:
    begin(client, project)
    with TestClient(create_app(project)) as other:
        assert begin(other, project, country="Mars").url.path == "/consent"
        assert client.get("/work").status_code == 401, "the link is theirs alone"
    assert len(project.state.people) == 1


@pytest.mark.parametrize("said", [{"country": "Mars"}, {"language": "Klingon"}, {"country": ""}])
def test_screening(client: TestClient, project: Project, said: dict[str, str]) -> None:
    page = begin(client, project, **said)
    assert "looks for other participants" in page.text
    assert "C2SCREEN" in page.text
    assert "C1DONE" not in page.text
    assert client.get("/work").status_code == 401
    # Other answers the second time change nothing.
    assert "C2SCREEN" in begin(client, project).text
    (person,) = project.state.people.values()
    assert (person.status, person.token) == ("revoked", None)


@pytest.mark.parametrize("country", ["U.S.", "us", " United  States ", "CANADA", "Canadá"])
def test_spellings(country: str) -> None:
    study = read_crowd(STUDY)
    assert study is not None
    assert study.accepts(country, "English")


@pytest.mark.parametrize(
    ("accepted", "given", "is_accepted"),
    [
        ("US", "United States", True),
        ("United States", "U.S.A.", True),
        ("US", "Estados Unidos", True),
        ("CA", "Canada", True),
        ("CA", "United States", False),
        ("Chad", "chad", True),
        ("Chad", "TD", False),
    ],
)
def test_names_of_one_country(accepted: str, given: str, is_accepted: bool) -> None:
    """Who is screened out cannot try again: the usual names of a country are the same."""
    assert Crowd("DONE", countries=(accepted,)).accepts(given, "") is is_accepted


def test_the_places_are_bounded(client: TestClient, project: Project) -> None:
    for number in range(3):
        assert begin(client, project, f"p{number}").status_code == 200
    full = begin(client, project, "p3")
    assert full.status_code == 409
    assert "closed" in full.text
    assert begin(client, project, "p1").status_code == 200, "who has a place keeps it"
    assert len(project.state.people) == 3


def test_those_screened_out_are_bounded_too(client: TestClient, project: Project) -> None:
    for number in range(30):
        begin(client, project, f"s{number}", country="Mars")
    assert begin(client, project, "s30", country="Mars").status_code == 409
    assert len(project.state.people) == 30


@pytest.mark.parametrize("participant", ["", "<b>", "a" * 65, "a b", "ñ", "%00"])
def test_odd_participants(client: TestClient, project: Project, participant: str) -> None:
    page = come(client, project, participant)
    assert page.status_code == 400
    assert "no participant id" in page.text


def test_what_did_not_come_from_the_page_is_refused(client: TestClient, project: Project) -> None:
    form = {"participant": "5f3a", "sign": "0" * 64, "country": "US", "language": "English"}
    assert client.post(f"/crowd/{link_key(project)}", data=form).status_code == 403
    assert client.get("/crowd/wrong?PROLIFIC_PID=5f3a").status_code == 404
    assert not project.state.people


def test_a_closed_study(client: TestClient, project: Project) -> None:
    begin(client, project)
    project.change({"crowd": None})
    assert come(client, project, "later").status_code == 409
    assert client.get("/work").status_code == 200, "who has begun may go on"


def test_nobody_else_gets_a_code(client: TestClient, project: Project, visit: Visit) -> None:
    ann = visit(project, "annotator")
    work(project, ann.person, 2)
    assert "C1DONE" not in ann.client.get("/done").text
    begin(client, project)
    person = next(each for each in project.state.people.values() if each.crowd)
    work(project, person.id, 2)
    project.remove(person.id)
    assert "C1DONE" not in client.get("/done").text


def test_the_daily_limit_is_not_the_end(client: TestClient, project: Project) -> None:
    project.change({"most_per_day": 1})
    begin(client, project)
    (person,) = project.state.people.values()
    work(project, person.id, 1)
    assert "C1DONE" not in client.get("/done").text


def test_the_owner_opens_and_closes_it(project: Project, visit: Visit) -> None:
    owner = visit(project, "owner")
    form = {"csrf": owner.csrf, "code": "C9", "parameter": "workerId", "most": "40", "back": ""}
    page = owner.client.post("/owner/crowd", data={**form, "countries": "Spain, España"})
    assert "Saved; the link is open." in page.text
    assert project.state.crowd == Crowd(
        "C9", "workerId", "", countries=("Spain", "España"), most=40
    )
    link = f"/crowd/{link_key(project)}?workerId={{{{%workerId%}}}}"
    assert link in html.unescape(page.text)
    for wrong in ({"code": "a b"}, {"most": "0"}, {"most": "x"}, {"back": "javascript:alert(1)"}):
        answer = owner.client.post("/owner/crowd", data={**form, **wrong})
        assert answer.status_code == 409, wrong
    owner.client.post("/owner/crowd", data={"csrf": owner.csrf, "action": "close"})
    assert project.state.settings["crowd"] is None
    assert "screening" not in owner.client.get("/owner/log").text


@pytest.mark.parametrize(
    "value",
    [7, {"code": ""}, {"code": "a", "colour": 1}, {"code": "a", "countries": "US"},
     {"code": "a", "countries": ["."]}, {"code": "a", "most": True},
     {"code": "a", "parameter": "1"}],
)  # fmt: skip
def test_wrong_settings(project: Project, value: Any) -> None:
    with pytest.raises(InputError):
        project.change({"crowd": value})
