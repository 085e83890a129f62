"""Signed webhooks, to a real receiver: what is sent, how it is signed, and what is tried again."""

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.service.conftest import FAST

from tactful import webhooks
from tactful.errors import UnknownNameError, UsageError
from tactful.service.app import create_app
from tactful.service.engine.engine import Scored
from tactful.service.settings import ServiceSettings
from tactful.service.webhooks import read_thresholds
from tactful.webhooks import SECRET_VARIABLE, checked_address

TEXT = "With our help even they can learn to hope again."
SECRET = "a secret for tests only"  # noqa: S105


class Receiver:
    """A server that keeps what it gets, and answers with given statuses, then with 200."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers.items()), body))
                status = receiver.statuses.pop(0) if receiver.statuses else 200
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", f"{receiver.url}/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def await_events(self, number: int) -> None:
        ends = time.monotonic() + 600
        while len(self.got) < number:
            assert time.monotonic() < ends, f"{len(self.got)} of {number} events came"
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    yield found
    found.stop()


Start = Callable[..., TestClient]


@pytest.fixture
def start(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    open_clients: list[TestClient] = []

    def make(**more: Any) -> TestClient:
        app = create_app(replace(FAST, webhook=f"{receiver.url}/hook", **more))
        app.state.loop.webhooks._pause = 0.01
        client = TestClient(app)
        client.__enter__()
        open_clients.append(client)
        return client

    yield make
    for client in open_clients:
        client.__exit__(None, None, None)


def test_an_event_is_signed_over_its_time_and_its_body(start: Start, receiver: Receiver) -> None:
    client = start(webhook_thresholds=("pcl=0.1", "unhealthy=0.999"))
    head = {"X-Request-Id": "comment-17"}
    texts = ["The library opens on Monday.", TEXT]
    scores = client.post("/v1/score", json={"texts": texts}, headers=head).json()["scores"]
    receiver.await_events(1)
    headers, body = receiver.got[0]
    stamp = headers["X-Tactful-Timestamp"]
    expected = hmac.new(SECRET.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers["X-Tactful-Signature"] == f"v1={expected}"
    event = json.loads(body)
    assert event["type"] == "score.threshold"
    (found,) = event["texts"]
    assert (event["request"], found["index"]) == ("comment-17", 1)
    assert found["scores"] == {"pcl": scores[1]["probabilities"]["pcl"]}
    assert event["id"] == headers["X-Tactful-Delivery"]
    assert "hope" not in body.decode()
    assert len(receiver.got) == 1


def test_texts_are_sent_only_where_that_is_asked_for(start: Start, receiver: Receiver) -> None:
    client = start(webhook_thresholds=("pcl=0",), webhook_texts=True)
    client.post("/v1/score", json={"texts": [TEXT]})
    receiver.await_events(1)
    assert [each["text"] for each in json.loads(receiver.got[0][1])["texts"]] == [TEXT]


def test_what_fails_is_tried_again_with_the_same_id(start: Start, receiver: Receiver) -> None:
    receiver.statuses = [500, 503, 429]
    client = start(webhook_thresholds=("pcl=0",))
    client.post("/v1/score", json={"texts": [TEXT]})
    receiver.await_events(4)
    assert len({headers["X-Tactful-Delivery"] for headers, _ in receiver.got}) == 1
    counts = client.get("/metrics").text
    ends = time.monotonic() + 600
    while 'tactful_webhook_events_total{result="sent"} 1.0' not in counts:
        assert time.monotonic() < ends
        counts = client.get("/metrics").text


@pytest.mark.parametrize("status", [400, 302, 410])
def test_a_refusal_and_a_redirect_are_final(start: Start, receiver: Receiver, status: int) -> None:
    receiver.statuses = [status]
    client = start(webhook_thresholds=("pcl=0",))
    client.post("/v1/score", json={"texts": [TEXT]})
    client.post("/v1/score", json={"texts": [TEXT]})
    receiver.await_events(2)
    first, second = (headers["X-Tactful-Delivery"] for headers, _ in receiver.got)
    assert first != second
    assert 'result="refused"} 1.0' in client.get("/metrics").text


def test_a_full_queue_loses_events_and_no_answers(
    start: Start, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_WAITING", 3)
    client = start(webhook_thresholds=("pcl=0",))
    webhooks_of = client.app.state.loop.webhooks  # type: ignore[attr-defined]
    scored = Scored("en", "fast", {"pcl": 0.5})
    app = create_app(client.app.state.settings)  # type: ignore[attr-defined]
    for _ in range(20):  # it has not started, so that nothing is sent
        app.state.loop.webhooks.scored([TEXT], [scored])
    assert app.state.loop.webhooks.events.labels("lost")._value.get() == 17
    assert webhooks_of.events.labels("lost")._value.get() == 0
    assert client.post("/v1/score", json={"texts": [TEXT] * 20}).status_code == 200


def test_decisions_are_events_and_reviewing_makes_no_others(
    start: Start, receiver: Receiver, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'f.db'}"
    client = start(webhook_thresholds=("pcl=0",), feedback=url, web=True)
    sent = client.post("/v1/feedback", json={"text": TEXT, "review": True}).json()
    local = {"Host": "127.0.0.1"}
    item = client.get("/review/queue", headers=local).json()["items"][0]["item"]
    client.get(f"/review/items/{item}", headers=local)
    body = {"item": item, "decision": "remove", "labels": {"pcl": True}, "id": "decision-1"}
    assert client.post("/review/decisions", json=body, headers=local).status_code == 200
    receiver.await_events(1)
    event = json.loads(receiver.got[0][1])
    assert (event["type"], event["decision"]) == ("review.decided", "remove")
    assert event["feedback"] == [sent["id"]]
    assert event["labels"] == {"pcl": 1}
    assert len(receiver.got) == 1


def test_settings_that_cannot_be_used_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_thresholds(["pcl=0.5", "toxicity = 1"]) == {"pcl": 0.5, "toxicity": 1.0}
    for given in ("pcl", "pcl=", "pcl=much"):
        with pytest.raises(UsageError, match=r"toxicity=0\.8"):
            read_thresholds([given])
    with pytest.raises(UsageError, match="unencrypted"):
        checked_address("http://forum.example.org/hook")
    assert checked_address("https://forum.example.org/hook")
    settings: ServiceSettings = replace(FAST, webhook="http://127.0.0.1:9/")
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    with pytest.raises(UsageError, match=SECRET_VARIABLE):
        create_app(settings)
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    with pytest.raises(UnknownNameError):
        create_app(replace(settings, webhook_thresholds=("nonsense=0.5",)))
