"""The owner's pages: who sees them, what they show, and what their forms do."""

import csv
import html
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

MakeProject = Callable[..., Project]
Visit = Callable[..., Any]
OWNER_ONLY = (
    "/owner",
    "/owner/live",
    "/owner/agreement",
    "/owner/agreement.csv",
    "/owner/people",
    "/owner/people.csv",
    "/owner/items",
    "/owner/export",
    "/owner/settings",
    "/owner/log",
    "/owner/learning",
    "/owner/anchoring.csv",
)
FOR_REFEREES = ("/owner/disputed", "/owner/disputed.csv")
FORMS = (
    "/owner/people",
    "/owner/adjudicate",
    "/owner/gold",
    "/owner/settings",
    "/owner/export",
    "/owner/learning",
)
NASTY = '<script>alert(1)</script> {{ 7 * 7 }} \u202e"quoted"'
PROTOCOL = """
id: kind
name: Kindness
version: "1"
lang: en
summary: Is it kind?
source: ours
quality: {page: 3, tests: 1, least_trust: 0.7, least_tests: 1}
wellbeing: {most_per_day: 50, break_after: 30}
steps:
  - id: look
    title: A look
    judgements: 2
    questions:
      - id: tone
        kind: choice
        text: Is it kind?
        options: [{value: "yes", name: "Yes"}, {value: "no", name: "No"}]
      - id: places
        kind: spans
        text: Where?
        required: false
        options: [{value: praise, name: Praise}, {value: pity, name: Pity}]
      - id: why
        kind: text
        text: Why?
        required: false
"""


def said(person: str, tone: str, **more: Any) -> NewAnswer:
    return NewAnswer(person, "look", {"tone": tone, **more}, at=1_700_000_000.0, seconds=12)


ITEMS = [
    NewItem("same", "Thank you all.", answers=(said("Ann", "yes"), said("Ben", "yes"))),
    NewItem("split", NASTY, answers=(said("Ann", "yes"), said("Ben", "no", why="=1+1"))),
    NewItem("../odd id/?", "How kind of you 🌍 to say so.", meta={"from": NASTY}),
    NewItem("test", "Well done.", gold={"tone": "yes"}, answers=(said("Ann", "yes"),)),
]


@pytest.fixture
def project(make_project: MakeProject, tmp_path: Path) -> Project:
    file = tmp_path / "kind.yaml"
    file.write_text(PROTOCOL, encoding="utf-8")
    return make_project(file, ITEMS)


@pytest.fixture
def owner(project: Project, visit: Visit) -> Any:
    return visit(project, "owner")


def csrf(visitor: Any) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', visitor.client.get("/owner/people").text)
    assert found is not None
    return found[1]


def send(visitor: Any, path: str, **fields: Any) -> Any:
    token = csrf(visitor) if visitor.project.state.people[visitor.person].role == "owner" else ""
    return visitor.client.post(path, data={"csrf": token, **fields}, follow_redirects=False)


# Who sees what


@pytest.mark.parametrize("path", [*OWNER_ONLY, *FOR_REFEREES, "/owner/item?id=split"])
def test_to_an_annotator_these_pages_do_not_exist(
    project: Project, visit: Visit, path: str
) -> None:
    answer = visit(project).client.get(path)
    assert answer.status_code == 404
    assert answer.text == visit(project).client.get("/owner/nothing-of-that-name").text


@pytest.mark.parametrize("path", FORMS)
def test_an_annotator_can_send_no_form(project: Project, visit: Visit, path: str) -> None:
    before = project.store.last
    visitor = visit(project)
    started = project.store.last
    assert visitor.client.post(path, data={"csrf": "x"}).status_code == 404
    assert project.store.last == started > before


@pytest.mark.parametrize("path", OWNER_ONLY)
def test_a_referee_sees_no_page_of_the_owner(project: Project, visit: Visit, path: str) -> None:
    assert visit(project, "referee").client.get(path).status_code == 404


def test_a_referee_sees_what_is_disputed_and_nothing_else(project: Project, visit: Visit) -> None:
    client = visit(project, "referee").client
    assert "split" in client.get("/owner/disputed").text
    page = client.get("/owner/item?id=split").text
    assert "Decide, and open the next" in page
    assert "Hidden test" not in page
    for name in ("same", "test", "../odd id/?"):
        assert client.get("/owner/item", params={"id": name}).status_code == 404


@pytest.mark.parametrize(("role", "path"), [("owner", "/owner"), ("referee", "/owner/disputed")])
def test_who_was_removed_sees_no_page_and_sends_no_form(
    project: Project, visit: Visit, role: str, path: str
) -> None:
    visitor = visit(project, role)
    assert visitor.client.get(path).status_code == 200
    project.remove(visitor.person)
    before = project.store.last
    assert visitor.client.get(path).status_code == 404
    assert visitor.client.post("/owner/adjudicate", data={"csrf": "x"}).status_code == 404
    assert project.store.last == before


def test_without_an_invitation_nothing_is_shown(project: Project, owner: Any) -> None:
    owner.client.cookies.clear()
    for path in (*OWNER_ONLY, *FOR_REFEREES):
        assert owner.client.get(path).status_code == 401


@pytest.mark.parametrize("path", FORMS)
def test_a_form_from_elsewhere_is_refused(owner: Any, path: str) -> None:
    before = owner.project.store.last
    assert owner.client.post(path, data={"csrf": "wrong", "item": "split"}).status_code == 403
    assert owner.client.post(path, data={"item": "split"}).status_code == 403
    assert owner.project.store.last == before


# What the pages show


@pytest.mark.parametrize("path", [*OWNER_ONLY, *FOR_REFEREES])
def test_each_page_works_in_an_empty_project(
    make_project: MakeProject, visit: Visit, path: str
) -> None:
    for name in ("pcl", "unhealthy", "frames", "stereotypes"):
        client = visit(make_project(name, []), "owner").client
        answer = client.get(path)
        assert answer.status_code == 200, name


@pytest.mark.parametrize(
    "path", [*OWNER_ONLY, *FOR_REFEREES, "/owner/item?id=split", "/owner/item?id=..%2Fodd id%2F%3F"]
)
def test_texts_and_names_are_shown_as_text(owner: Any, path: str) -> None:
    owner.project.invite("annotator", "<script>alert(2)</script>")
    answer = owner.client.get(path)
    assert answer.status_code == 200
    if answer.headers["content-type"].startswith("text/html"):
        assert "<script>alert" not in answer.text
        assert "/script&gt; 49" not in answer.text
        assert " style=" not in answer.text
        assert " onclick" not in answer.text


def test_the_item_page_shows_everyone_side_by_side(owner: Any) -> None:
    page = owner.client.get("/owner/item?id=split").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 * 7 }}" in page
    assert page.index("<bdi>Ann</bdi>") < page.index("<bdi>Ben</bdi>")
    assert "=1+1" in page
    assert owner.client.get("/owner/item/split").text.count("<table") == page.count("<table")


def test_an_unknown_item_is_not_found(owner: Any) -> None:
    assert owner.client.get("/owner/item?id=nothing").status_code == 404
    assert owner.client.get("/owner/item").status_code == 404


def test_the_status_counts_and_estimates(owner: Any) -> None:
    page = owner.client.get("/owner?price=0.5").text
    assert "2.50 spent" in page  # five answers
    assert "unknown" not in re.findall(r"<dt>Cost left</dt>\s*<dd>([^<]*)", page)[0]
    for price in ("abc", "nan", "inf", "-1", "1e99"):
        assert "give a price above" in owner.client.get(f"/owner?price={price}").text


def test_the_live_part_is_the_part_of_the_page(owner: Any) -> None:
    page, part = owner.client.get("/owner").text, owner.client.get("/owner/live").text
    assert part.lstrip().startswith("<p")
    assert "<html" not in part
    assert re.findall(r"<dd>[^<]*</dd>", part) == re.findall(r"<dd>[^<]*</dd>", page)


def test_agreement_of_two_can_be_asked_for(owner: Any) -> None:
    names = {p.name: p.id for p in owner.project.state.people.values()}
    query = {"view": "tone", "first": names["Ben"], "second": names["Ann"]}
    page = owner.client.get("/owner/agreement", params=query).text
    assert "judged\n  2 of the same items and said the same about 1." in page
    for wrong in ({"step": "none"}, {"view": "none"}, {"first": "x", "second": "y"}):
        assert owner.client.get("/owner/agreement", params=wrong).status_code == 200


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "KIND OF"}, ["../odd id/?"]),
        ({"q": "spl"}, ["split"]),
        ({"status": "disputed"}, ["split"]),
        ({"status": "done"}, ["same"]),
        ({"status": "open", "step": "look"}, ["../odd id/?"]),
        ({"status": "test"}, ["test"]),
        ({"q": "none of them"}, []),
        ({"page": "2"}, []),
        ({"page": "-1", "status": "nonsense"}, ["same", "split", "../odd id/?", "test"]),
    ],
)
def test_items_are_found(owner: Any, query: dict[str, str], found: list[str]) -> None:
    page = owner.client.get("/owner/items", params=query).text
    assert re.findall(r"<a href=\"[^\"]*\"><bdi>([^<]*)</bdi>", page) == found


def test_items_come_page_by_page(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", [f"A mild text of number {n}." for n in range(120)])
    client = visit(project, "owner").client
    seen: list[str] = []
    for page in ("1", "2", "3"):
        text = client.get("/owner/items", params={"page": page}).text
        seen += re.findall(r"<bdi>(item-\d+)</bdi>", text)
        assert ('rel="next"' in text) == (page != "3")
    assert seen == [f"item-{n}" for n in range(120)]


def test_cells_that_a_spreadsheet_would_run_are_neutralised(owner: Any) -> None:
    owner.project.invite("annotator", "=HYPERLINK(1)")
    answer = owner.client.get("/owner/people.csv")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert "'=HYPERLINK(1)" in [row[1] for row in rows]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]
    assert "attachment" in answer.headers["content-disposition"]


def test_the_log_is_newest_first_and_complete(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", [f"A mild text of number {n}." for n in range(120)])
    client = visit(project, "owner").client
    query: dict[str, str] = {}
    seen: list[int] = []
    for _ in range(10):
        page = client.get("/owner/log", params=query).text
        seen += [int(each) for each in re.findall(r'<tr><td class="n">(\d+)</td>', page)]
        older = re.search(r"before=(\d+)", page)
        if older is None:
            break
        query = {"before": older[1]}
    assert seen == list(range(project.store.last, 0, -1))


def test_the_log_can_be_asked_for_one_kind(owner: Any) -> None:
    page = owner.client.get("/owner/log?kind=answered").text
    assert re.findall(r'<th scope="row">([^<]*)</th>', page) == ["answered"] * 5
    assert "token" not in owner.client.get("/owner/log").text


# What the forms do


def test_a_link_is_shown_once_and_lets_somebody_in(owner: Any, visit: Visit) -> None:
    page = send(owner, "/owner/people", action="invite", name="New <one>", role="annotator")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    found = re.search(r'value="http://testserver/join/([\w-]+)"', page.text)
    assert found is not None
    person = owner.project.who(found[1])
    assert (person.name, person.role) == ("New <one>", "annotator")
    for path in OWNER_ONLY:
        assert found[1] not in owner.client.get(path).text


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"action": "invite", "name": "", "role": "annotator"}, 400),
        ({"action": "invite", "name": "x" * 81, "role": "annotator"}, 400),
        ({"action": "invite", "name": "New", "role": "king"}, 400),
        ({"action": "remove", "person": "nobody"}, 404),
        ({"action": "dance", "person": "Ann"}, 400),
        ({"action": "readmit", "person": "Ann"}, 409),
    ],
)
def test_what_cannot_be_done_to_people(owner: Any, fields: dict[str, str], status: int) -> None:
    before = owner.project.store.last
    assert send(owner, "/owner/people", **fields).status_code == status
    assert owner.project.store.last == before


def test_somebody_is_removed_let_in_again_and_revoked(owner: Any) -> None:
    state = owner.project.state
    for action, counts, status in [
        ("remove", False, "removed"),
        ("readmit", True, "active"),
        ("revoke", True, "revoked"),
    ]:
        answer = send(owner, "/owner/people", action=action, person="Ben", reason="we talked")
        assert answer.status_code == 303
        assert (state.people["Ben"].counts, state.people["Ben"].status) == (counts, status)
        assert "Ben" in owner.client.get(answer.headers["location"]).text
    assert "we talked" in owner.client.get("/owner/log").text


def test_an_owner_cannot_lock_themselves_out(owner: Any) -> None:
    assert send(owner, "/owner/people", action="revoke", person=owner.person).status_code == 400
    assert owner.client.get("/owner").status_code == 200


def test_a_decision_is_kept_with_its_note(owner: Any) -> None:
    fields = {"item": "split", "step": "look", "q:tone": "no", "note": "irony"}
    fields |= {"add:places": "0-8 praise\r\n", "asked:places": "yes", "q:why": "  "}
    answer = send(owner, "/owner/adjudicate", **fields)
    assert answer.status_code == 303
    part = owner.project.state.items["split"].steps["look"]
    assert part.status == "done"
    span = {"start": 0, "end": 8, "value": "praise"}
    assert dict(part.decision.answers) == {"tone": "no", "places": [span]}
    assert "irony" in owner.client.get("/owner/log").text
    page = owner.client.get("/owner/item?id=split").text
    assert "decision" in page
    assert "Nothing is disputed." in owner.client.get("/owner/disputed").text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"q:tone": "perhaps"}, "perhaps"),
        ({}, "tone"),
        ({"q:tone": "yes", "add:places": "from 1 to 2"}, "from 1 to 2"),
        ({"q:tone": "yes", "add:places": "0-9999 praise"}, "9999"),
        ({"q:tone": "yes", "add:places": "0-4 nonsense"}, "nonsense"),
    ],
)
def test_a_decision_that_answers_nothing_is_refused(
    owner: Any, fields: dict[str, str], sentence: str
) -> None:
    answer = send(owner, "/owner/adjudicate", item="split", step="look", **fields)
    assert answer.status_code == 409
    told = re.findall(r'<p class="said wrong" role="alert">(.*?)</p>', answer.text, re.DOTALL)
    assert sentence in told[0]
    assert owner.project.state.items["split"].steps["look"].decision is None


@pytest.mark.parametrize(
    "fields", [{"item": "none", "step": "look"}, {"item": "split", "step": "x"}]
)
def test_a_decision_about_nothing_is_not_found(owner: Any, fields: dict[str, str]) -> None:
    assert send(owner, "/owner/adjudicate", **fields).status_code == 404


@pytest.mark.parametrize("item", ["same", "test", "../odd id/?", "none"])
def test_a_referee_decides_nothing_that_is_not_disputed(
    project: Project, visit: Visit, item: str
) -> None:
    client = visit(project, "referee").client
    page = client.get("/owner/item?id=split").text
    token = re.findall(r'name="csrf" value="(\w+)"', page)[0]
    fields = {"csrf": token, "step": "look", "q:tone": "no"}
    # A hidden test answers like an item that is not there.
    assert client.post("/owner/adjudicate", data={**fields, "item": item}).status_code == 404
    answer = client.post(
        "/owner/adjudicate", data={**fields, "item": "split"}, follow_redirects=False
    )
    assert answer.status_code == 303


def test_an_edited_test_is_shown_before_it_is_stored(owner: Any) -> None:
    before = owner.project.store.last
    page = send(owner, "/owner/gold", item="test", action="preview", **{"gold:tone": "no"})
    assert page.status_code == 200
    assert owner.project.store.last == before
    assert "1 would be removed, 0 re-admitted" in page.text
    assert "<bdi>Ann</bdi>" in page.text
    gold = re.search(r'name="gold" value="([^"]*)"', page.text)
    assert gold is not None
    kept = html.unescape(gold[1])
    assert kept == '{"tone": "no"}'
    answer = send(owner, "/owner/gold", item="test", action="confirm", gold=kept)
    assert answer.status_code == 303
    assert owner.project.state.items["test"].gold == {"tone": "no"}
    assert owner.project.state.people["Ann"].status == "removed"


def test_a_test_becomes_an_ordinary_item_and_an_item_a_test(owner: Any) -> None:
    send(owner, "/owner/gold", item="test", action="confirm", gold="null")
    assert owner.project.state.items["test"].gold is None
    gold = '{"tone": {"any": ["yes", "no"]}}'
    send(owner, "/owner/gold", item="same", action="confirm", gold=gold)
    assert owner.project.state.items["same"].gold == {"tone": {"any": ["yes", "no"]}}
    page = owner.client.get("/owner/item?id=same").text
    assert page.count('name="gold:tone"') == 2
    assert len(re.findall(r'name="gold:tone" value="\w+" checked', page)) == 2


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"action": "confirm", "gold": "{"}, 400),
        ({"action": "confirm", "gold": "[]"}, 400),
        ({"action": "confirm", "gold": '{"none": "x"}'}, 409),
        ({"action": "confirm", "gold": '{"tone": "perhaps"}'}, 409),
        ({"action": "preview", "tested:places": "yes", "gold:places:lines": "what"}, 409),
        ({"action": "preview", "item": "none"}, 404),
    ],
)
def test_a_wrong_test_is_refused(owner: Any, fields: dict[str, str], status: int) -> None:
    before = owner.project.store.last
    assert send(owner, "/owner/gold", **{"item": "test", **fields}).status_code == status
    assert owner.project.store.last == before


def form_of(owner: Any, **changes: str) -> dict[str, str]:
    page = owner.client.get("/owner/settings").text
    form = dict(re.findall(r'type="number" name="([\w.]+)"[^>]*?value="([^"]*)"', page, re.DOTALL))
    return {**form, "workload": "shared", "blur": "yes", "help": "", **changes}


def test_settings_are_changed(owner: Any) -> None:
    changes = {
        "look.judgements": "3",
        "most_per_day": "",
        "help": "Call\r\nus.",
        "least_trust": "0.5",
    }
    answer = send(owner, "/owner/settings", **form_of(owner, **changes))
    assert answer.status_code == 303
    rules = owner.project.state.protocol
    assert rules.step("look").judgements == 3
    assert (rules.wellbeing.most_per_day, rules.wellbeing.help) == (None, "Call\nus.")
    assert rules.quality.least_trust == 0.5
    assert owner.project.state.items["same"].steps["look"].status == "open"
    # What was not touched is not in the log.
    (event,) = [e for e in owner.project.store.read() if e.kind == "settings-changed"]
    assert set(event.data) == {"look.judgements", "most_per_day", "help", "least_trust"}


def test_nothing_changed_is_no_event(owner: Any) -> None:
    before = owner.project.store.last
    answer = send(owner, "/owner/settings", **form_of(owner))
    assert "Nothing+changed" in answer.headers["location"]
    assert owner.project.store.last == before


@pytest.mark.parametrize(
    "changes",
    [
        {"look.judgements": ""},
        {"look.judgements": "0"},
        {"look.judgements": "two"},
        {"look.most": "1"},
        {"least_trust": "1.5"},
        {"least_trust": "nan"},
        {"lease_minutes": "-1"},
        {"workload": "heavy"},
    ],
)
def test_wrong_settings_are_refused_with_a_sentence(owner: Any, changes: dict[str, str]) -> None:
    before = owner.project.store.last
    answer = send(owner, "/owner/settings", **form_of(owner, **changes))
    assert answer.status_code == 409
    assert 'role="alert"' in answer.text
    assert owner.project.store.last == before


def test_what_nobody_wants_is_shown_and_can_be_decided(
    make_project: MakeProject, visit: Visit, tmp_path: Path
) -> None:
    path = tmp_path / "kind.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    project = make_project(path, [NewItem("wanted", "A mild text."), NewItem("odd", NASTY)])
    owner = visit(project, role="owner")
    person = project.invite("annotator", "Ann").person
    while items := project.page(person).items:
        for item in items:
            if item.item == "odd":
                project.skip(person, item.item, item.step)
            else:
                project.answer(person, item.item, item.step, {"tone": "yes"}, 1.0)
    page = owner.client.get("/owner").text
    assert "<h2>Items that people skip</h2>" in page
    assert "skipped by 1, 2 judgements missing, 0 people left to ask" in page
    assert "<script>alert(1)</script>" not in page
    listed = owner.client.get("/owner/items?status=skipped").text
    assert 'href="/owner/item?id=odd"' in listed
    assert "wanted" not in listed.split("<tbody>")[1].split("</tbody>")[0]
    shown = owner.client.get("/owner/item?id=odd").text
    assert 'action="/owner/adjudicate"' in shown
    assert 'action="/owner/adjudicate"' not in owner.client.get("/owner/item?id=wanted").text
    form = {"csrf": owner.csrf, "item": "odd", "step": "look", "q:tone": "no", "then": "stay"}
    owner.client.post("/owner/adjudicate", data=form)
    assert project.state.items["odd"].steps["look"].status == "done"
    assert "Items that people skip" not in owner.client.get("/owner").text
