"""The owner's page of assignment: what it reads, writes, and warns of."""

from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, Visit, Visitor

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    made = make_project("pcl", [NewItem("one", "A text.", meta={"batch": "pilot: first"})])
    made.invite("annotator", "Ann")
    made.invite("annotator", "Bob")
    return made


@pytest.fixture
def owner(project: Project, visit: Visit) -> Visitor:
    return visit(project, "owner")


def save(owner: Visitor, **fields: str) -> Any:
    return owner.client.post("/owner/assignment", data={"csrf": owner.csrf, **fields})


def test_what_is_saved_comes_back(owner: Visitor, project: Project) -> None:
    form = {
        "groups": "experts: a1, a2\n\n",
        "everything": "experts",
        "assign": "one: a1",
        "quotas": "*: 20\nexperts: 100",
        "deadlines": "pilot: 2026-12-01\n*: 2027-01-01T18:00Z",
    }
    page = save(owner, **form)
    assert "Changed: groups, everything, assign, quotas, deadlines." in page.text
    settings = project.state.settings
    assert settings["groups"] == {"experts": ["a1", "a2"]}
    assert settings["quotas"] == {"*": 20, "experts": 100}
    assert "experts: a1, a2</textarea>" in page.text
    before = project.state.number
    assert "Nothing changed." in save(owner, **form).text
    assert project.state.number == before
    assert "Changed: quotas." in save(owner, **{**form, "quotas": ""}).text
    assert project.state.teams.quota("a1") is None


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"groups": "experts a1"}, "Line 1 is &#39;experts a1&#39;"),
        ({"groups": "x: a1\nx: a2"}, "Line 2 has &#39;x&#39; again"),
        ({"quotas": "a1: many"}, "expected a whole number"),
        ({"assign": "pilot: ghost"}, "Found &#39;ghost&#39;"),
        ({"deadlines": "pilot: soon"}, "Found the deadline"),
        ({"everything": "<b>"}, "Found &#39;&lt;b&gt;&#39;"),
    ],
)
def test_mistakes_are_said_and_what_was_written_stays(
    owner: Visitor, project: Project, form: dict[str, str], said: str
) -> None:
    before = project.state.number
    page = save(owner, **form)
    assert page.status_code == 409
    assert said in page.text
    (written,) = form.values()
    assert written.replace("<", "&lt;").replace(">", "&gt;") + "</textarea>" in page.text
    assert project.state.number == before


def test_batches_that_cannot_be_finished_are_named(owner: Visitor) -> None:
    late = "pilot: first: 2020-01-01"
    page = save(owner, assign="pilot: first: a1\nother: a1, a2", deadlines=late)
    assert page.text.count("1 person for paragraph: too few") == 1
    assert page.text.count("overdue") == 1
    assert page.text.count("no items") == 1
