"""``/v1/score:stream``: lines in, lines out, bounded on both sides."""

import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from tests.service.conftest import FAST, Serve

from tactful.service.app import create_app
from tactful.service.http.gate import STREAM
from tactful.service.http.keys import add_key

TEXT = "With our help even they can learn to hope again."
HEAD = {"Content-Type": "application/x-ndjson"}
OPTIONS = ("--model", "fast", "--lang", "en", "--no-web")


def lines(*bodies: object) -> bytes:
    return b"".join(
        (each if isinstance(each, bytes) else json.dumps(each).encode()) + b"\n" for each in bodies
    )


def stream(client: TestClient, body: bytes, **head: str) -> list[dict[str, Any]]:
    answer = client.post(STREAM, content=body, headers={**HEAD, **head})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_each_line_is_answered_in_its_place_as_score_answers(client: TestClient) -> None:
    found = stream(
        client,
        lines(
            {"text": TEXT, "id": 7},
            {"text": ""},
            {"text": TEXT, "only": ["pcl"], "lang": "en"},
        ),
    )
    (score,) = client.post("/v1/score", json={"texts": [TEXT]}).json()["scores"]
    assert found[0] == {"line": 1, "id": 7, **score}
    assert found[1]["reason"] == "TEXT_EMPTY"
    assert all(name.startswith("pcl") for name in found[2]["probabilities"])
    assert stream(client, b"") == []
    assert len(stream(client, b"\n\n" + lines({"text": TEXT})[:-1])) == 1


@pytest.mark.parametrize(
    "bad",
    [
        b"not json",
        b'{"text": 1}',
        b"[]",
        b'{"text": "a\\u0000b"}',
        b'{"text": "x", "extra": 1}',
        b'{"text": "x", "only": ["nonsense"]}',
        b'{"text": "x", "lang": "fr"}',
        b'{"text": "\\ud800"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"text": "' + b"x" * 60_000 + b'"}',
    ],
)
def test_a_bad_line_is_answered_on_its_line_and_the_next_is_scored(
    client: TestClient, bad: bytes
) -> None:
    found = stream(client, lines({"text": TEXT}, bad, {"text": TEXT}))
    assert [each["line"] for each in found] == [1, 2, 3]
    assert found[1]["error"]["code"] in (400, 422)
    assert found[0]["probabilities"] == found[2]["probabilities"]


def test_what_is_no_stream_of_lines_is_given_up(client: TestClient) -> None:
    found = stream(client, b"garbage\n" * 1_000)
    assert len(found) < 200
    assert found[-1]["error"]["details"][0]["errorType"] == "TOO_MANY_BAD_LINES"
    endless = stream(client, b"x" * 1_000_000)
    assert endless[0]["error"]["details"][0]["errorType"] == "LINE_TOO_LONG"


def test_another_type_is_refused(client: TestClient) -> None:
    for head in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/json"}):
        assert client.post(STREAM, content=lines({"text": TEXT}), headers=head).status_code == 415


def test_answers_come_while_the_caller_is_still_sending(serve: Serve) -> None:
    served = serve(*OPTIONS)
    head = f"POST {STREAM} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=600) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for number in range(1, 4):
            line = lines({"text": TEXT, "id": f"number-{number}"})
            connection.sendall(b"%x\r\n%b\r\n" % (len(line), line))
            found = b""
            while f"number-{number}".encode() not in found:
                found += connection.recv(10_000)
        connection.sendall(b"0\r\n\r\n")
        while not found.endswith(b"0\r\n\r\n"):
            found += connection.recv(10_000)


def test_a_caller_that_stops_sending_is_told_and_one_that_leaves_is_no_error(serve: Serve) -> None:
    served = serve(*OPTIONS, "--receive-timeout", "0.5", "--log-format", "json")
    head = f"POST {STREAM} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=600) as connection:
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode())
        connection.sendall(lines({"text": TEXT}))
        found = b""
        while b"BODY_TOO_SLOW" not in found:
            piece = connection.recv(10_000)
            assert piece, found
            found += piece
        assert b'"line": 1' in found
    with socket.create_connection(("127.0.0.1", served.port), timeout=600) as connection:
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode())
    assert httpx.get(f"{served.address}/healthz").status_code == 200
    served.stop()
    assert "Traceback" not in served.log.read_text()


def test_a_long_stream_goes_through_with_bounded_lines_waiting(serve: Serve) -> None:
    served = serve(*OPTIONS)
    total = 3_000

    def bodies() -> Iterator[bytes]:
        for number in range(total):
            yield lines({"text": f"{TEXT} {number}", "id": number})

    with (
        httpx.Client(timeout=120) as client,
        client.stream(
            "POST", f"{served.address}{STREAM}", content=bodies(), headers=HEAD
        ) as answer,
    ):
        found = [json.loads(line)["id"] for line in answer.iter_lines()]
    assert found == list(range(total))


def test_a_rate_limits_a_stream_while_it_runs(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    secret = add_key(keys, "bot", tokens_per_minute=60)[1]
    app = create_app(replace(FAST, keys_file=keys, max_batch=4))
    with TestClient(app) as client:
        assert client.post(STREAM, content=b"", headers=HEAD).status_code == 401
        found = stream(client, lines(*[{"text": TEXT * 5}] * 240), **{"X-API-Key": secret})
    limited = ["error" in each and each["error"]["code"] == 429 for each in found]
    assert not limited[0]
    assert limited[-1]
    # Lines above the rate are no bad lines, however many there are: each is answered.
    assert [each["line"] for each in found] == list(range(1, 241))
