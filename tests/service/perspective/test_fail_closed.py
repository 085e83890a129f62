"""A service that fails closed: no comment passes because a request got no answer."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient
from tests.service.conftest import Serve

from tactful.service import running
from tactful.service.app import create_app
from tactful.service.engine.engine import Engine
from tactful.service.http.errors import Busy
from tactful.service.http.keys import add_key
from tactful.service.http.protocol import PatientProtocol
from tactful.service.perspective.mapping import attributes
from tactful.service.settings import ServiceSettings

ANALYZE = "/v1alpha1/comments:analyze"
GOOD: dict[str, Any] = {
    "comment": {"text": "Good morning to all of you."},
    "requestedAttributes": {"TOXICITY": {}, "THREAT@2": {}},
    "clientToken": "t",
}
CLOSED = ServiceSettings(model="fast", langs=("en",), web=False, fail_closed=True)


def values(body: Any) -> dict[str, float]:
    return {name: each["summaryScore"]["value"] for name, each in body["attributeScores"].items()}


def test_an_overload_is_answered_with_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*given: object, **named: object) -> None:
        raise Busy(3)

    with TestClient(create_app(CLOSED)) as client:
        monkeypatch.setattr(Engine, "score", full)
        monkeypatch.setattr(Engine, "score_in", full)
        answer = client.post(ANALYZE, json=GOOD)
        moderated = client.post("/v1/moderations", json={"input": ["Good morning.", "Hello."]})
        assert client.post("/v1/score", json={"texts": ["Good morning."]}).status_code == 429
    body = answer.json()
    assert answer.status_code == 200
    assert values(body) == {"TOXICITY": 1.0, "THREAT@2": 1.0}
    assert body["needsReview"] is True
    assert body["reviewReason"].startswith("Too many texts are waiting")
    assert body["clientToken"] == "t"
    for result in moderated.json()["results"]:
        assert (result["flagged"], result["needs_review"]) == (True, True)
        assert set(result["categories"].values()) == {None}


def test_what_the_gate_refuses_is_answered_for_every_attribute(tmp_path: Path) -> None:
    settings = replace(CLOSED, rate_per_minute=1, max_body_bytes=2_000)
    with TestClient(create_app(settings)) as client:
        assert "needsReview" not in client.post(ANALYZE, json=GOOD).json()
        over_rate = client.post(ANALYZE, json=GOOD)
        assert client.post("/v1/score", json={"texts": ["a"]}).status_code == 429
    with TestClient(create_app(replace(settings, rate_per_minute=None))) as client:
        too_large = client.post(ANALYZE, json={**GOOD, "sessionId": "x" * 3_000})
        broken = client.post(ANALYZE, content=b"{", headers={"Content-Type": "application/json"})
        assert client.get(ANALYZE).status_code == 405
        counted = client.get("/metrics").text
    # The status does not tell, so a count does.
    for reason in ("REQUEST_TOO_LARGE", "INVALID_REQUEST"):
        assert f'tactful_reviews_total{{reason="{reason}"}} 1.0' in counted
    for answer in (over_rate, too_large, broken):
        assert answer.status_code == 200, answer.text
        assert answer.json()["needsReview"] is True
        assert values(answer.json()) == dict.fromkeys(attributes(), 1.0)
    assert "Retry-After" in over_rate.headers


def test_the_log_says_what_was_answered_with_review(caplog: pytest.LogCaptureFixture) -> None:
    with TestClient(create_app(CLOSED)) as client, caplog.at_level("INFO", "tactful.service"):
        client.post(ANALYZE, json=GOOD)
        client.post(ANALYZE, json={**GOOD, "comment": {"text": "x" * 20_481}})
        client.post("/v1/moderations", json={"input": ["x" * 50_001]})
    logged = [each.__dict__["fields"] for each in caplog.records if each.message == "request"]
    assert [(each["status"], each["review"]) for each in logged] == [
        (200, None), (200, "COMMENT_TOO_LONG"), (200, "TEXT_TOO_LONG"),
    ]  # fmt: skip


def test_a_wrong_key_stays_an_error(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    add_key(keys, "forum", None)
    with TestClient(create_app(replace(CLOSED, keys_file=keys))) as client:
        assert client.post(f"{ANALYZE}?key=wrong", json=GOOD).status_code == 401
        assert client.post(ANALYZE, json=GOOD).status_code == 401


def test_an_attribute_that_cannot_be_scored_is_for_review_where_it_is_refused() -> None:
    body = {**GOOD, "requestedAttributes": {"TOXICITY": {}, "SPAM": {}}}
    with TestClient(create_app(CLOSED)) as client:
        found = client.post(ANALYZE, json=body).json()
        assert values(found)["SPAM"] is None
        assert "needsReview" not in found
    with TestClient(create_app(replace(CLOSED, unsupported="refuse"))) as client:
        found = client.post(ANALYZE, json=body).json()
        assert values(found) == {"TOXICITY": 1.0, "SPAM": 1.0}
        assert "SPAM cannot be scored" in found["reviewReason"]


def test_parallel_requests_that_are_turned_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("full_answers", "most_at_once", "on_refused", "head_seconds"):
        monkeypatch.setattr(PatientProtocol, name, getattr(PatientProtocol, name))
    running._worker_app(replace(CLOSED, root_path="/tactful"))
    (answer,) = (PatientProtocol.full_answers[key] for key in (f"/tactful{ANALYZE}".encode(),))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert f"content-length: {len(body)}".encode() in head
    assert json.loads(body)["needsReview"] is True
    running._worker_app(replace(CLOSED, fail_closed=False))
    assert PatientProtocol.full_answers == {}


def test_under_load_every_comment_has_an_answer(serve: Serve) -> None:
    served = serve(
        "--model", "fast", "--lang", "en", "--no-web", "--max-queue", "1", "--fail-closed"
    )

    def ask(_: int) -> httpx.Response:
        return httpx.post(f"{served.address}{ANALYZE}?key=a", json=GOOD, timeout=120)

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(ask, range(64)))
    assert {answer.status_code for answer in found} == {200}
    assert all(values(answer.json())["TOXICITY"] is not None for answer in found)
