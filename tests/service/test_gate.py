"""Limits, keys, headers, the log and the counts, as a caller meets them."""

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Scope

from tactful.service.app import create_app
from tactful.service.http.keys import add_key
from tactful.service.settings import ServiceSettings

FAST = ServiceSettings(model="fast", langs=("en",), web=False)
MARKER = "zebrafish marker"


def call(
    settings: ServiceSettings, messages: list[Message], headers: list[tuple[bytes, bytes]]
) -> list[Message]:
    """Send a request piece by piece; a float is a pause."""
    app, sent = create_app(settings), []
    scope: Scope = {
        "type": "http", "method": "POST", "path": "/v1/score", "raw_path": b"/v1/score",
        "query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1",
        "headers": [(b"content-type", b"application/json"), *headers],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "app": app,
    }  # fmt: skip

    async def receive() -> Message:
        if not messages:
            await asyncio.sleep(30)
        message = messages.pop(0)
        await asyncio.sleep(message.get("pause", 0))
        return message

    async def send(message: Message) -> None:
        sent.append(message)

    async def main() -> None:
        async with app.router.lifespan_context(app):
            await app(scope, receive, send)
            assert app.state.engine.waiting == 0

    asyncio.run(main())
    return sent


def piece(body: bytes, more: bool = True, pause: float = 0.0) -> Message:
    return {"type": "http.request", "body": body, "more_body": more, "pause": pause}


def test_a_long_body_is_refused_by_its_length_alone() -> None:
    sent = call(FAST, [], [(b"content-length", b"50000000")])
    assert sent[0]["status"] == 413
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_long_body_without_a_length_is_not_read_to_its_end() -> None:
    messages = [piece(b"x" * 65_536) for _ in range(1000)]
    sent = call(FAST, messages, [(b"transfer-encoding", b"chunked")])
    assert sent[0]["status"] == 413
    assert len(messages) > 900


def test_a_body_that_trickles_is_given_up() -> None:
    messages = [piece(b'{"texts":', pause=0.05) for _ in range(100)]
    sent = call(replace(FAST, receive_seconds=0.2), messages, [])
    assert sent[0]["status"] == 408
    assert len(messages) > 90


def test_a_caller_who_leaves_in_the_middle_gets_no_answer() -> None:
    assert call(FAST, [piece(b'{"te'), {"type": "http.disconnect"}], []) == []


def test_a_caller_who_does_not_wait_frees_his_place() -> None:
    body = json.dumps({"texts": [f"Text {n}." for n in range(200)]}).encode()
    assert call(FAST, [piece(body, more=False), {"type": "http.disconnect"}], []) == []


def test_a_body_in_pieces_is_read() -> None:
    body = b'{"texts":["The library opens on Monday."]}'
    sent = call(FAST, [piece(body[:7]), piece(body[7:]), piece(b"", more=False)], [])
    assert sent[0]["status"] == 200


@pytest.fixture
def with_keys(tmp_path: Path) -> Iterator[tuple[TestClient, str, str]]:
    path = tmp_path / "keys.json"
    _, free = add_key(path, "free")
    _, held = add_key(path, "held", rate_per_minute=12)
    with TestClient(create_app(replace(FAST, keys_file=path))) as client:
        yield client, free, held


def test_a_key_is_asked_for(with_keys: tuple[TestClient, str, str]) -> None:
    client, free, _ = with_keys
    body = {"texts": ["Good morning to all of you."]}
    for headers, query in (
        ({"Authorization": f"Bearer {free}"}, ""),
        ({"X-API-Key": free}, ""),
        ({}, f"?key={free}"),
    ):
        assert client.post(f"/v1/score{query}", json=body, headers=headers).status_code == 200
    missing = client.post("/v1/score", json=body)
    wrong = client.post("/v1/score?key=wrong", json=body)
    assert [missing.status_code, wrong.status_code] == [401, 401]
    assert missing.json()["error"]["details"][0]["errorType"] == "API_KEY_MISSING"
    assert wrong.json()["error"]["details"][0]["errorType"] == "API_KEY_INVALID"
    assert client.get("/metrics").status_code == 401
    assert client.get("/v1/models").status_code == 401
    assert client.get("/healthz").status_code == client.get("/docs").status_code == 200


def test_a_key_has_its_own_rate(with_keys: tuple[TestClient, str, str]) -> None:
    client, free, held = with_keys
    answers = [client.get("/v1/models", headers={"X-API-Key": held}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 5
    assert client.get("/v1/models", headers={"X-API-Key": free}).status_code == 200


def test_an_address_has_a_rate_without_keys() -> None:
    with TestClient(create_app(replace(FAST, rate_per_minute=6))) as client:
        found = [client.get("/v1/models").status_code for _ in range(3)]
    assert found == [200, 429, 429]


def test_other_sites_are_let_in_only_where_they_are_named() -> None:
    origin = {"Origin": "https://example.org"}
    asking = {**origin, "Access-Control-Request-Method": "POST"}
    with TestClient(create_app(FAST)) as client:
        assert "access-control-allow-origin" not in client.get("/healthz", headers=origin).headers
    named = replace(FAST, cors_origins=("https://example.org",))
    with TestClient(create_app(named)) as client:
        allowed = client.options("/v1/score", headers=asking)
        other = client.get("/healthz", headers={"Origin": "https://example.com"})
    assert allowed.headers["access-control-allow-origin"] == "https://example.org"
    assert "access-control-allow-origin" not in other.headers


def test_pages_and_answers_carry_their_headers(client: TestClient) -> None:
    page, answer = client.get("/docs"), client.get("/healthz")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"
    for each in (page, answer):
        assert each.headers["x-content-type-options"] == "nosniff"
        assert each.headers["cache-control"] == "no-store"
        assert each.headers["x-request-id"]
    given = client.get("/healthz", headers={"X-Request-Id": "abc-1"})
    assert given.headers["x-request-id"] == "abc-1"
    forged = client.get("/healthz", headers={"X-Request-Id": "a b\tc"})
    assert forged.headers["x-request-id"] != "a b\tc"


def test_no_text_and_no_key_is_in_logs_counts_or_errors(
    with_keys: tuple[TestClient, str, str], caplog: pytest.LogCaptureFixture
) -> None:
    client, free, _ = with_keys
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    calls: list[tuple[str, Any]] = [
        ("/v1/score", {"texts": [MARKER, f"{MARKER}, log off."]}),
        ("/v1/score", {"texts": MARKER}),
        ("/v1/score", {"texts": [f"{MARKER}\0"]}),
        ("/v1/frame", {"texts": [f"{MARKER} women"], "statements": MARKER}),
        ("/v1/check", {"text": MARKER, "only": [MARKER]}),
        ("/v1/check", {"text": MARKER, "kind": MARKER}),
        ("/v1/check", {"text": f"{MARKER} " * 20_000}),
        (f"/{MARKER}", {"text": MARKER}),
    ]
    for path, body in calls:
        answer = client.post(f"{path}?key={free}", json=body)
        seen.append(answer.text if answer.is_error else "")
    answer = client.post(f"/v1/score?key={free}", content=f'{{"texts":["{MARKER}'.encode())
    seen.append(answer.text)
    check = client.post(f"/v1/check?key={free}", json={"text": f"{MARKER}: poor souls!"})
    assert check.status_code == 200
    seen.append(client.get("/metrics", headers={"X-API-Key": free}).text)
    assert 'route="/v1/score",status="200"' in seen[-1]
    for record in caplog.records:
        if not record.name.startswith("httpx"):  # the client's own log
            seen.append(f"{record.getMessage()} {record.__dict__.get('fields', '')}")
    assert any("'route': '/v1/score'" in each for each in seen)
    for each in seen:
        for secret in (MARKER, "zebrafish", free, "poor souls"):
            assert secret not in each
