"""Search, filters and bulk actions on the owner's page of items."""

import json
import re
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, Visit, Visitor

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.web import figures

OTHERS = (
    "sarcastic",
    "generalisation",
    "hostile",
    "antagonistic",
    "condescending",
    "dismissive",
)


def answers(unhealthy: str) -> dict[str, str]:
    return {"unhealthy": unhealthy} | {f"unhealthy.{name}": "no" for name in OTHERS}


def judged(name: str, *given: str) -> NewItem:
    people = ("ann", "ben", "cem")
    return NewItem(
        name,
        f"A mild text called {name}.",
        answers=tuple(
            NewAnswer(person, "questionnaire", answers(each))
            for person, each in zip(people, given, strict=False)
        ),
    )


@pytest.fixture
def owner(make_project: MakeProject, visit: Visit) -> Visitor:
    project = make_project(
        "unhealthy",
        [
            judged("rude", "yes", "yes", "yes"),
            judged("kind", "no", "no", "no"),
            judged("mixed", "yes", "no"),
            NewItem("new", "A mild text that nobody has seen."),
            NewItem("test", "A mild hidden test.", gold={"unhealthy": "yes"}),
        ],
    )
    found: Visitor = visit(project, "owner")
    return found


def names(page: str) -> list[str]:
    return re.findall(r"<a href=\"[^\"]*\"><bdi>([^<]*)</bdi>", page)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"label": "questionnaire\tunhealthy\tyes"}, ["rude"]),
        ({"label": "questionnaire\tunhealthy\tno"}, ["kind"]),
        ({"label": "nonsense"}, []),
        ({"differ": "yes"}, ["mixed"]),
        ({"differ": "no", "status": "done"}, ["rude", "kind"]),
        ({"person": "cem"}, ["rude", "kind"]),
        ({"person": "nobody"}, []),
        ({"q": "MILD", "person": "ann", "status": "open"}, ["mixed"]),
    ],
)
def test_items_are_found_by(owner: Visitor, query: dict[str, str], expected: list[str]) -> None:
    assert names(owner.client.get("/owner/items", params=query).text) == expected


def do(owner: Visitor, action: str, **fields: Any) -> Any:
    page = owner.client.get("/owner/items").text
    csrf = page.split('name="csrf" value="')[1].split('"')[0]
    return owner.client.post("/owner/items", data={"csrf": csrf, "action": action, **fields})


def status(project: Project, item: str) -> str:
    return project.state.items[item].steps["questionnaire"].status


def test_ticked_items_are_closed_and_reopened(owner: Visitor) -> None:
    page = do(owner, "close", item=["new", "kind", "test"]).text
    assert "1 of 3: closed. The others stay as they are." in page
    assert status(owner.project, "new") == "waiting"
    assert names(owner.client.get("/owner/items?status=closed").text) == ["new"]
    assert "1 of 1: reopened." in do(owner, "reopen", item=["new"]).text
    assert status(owner.project, "new") == "open"


def test_all_that_were_found_get_more_judgements(owner: Visitor) -> None:
    page = do(owner, "more", all="yes", status="done", more="2").text
    assert "2 of 2: asked for 2 more." in page
    assert owner.project.state.needed("rude", "questionnaire", 0.0) == 2
    # The search is kept: nothing is done now.
    assert names(page) == []


def test_a_selection_is_exported(owner: Visitor) -> None:
    answer = do(owner, "export", item=["kind", "mixed"])
    assert 'filename="selection.jsonl"' in answer.headers["content-disposition"]
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["item"] for row in rows] == ["kind", "mixed"]
    assert rows[0]["labels"]["unhealthy"]["value"] == "no"


@pytest.mark.parametrize(
    ("action", "fields", "said"),
    [
        ("close", {}, "No item is ticked"),
        ("close", {"item": ["unknown"]}, "There is no item"),
        ("more", {"item": ["new"], "more": "-3"}, "expected 1 to 20"),
        ("more", {"item": ["new"], "more": "many"}, "expected 1 to 20"),
    ],
)
def test_bad_wishes_are_said(
    owner: Visitor, action: str, fields: dict[str, Any], said: str
) -> None:
    answer = do(owner, action, **fields)
    assert answer.status_code == 409
    assert said in answer.text


def test_only_the_settings_right_changes_items(owner: Visitor, visit: Visit) -> None:
    lead = visit(owner.project, "lead")
    page = lead.client.get("/owner/items").text
    assert names(page)
    assert 'value="close"' not in page
    csrf = page.split('name="csrf" value="')[1].split('"')[0]
    sent = {"csrf": csrf, "action": "close", "item": ["new"]}
    assert lead.client.post("/owner/items", data=sent).status_code == 404
    assert status(owner.project, "new") == "open"


def test_a_search_that_takes_long_goes_on_where_it_stopped(
    make_project: MakeProject, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project("pcl", [f"A mild text of number {n}." for n in range(25)])
    client = visit(project, "owner").client
    assert "Search the rest" not in client.get("/owner/items?q=24").text
    monkeypatch.setattr(figures, "FIND_PART", 10)
    monkeypatch.setattr(figures.Figures.find, "__defaults__", (0, -1.0))
    seen, address = [], "/owner/items?q=24"
    for _ in range(3):
        page = client.get(address).text
        seen.append(names(page))
        (address, *_) = re.findall(r'<a href="([^"]*)">Search the rest', page) or [""]
        address = address.replace("&amp;", "&")
    assert seen == [[], [], ["item-24"]]
    assert not address
