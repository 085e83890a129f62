"""Feedback through the API: thumbs, labels, suggested scores, and deletion."""

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

TEXT = "With our help even they can learn to hope again."


def stored(url: str) -> list[Record]:
    with open_feedback(url) as store:
        return store.records()


def test_a_thumb_is_stored_with_the_labels_it_stands_for(
    client: TestClient, feedback_url: str
) -> None:
    body = {"text": TEXT, "thumb": "down", "found": ["pcl", "term.ableist"], "note": "Irony."}
    answer = client.post("/v1/feedback", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["stored"] == "text"
    (record,) = stored(feedback_url)
    assert (record.id, record.kind, record.text) == (answer.json()["id"], "thumb", TEXT)
    assert record.data["labels"] == {"pcl": 0.0, "term.ableist": 0.0}
    assert (record.data["thumb"], record.data["note"]) == ("down", "Irony.")
    scored = client.post("/v1/score", json={"texts": [TEXT]}).json()["scores"][0]
    assert record.data["scores"] == scored["probabilities"]
    assert record.data["model"] == scored["model"]


def test_labels_outweigh_a_thumb_and_the_same_id_is_stored_once(
    client: TestClient, feedback_url: str
) -> None:
    body = {
        "text": TEXT, "thumb": "up", "found": ["pcl", "unhealthy"], "labels": {"unhealthy": 0.25},
        "id": "comment-4711", "author": "user-17",
    }  # fmt: skip
    for _ in range(2):
        assert client.post("/v1/feedback", json=body).json()["id"] == "comment-4711"
    (record,) = stored(feedback_url)
    assert record.data["labels"] == {"pcl": 1.0, "unhealthy": 0.25}
    assert record.author is not None
    assert "user-17" not in record.author


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": TEXT}, 422),
        ({"text": "  ", "thumb": "up"}, 400),
        ({"text": TEXT, "labels": {"nonsense": 1}}, 400),
        ({"text": TEXT, "labels": {"pcl": 2}}, 422),
        ({"text": TEXT, "thumb": "sideways"}, 422),
        ({"text": TEXT, "thumb": "up", "id": "short"}, 422),
        ({"text": "x" * 60_000, "review": True}, 400),
        ({"text": TEXT, "review": True, "extra": 1}, 422),
    ],
)
def test_what_is_no_feedback_is_refused_and_not_stored(
    client: TestClient, feedback_url: str, body: dict[str, Any], status: int
) -> None:
    answer = client.post("/v1/feedback", json=body)
    assert answer.status_code == status, answer.text
    assert "error" in answer.json()
    assert stored(feedback_url) == []


def test_a_suggested_score_becomes_labels_of_our_ids(client: TestClient, feedback_url: str) -> None:
    body = {
        "comment": {"text": TEXT},
        "attributeScores": {
            "TOXICITY": {"summaryScore": {"value": 0.9}},
            "OUR_OWN_ATTRIBUTE": {"summaryScore": {"value": 0.3}},
            "INSULT": {"spanScores": [{"begin": 0, "end": 4, "score": {"value": 1}}]},
        },
        "languages": ["en"],
        "clientToken": "abc",
    }
    answer = client.post("/v1alpha1/comments:suggestscore", json=body)
    assert answer.json()["clientToken"] == "abc"
    (record,) = stored(feedback_url)
    assert (record.kind, record.lang) == ("suggested", "en")
    assert list(record.data["labels"].values()) == [0.9]
    assert record.data["attributes"] == {"TOXICITY": 0.9, "OUR_OWN_ATTRIBUTE": 0.3}


def test_without_the_option_nothing_is_stored_and_there_is_no_route(tmp_path: Path) -> None:
    with TestClient(create_app(FAST)) as client:
        assert client.post("/v1/feedback", json={"text": TEXT, "thumb": "up"}).status_code == 404
        assert client.get("/review").status_code == 404
        assert "/v1/feedback" not in client.get("/openapi.json").json()["paths"]


def test_where_texts_are_hashed_no_file_has_the_text(tmp_path: Path, feedback_url: str) -> None:
    settings = replace(FAST, feedback=feedback_url, feedback_texts="hash")
    with TestClient(create_app(settings)) as client:
        body = {"text": f"zebrafish {TEXT}", "thumb": "up", "found": ["pcl"]}
        assert client.post("/v1/feedback", json=body).json()["stored"] == "hash"
    (record,) = stored(feedback_url)
    assert record.text is None
    assert record.data["scores"]["pcl"] > 0
    assert not any(b"zebrafish" in path.read_bytes() for path in tmp_path.iterdir())


@pytest.fixture
def keyed(tmp_path: Path, feedback_url: str) -> Iterator[tuple[TestClient, dict[str, str]]]:
    keys = tmp_path / "keys.json"
    secrets = {name: add_key(keys, name)[1] for name in ("forum", "blog")}
    settings = replace(FAST, feedback=feedback_url, keys_file=keys)
    with TestClient(create_app(settings)) as client:
        yield client, secrets


def test_a_key_deletes_only_what_it_sent_itself(
    keyed: tuple[TestClient, dict[str, str]], feedback_url: str
) -> None:
    client, secrets = keyed
    for name in ("forum", "blog"):
        body = {"text": TEXT, "thumb": "up", "author": "user-17"}
        head = {"X-API-Key": secrets[name]}
        assert client.post("/v1/feedback", json=body, headers=head).status_code == 200
    assert client.post("/v1/feedback:delete", json={"author": "user-17"}).status_code == 401
    head = {"X-API-Key": secrets["forum"]}
    for body, gone in (({"author": "user-18"}, 0), ({"author": "user-17"}, 1), ({"text": TEXT}, 0)):
        answer = client.post("/v1/feedback:delete", json=body, headers=head)
        assert answer.json()["deleted"] == gone
    assert client.post("/v1/feedback:delete", json={}, headers=head).status_code == 422
    (left,) = stored(feedback_url)
    assert left.key is not None


def test_a_store_that_fails_is_answered_with_503_and_acknowledges_nothing(
    client: TestClient, feedback_url: str
) -> None:
    with open_feedback(feedback_url) as store, store._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE feedback RENAME TO away")
    body = {"text": TEXT, "thumb": "up"}
    answer = client.post("/v1/feedback", json=body)
    assert answer.status_code == 503
    assert answer.json()["error"]["details"][0]["errorType"] == "STORE_UNREACHABLE"
    with open_feedback(feedback_url) as store, store._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE away RENAME TO feedback")
    assert client.post("/v1/feedback", json=body).status_code == 200


def test_old_feedback_is_deleted_when_the_service_starts(feedback_url: str) -> None:
    with open_feedback(feedback_url) as store:
        old = Record("old", "thumb", 1000.0, store.secret.item(TEXT), TEXT)
        store.add([old])
    settings = replace(FAST, feedback=feedback_url, feedback_days=30)
    with TestClient(create_app(settings)) as client:
        assert client.post("/v1/feedback", json={"text": TEXT, "thumb": "up"}).status_code == 200
    assert "old" not in [each.id for each in stored(feedback_url)]
