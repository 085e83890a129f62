"""The REST API: what it takes, what it answers, and how it refuses."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject

from tactful.annotation.project.files import command_token
from tactful.annotation.project.project import Project
from tactful.annotation.web import api
from tactful.annotation.web.app import create_app

TEXT = "They also have the right to love."
ANSWERS = [{"annotator": "Amal", "step": "paragraph", "answers": {"pcl": "2"}}]


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project("pcl", [TEXT])


@pytest.fixture
def client(project: Project) -> Iterator[TestClient]:
    headers = {"Authorization": f"Bearer {project.invite('owner', 'Olu').token}"}
    with TestClient(create_app(project), headers=headers) as opened:
        yield opened


def refusal(answer: Any) -> tuple[int, str]:
    body = answer.json()["error"]
    assert body["code"] == answer.status_code
    assert body["details"][0]["errorType"]
    return answer.status_code, body["message"]


def test_items_tests_and_judgements_arrive_while_people_work(
    client: TestClient, project: Project
) -> None:
    worker = project.invite("annotator", "Ann")
    project.consent(worker.person, {})
    first = project.page(worker.person).items[0]
    sent = {
        "items": [
            {"id": "new", "text": "A new text.", "meta": {"from": "api"}, "priority": 2},
            {"id": "test", "text": "A test.", "gold": {"pcl": "0"}},
            {"id": "judged", "text": "It was judged.", "judgements": ANSWERS},
        ]
    }
    added = client.post("/api/v1/items", json=sent).json()
    assert (added["items"], added["tests"], added["judgements"]) == (2, 1, 1)
    project.answer(worker.person, first.item, first.step, {"pcl": "0"}, 3.0)
    following = project.page(worker.person).items
    assert "A new text." in {item.text for item in following}
    again = client.post("/api/v1/items", json=sent).json()
    assert (again["items"], again["known"], again["again"]) == (0, 3, 1)


def test_suggestions_and_rankings_arrive(client: TestClient, project: Project) -> None:
    project.change({"blind_share": 0.0})
    said = {"step": "paragraph", "answers": {"pcl": "2"}, "source": "a model 3"}
    new = {"id": "new", "text": "A new text.", "suggestions": [said]}
    assert client.post("/api/v1/items", json={"items": [new]}).json()["items"] == 1
    sent: dict[str, Any] = {"suggestions": [{"item": "item-0", **said}, {"item": "new", **said}]}
    assert client.post("/api/v1/suggestions", json=sent).json() == {"suggestions": 1}
    sent = {"first": ["new"], "by": "mixed", "measured": {"labels": 4}}
    assert client.post("/api/v1/ranking", json=sent).json() == {"ranked": 1}
    worker = project.invite("annotator", "Ann").person
    project.consent(worker, {})
    (item,) = project.page(worker).items
    assert (item.item, item.suggestion) == ("new", {"pcl": "2"})


@pytest.mark.parametrize(
    ("path", "sent", "said"),
    [
        ("suggestions", {"suggestions": [{"step": "paragraph"}]}, "found no 'item'"),
        ("suggestions", {"suggestions": [{"item": "item-0", "answers": 3}]}, "'answers'"),
        (
            "suggestions",
            {"suggestions": [{"item": "item-0", "step": "referee", "answers": {}}]},
            "expected a step of annotators",
        ),
        ("ranking", {"first": ["item-0", "item-0"], "by": "me"}, "twice"),
        ("ranking", {"first": [7], "by": "me"}, "expected at most 10,000 ids"),
        ("ranking", {"first": ["gone"], "by": "me"}, "There is no item 'gone'"),
        ("ranking", {"first": ["item-0"], "by": "me", "measured": "well"}, "'measured'"),
    ],
)
def test_wrong_suggestions_and_rankings(
    client: TestClient, project: Project, path: str, sent: Any, said: str
) -> None:
    before = project.state.number
    code, message = refusal(client.post(f"/api/v1/{path}", json=sent))
    assert 400 <= code < 500
    assert said in message
    assert project.state.number == before


def test_checking_adds_nothing(client: TestClient, project: Project) -> None:
    before = project.state.number
    sent = {"items": [{"id": "new", "text": "A new text."}], "check_only": True}
    assert client.post("/api/v1/items", json=sent).json()["items"] == 1
    assert project.state.number == before


def test_all_problems_come_together_and_nothing_is_added(
    client: TestClient, project: Project
) -> None:
    sent = {
        "items": [
            {"id": "good", "text": "A good text."},
            {"id": "empty", "text": " "},
            {"id": "wrong", "text": "A test.", "gold": {"pcl": "7"}},
        ]
    }
    answer = client.post("/api/v1/items", json=sent)
    details = answer.json()["error"]["details"]
    assert answer.status_code == 400
    assert [each["errorType"] for each in details] == ["BAD_ROW", "BAD_ROW"]
    assert details[0]["message"].startswith("items[1]: ")
    assert details[1]["message"].startswith("items[2]: ")
    assert "good" not in project.state.items


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("text", "items[0]: found a text; expected a JSON object"),
        ({"id": 7, "text": "a"}, "found a number as 'id'; expected a text"),
        ({"id": "a", "text": "a", "colour": 1}, "found the field 'colour'"),
        ({"id": "a", "text": "a", "gold": []}, "found a list as 'gold'"),
        ({"id": "a", "text": "a", "priority": "high"}, "found a text as 'priority'"),
        ({"id": "a", "text": "a", "priority": True}, "found true or false as 'priority'"),
        ({"id": "a", "text": "a", "meta": {"n": 1}}, "an object of names and texts"),
        ({"id": "a", "text": "a", "judgements": {}}, "found an object as 'judgements'"),
        (
            {"id": "a", "text": "a", "judgements": [{"annotator": "A", "step": "paragraph"}]},
            "items[0], judgement 1: found nothing as 'answers'",
        ),
    ],
)
def test_a_wrong_item_is_named(client: TestClient, item: Any, said: str) -> None:
    code, message = refusal(client.post("/api/v1/items", json={"items": [item]}))
    assert code == 400
    assert said in message


def test_pages_of_items_lead_to_all_of_them(
    client: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "MOST_LOOKED_AT", 3)
    sent = [{"id": f"i{number}", "text": f"Text {number}."} for number in range(10)]
    client.post("/api/v1/items", json={"items": sent})
    found: list[str] = []
    after: Any = 0
    pages = 0
    while after is not None:
        page = client.get("/api/v1/items", params={"after": after, "limit": 4}).json()
        found += [item["id"] for item in page["items"]]
        after = page["next"]
        pages += 1
    assert found == ["item-0", *(f"i{number}" for number in range(10))]
    assert pages == 4
    assert refusal(client.get("/api/v1/items?after=-1"))[0] == 400


def test_items_are_found_by_status_and_words(client: TestClient) -> None:
    sent = [
        {"id": "test", "text": "A test.", "gold": {"pcl": "0"}},
        {"id": "begun", "text": "Begun.", "judgements": ANSWERS},
    ]
    client.post("/api/v1/items", json={"items": sent})

    def ids(**query: str) -> list[str]:
        return [item["id"] for item in client.get("/api/v1/items", params=query).json()["items"]]

    assert ids(status="test") == ["test"]
    assert ids(status="open", step="paragraph") == ["item-0", "begun"]
    assert ids(status="done") == []
    assert ids(q="BEG") == ["begun"]
    assert client.get("/api/v1/item", params={"id": "begun"}).json()["text"] == "Begun."
    assert refusal(client.get("/api/v1/item", params={"id": "no"}))[0] == 404
    for unknown in ({"status": "finished"}, {"step": "first"}):
        code, said = refusal(client.get("/api/v1/items", params=unknown))[:2]
        assert code == 400, said


def test_judgements_decisions_and_labels(client: TestClient, project: Project) -> None:
    given = [
        {"item": "item-0", "annotator": name, "step": "paragraph", "answers": {"pcl": answer}}
        for name, answer in (("Amal", "0"), ("Ben", "2"))
    ]
    added = client.post("/api/v1/judgements", json={"judgements": given}).json()
    assert added["judgements"] == 2
    rows = client.get("/api/v1/judgements").json()["judgements"]
    assert [(row["annotator"], row["answers"]) for row in rows] == [
        ("Amal", {"pcl": "0"}),
        ("Ben", {"pcl": "2"}),
    ]
    label = client.get("/api/v1/labels").json()["labels"][0]
    assert (label["status"], label["labels"]["pcl"]["value"]) == ("disputed", None)
    sent = {"item": "item-0", "step": "paragraph", "answers": {"pcl": "2"}, "note": "clear"}
    assert client.post("/api/v1/decisions", json=sent).status_code == 200
    label = client.get("/api/v1/labels").json()["labels"][0]
    assert (label["status"], label["labels"]["pcl"]["decided"]) == ("done", True)
    assert "Amal" not in json.dumps(label)
    unknown = [{**given[0], "item": "elsewhere"}]
    code, message = refusal(client.post("/api/v1/judgements", json={"judgements": unknown}))
    assert (code, "'elsewhere'" in message) == (400, True)


def test_a_referee_decides_disputed_items_only(client: TestClient, project: Project) -> None:
    token = project.invite("referee", "Ref").token
    sent = {"item": "item-0", "step": "paragraph", "answers": {"pcl": "2"}}
    headers = {"Authorization": f"Bearer {token}"}
    assert refusal(client.post("/api/v1/decisions", json=sent, headers=headers))[0] == 404


def test_an_invitation_made_here_works(client: TestClient, project: Project) -> None:
    made = client.post("/api/v1/people", json={"name": "Bea", "role": "reader"}).json()
    assert made["link"] == f"http://testserver/join/{made['token']}"
    other = {"Authorization": f"Bearer {made['token']}"}
    you = client.get("/api/v1/project", headers=other).json()["you"]
    assert you == {"person": made["person"], "role": "reader"}
    again = client.post(
        "/api/v1/people", json={"name": "Bea", "role": "reader", "person": made["person"]}
    ).json()
    assert again["person"] == made["person"]
    assert client.get("/api/v1/project", headers=other).status_code == 401, "the old one ended"
    row = client.post(f"/api/v1/people/{made['person']}/revoke", json={}).json()
    assert row["status"] == "revoked"
    listed = client.get("/api/v1/people").text
    assert made["token"] not in listed
    assert again["token"] not in listed
    assert refusal(client.post("/api/v1/people", json={"name": "x", "role": "king"}))[0] == 400
    assert refusal(client.post("/api/v1/people/nobody/revoke", json={}))[0] == 404
    assert refusal(client.post(f"/api/v1/people/{made['person']}/crown", json={}))[0] == 404


def test_settings_are_changed_and_recorded(client: TestClient, project: Project) -> None:
    sent = {"settings": {"most_per_day": 10}}
    assert client.post("/api/v1/settings", json=sent).json()["settings"]["most_per_day"] == 10
    assert project.wellbeing.most_per_day == 10
    assert refusal(client.post("/api/v1/settings", json={"settings": {"colour": 1}}))[0] == 400
    assert refusal(client.post("/api/v1/settings", json={}))[0] == 400


def test_progress_counts_what_there_is(client: TestClient, project: Project) -> None:
    found = client.get("/api/v1/progress").json()
    assert (found["items"], found["tests"], found["finished"]) == (1, 0, False)
    assert found["steps"][0]["open"] == 1
    sent = {"item": "item-0", "step": "paragraph", "answers": {"pcl": "0"}}
    client.post("/api/v1/decisions", json=sent)
    found = client.get("/api/v1/progress").json()
    assert found["steps"][0]["done"] == 1
    assert found["finished"]


def test_an_export_by_address_with_a_token(client: TestClient, project: Project) -> None:
    project.adjudicate("o1", "item-0", "paragraph", {"pcl": "0"})
    token = project.invite("reader", "Rea").token
    with TestClient(create_app(project)) as stranger:
        answer = stranger.get(f"/api/v1/export/labels?token={token}")
        assert answer.status_code == 200
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            (line,) = archive.read("labels.jsonl").decode().splitlines()
        assert json.loads(line)["labels"]["pcl"]["value"] == "0"
        # Only exports take a token from the address, which proxies may log.
        assert stranger.get(f"/api/v1/labels?token={token}").status_code == 401
        assert stranger.get(f"/api/v1/export/jsonl?token={token}").status_code == 403
        assert stranger.get("/api/v1/export/labels").status_code == 401
    assert refusal(client.get("/api/v1/export/rot13"))[0] == 400


def test_only_a_valid_token_opens_it(client: TestClient, project: Project) -> None:
    with TestClient(create_app(project)) as stranger:
        owner = project.invite("owner", "Ola").token
        stranger.get(f"/join/{owner}")
        answer = stranger.get("/api/v1/project")
        assert answer.status_code == 401, "a cookie is not enough: other sites could use it"
        assert answer.headers["www-authenticate"] == "Bearer"
        for header in ("", "Bearer", "Bearer x", f"Basic {owner}", f"Bearer {owner}x", "Bearer ñ"):
            sent = {b"Authorization": header.encode("utf-8")}
            assert stranger.get("/api/v1/project", headers=sent).status_code == 401
        headers = {"Authorization": f"bearer {command_token(project.secret)}"}
        assert stranger.get("/api/v1/project", headers=headers).json()["you"]["role"] == "owner"


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"{}", "application/json", 400),
        (b'{"name": "%s"}' % (b"a" * api.MOST_SMALL_BYTES), "application/json", 413),
    ],
)
def test_wrong_bodies_are_refused(client: TestClient, body: bytes, kind: str, code: int) -> None:
    answer = client.post("/api/v1/people", content=body, headers={"Content-Type": kind})
    assert refusal(answer)[0] == code


def test_wrong_methods_and_addresses_have_the_same_shape(client: TestClient) -> None:
    assert refusal(client.get("/api/v1/nothing"))[0] == 404
    assert refusal(client.put("/api/v1/items"))[0] == 405
