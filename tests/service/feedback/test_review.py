"""The queue of the moderators: who may see it, what it shows, and what a decision leaves behind."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.service.conftest import FAST

from tactful.service.app import create_app
from tactful.service.feedback.records import Record
from tactful.service.feedback.store import open_feedback
from tactful.service.http.keys import add_key
from tactful.service.review.similar import similar_decisions, words_of
from tactful.service.routes.review import asked_ids

TEXT = "With our help even they can learn to hope again."
LOCAL = {"Host": "127.0.0.1"}


def queued(client: TestClient, text: str = TEXT, **more: Any) -> None:
    body = {"text": text, "review": True, **more}
    assert client.post("/v1/feedback", json=body).status_code == 200


def first_item(client: TestClient) -> dict[str, Any]:
    item = client.get("/review/queue", headers=LOCAL).json()["items"][0]["item"]
    found: dict[str, Any] = client.get(f"/review/items/{item}", headers=LOCAL).json()
    return found


def decided(client: TestClient, item: str, decision: str, id: str, **more: Any) -> None:
    body = {"item": item, "decision": decision, "id": id, **more}
    answer = client.post("/review/decisions", json=body, headers=LOCAL)
    assert answer.status_code == 200, answer.text


def test_a_text_is_shown_with_reasons_words_and_questions(client: TestClient) -> None:
    queued(client, note="A user asked.")
    found = first_item(client)
    assert found["text"] == TEXT
    report = client.post("/v1/check", json={"text": TEXT, "frames": "off"}).json()
    kinds = [kind for each in report["documents"][0]["findings"] for kind in each["kinds"]]
    assert kinds
    shown = [kind for each in found["findings"] for kind in each["kinds"]]
    assert [each["id"] for each in shown] == [kind["id"] for kind in kinds]
    assert [each["confidence"] for each in shown] == [kind["confidence"] for kind in kinds]
    assert all(0 < len(each["reason"].split()) <= 40 for each in found["findings"])
    for each in shown:
        for start, end in each["spans"]:
            assert TEXT[start:end].strip()
    assert found["asked"][0] == kinds[0]["id"]
    assert found["reports"][0]["note"] == "A user asked."
    assert found["similar"] == []


def test_a_decision_empties_the_queue_and_can_be_taken_back(
    client: TestClient, feedback_url: str
) -> None:
    queued(client)
    item = first_item(client)["item"]
    decided(client, item, "remove", "decision-1", labels={"pcl": True, "unhealthy": False})
    queue = client.get("/review/queue", headers=LOCAL).json()
    assert (queue["items"], queue["decided"]) == ([], 1)
    with open_feedback(feedback_url) as store:
        (record,) = store.records(kind="decided")
    assert record.data["decision"] == "remove"
    assert record.data["labels"] == {"pcl": 1, "unhealthy": 0}
    assert record.text == TEXT
    back = client.post("/review/undo", json={"id": "decision-1"}, headers=LOCAL)
    assert back.json()["deleted"] == 1
    assert len(client.get("/review/queue", headers=LOCAL).json()["items"]) == 1


def test_a_decision_belongs_to_the_author_of_the_text(
    client: TestClient, feedback_url: str
) -> None:
    queued(client, author="user-17")
    decided(client, first_item(client)["item"], "keep", "decision-1")
    with open_feedback(feedback_url) as store:
        assert store.delete(author="user-17") == 2


def test_similar_past_decisions_are_shown(client: TestClient) -> None:
    queued(client, "Those poor souls will never learn to hope without our help.")
    decided(client, first_item(client)["item"], "remove", "decision-1", labels={"pcl": True})
    queued(client)
    (similar,) = first_item(client)["similar"]
    assert similar["decision"] == "remove"
    assert similar["labels"] == {"pcl": 1}
    assert 0.2 <= similar["similarity"] < 1


@pytest.mark.parametrize(
    "body",
    [
        {"item": "0" * 64, "decision": "keep", "id": "decision-1"},
        {"item": "nonsense", "decision": "keep", "id": "decision-1"},
        {"item": "0" * 64, "decision": "burn", "id": "decision-1"},
        {"item": "0" * 64, "decision": "keep", "id": "decision-1", "labels": {"nonsense": True}},
    ],
)
def test_a_decision_on_nothing_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    answer = client.post("/review/decisions", json=body, headers=LOCAL)
    assert answer.status_code in (400, 404, 422)
    assert client.get("/review/items/nonsense", headers=LOCAL).status_code == 404


def test_a_form_of_another_site_cannot_decide(client: TestClient) -> None:
    queued(client)
    answer = client.post("/review/decisions", data={"item": "x"}, headers=LOCAL)
    assert answer.status_code == 415


def test_without_keys_only_this_machine_is_served(client: TestClient) -> None:
    for path in ("/review", "/review/queue", f"/review/items/{'0' * 64}"):
        assert client.get(path, headers={"Host": "evil.example.org"}).status_code == 403
    assert client.get("/review", headers=LOCAL).status_code == 200


def test_where_texts_are_hashed_the_page_says_so(feedback_url: str) -> None:
    settings = replace(FAST, feedback=feedback_url, feedback_texts="hash", web=True)
    with TestClient(create_app(settings)) as client:
        queued(client)
        page = client.get("/review", headers=LOCAL).text
        assert "only hashes" in page
        assert "review.js" not in page
        assert client.get("/review/queue", headers=LOCAL).json()["items"] == []


@pytest.fixture
def keyed(tmp_path: Path, feedback_url: str) -> Iterator[tuple[TestClient, dict[str, str]]]:
    keys = tmp_path / "keys.json"
    secrets = {
        "forum": add_key(keys, "forum")[1],
        "ann": add_key(keys, "ann", review=True)[1],
        "ben": add_key(keys, "ben", review=True)[1],
    }
    settings = replace(FAST, feedback=feedback_url, keys_file=keys, web=True)
    with TestClient(create_app(settings)) as client:
        yield client, secrets


def basic(secret: str) -> dict[str, str]:
    return {"Authorization": "Basic " + b64encode(f"me:{secret}".encode()).decode()}


def test_only_a_reviewer_sees_texts_and_takes_back_only_own_decisions(
    keyed: tuple[TestClient, dict[str, str]],
) -> None:
    client, secrets = keyed
    answer = client.get("/review")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Basic")
    for path in ("/review", "/review/queue"):
        assert client.get(path, headers=basic(secrets["forum"])).status_code == 403
        assert client.get(path, headers=basic(secrets["ann"])).status_code == 200
    body = {"text": TEXT, "review": True}
    head = {"X-API-Key": secrets["forum"]}
    assert client.post("/v1/feedback", json=body, headers=head).status_code == 200
    ann, ben = basic(secrets["ann"]), basic(secrets["ben"])
    item = client.get("/review/queue", headers=ann).json()["items"][0]["item"]
    decision = {"item": item, "decision": "keep", "id": "decision-1"}
    assert client.post("/review/decisions", json=decision, headers=head).status_code == 403
    assert client.post("/review/decisions", json=decision, headers=ann).status_code == 200
    undo = {"id": "decision-1"}
    assert client.post("/review/undo", json=undo, headers=ben).json()["deleted"] == 0
    assert client.post("/review/undo", json=undo, headers=ann).json()["deleted"] == 1


def past(text: str, item: str, decision: str = "keep") -> Record:
    return Record(item, "decided", 1.0, item, text, data={"decision": decision})


def test_rare_words_make_texts_similar_and_frequent_ones_do_not() -> None:
    others = [past(f"the cat and the dog number {n}", f"o{n}") for n in range(50)]
    rare = past("the zeppelin and the dog", "rare", "remove")
    found = similar_decisions("a zeppelin over the town and the sea", [*others, rare])
    assert found[0].record is rare
    assert found[0].similarity > 3 * max([0.0, *(each.similarity for each in found[1:])])


def test_the_last_decision_on_a_text_counts_and_the_same_text_is_one() -> None:
    first, second = past("An odd sentence.", "a"), past("An odd sentence.", "a", "remove")
    (found,) = similar_decisions("an ODD sentence", [first, second])
    assert found.record is second
    assert found.similarity == pytest.approx(1)
    assert similar_decisions("…", [first]) == []


def test_a_long_text_is_compared_by_its_beginning() -> None:
    assert len(words_of(" ".join(map(str, range(10_000))))) == 400
    assert len(words_of("x" * 1_000_000)) == 1


def test_families_are_asked_about_after_what_was_found() -> None:
    scores = {"pcl": 0.3, "pcl.metaphor": 0.9, "unhealthy": 0.6, "toxicity": 0.01}
    assert asked_ids(["pcl.metaphor", "term.x"], scores) == ["pcl.metaphor", "unhealthy", "pcl"]
    many = {f"family{n}": 0.5 for n in range(20)}
    assert len(asked_ids([], many)) == 9
