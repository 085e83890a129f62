"""Batches: what Google's clients send in one request, and what nobody should send."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.http.batch import MOST_PARTS, PATHS, read_batch
from tactful.service.http.errors import ServiceError
from tactful.service.http.keys import add_key
from tactful.service.settings import ServiceSettings

ANALYZE = "/v1alpha1/comments:analyze"
GOOD = {"comment": {"text": "Good morning to all."}, "requestedAttributes": {"TOXICITY": {}}}
TYPE = {"Content-Type": "multipart/mixed; boundary=mark"}


def part(path: str = ANALYZE, body: Any = GOOD, method: str = "POST") -> str:
    head = "Content-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
    return f"{head}{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n{json.dumps(body)}"


def batch(*parts: str) -> bytes:
    return "".join(f"--mark\r\n{each}\r\n" for each in parts).encode() + b"--mark--"


def statuses(text: str) -> list[int]:
    return [int(each[:3]) for each in text.split("HTTP/1.1 ")[1:]]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    settings = ServiceSettings(model="fast", langs=("en",), web=False, max_tokens=300)
    with TestClient(create_app(settings)) as found:
        yield found


@pytest.mark.parametrize("path", PATHS)
def test_every_part_has_its_own_answer(client: TestClient, path: str) -> None:
    suggestion = {
        "comment": {"text": "a"},
        "attributeScores": {"X": {"summaryScore": {"value": 1}}},
    }
    parts = (
        part(),
        part("https://commentanalyzer.googleapis.com" + ANALYZE + "?key=x"),
        part("/v1alpha1/comments:suggestscore", suggestion),
        part(body={}),
        part("/v1/score"),
        part(method="GET"),
    )
    answer = client.post(path, content=batch(*parts), headers=TYPE)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("multipart/mixed; boundary=")
    assert statuses(answer.text) == [200, 200, 200, 400, 404, 404]
    assert answer.text.count("Content-ID: <response-1>") == len(parts)


def test_a_batch_costs_no_more_than_other_requests(client: TestClient) -> None:
    long = {**GOOD, "comment": {"text": "word " * 400}}
    answer = client.post("/batch", content=batch(*[part(body=long)] * 4), headers=TYPE)
    found = statuses(answer.text)
    assert (found[0], found[-1]) == (200, 429)
    assert found == sorted(found)
    assert "Retry-After: 1" in answer.text


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("application/json", b"{}", "no batch"),
        ("multipart/form-data; boundary=mark", batch(part()), "no batch"),
        ("multipart/mixed", batch(part()), "no batch"),
        ("multipart/mixed; boundary=other", batch(part()), "Found no parts"),
        ("multipart/mixed; boundary=mark", b"", "Found no parts"),
        ("multipart/mixed; boundary=mark", b"--mark--", "Found no parts"),
        ("multipart/mixed; boundary=mark", b"--mark\r\n\r\nhello\r\n--mark--", "no HTTP request"),
        ("multipart/mixed; boundary=mark", batch(*["x"] * (MOST_PARTS + 1)), "more than 100"),
        ("multipart/mixed; boundary=mark", batch(part("//[")), "an invalid path"),
        ("multipart/mixed; boundary=mark", b"--mark\n" * 200_000, "more than 100"),
    ],
)
def test_what_is_no_batch_is_refused(client: TestClient, kind: str, body: bytes, said: str) -> None:
    answer = client.post("/batch", content=body, headers={"Content-Type": kind})
    assert answer.status_code in (400, 415)
    assert said in answer.json()["error"]["message"]


def test_lines_may_end_either_way() -> None:
    (found,) = read_batch(TYPE["Content-Type"], batch(part()).replace(b"\r\n", b"\n"))
    assert (found.method, found.path, found.content_id) == ("POST", ANALYZE, "1")
    assert json.loads(found.body) == GOOD
    with pytest.raises(ServiceError):
        read_batch(None, batch(part()))


def test_the_key_of_a_batch_is_that_of_its_parts(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    _, secret = add_key(keys, "bot", None)
    settings = ServiceSettings(model="fast", langs=("en",), web=False, keys_file=keys)
    with TestClient(create_app(settings)) as running:

        def status(path: str, query: str) -> int:
            parts = batch(part(f"{ANALYZE}?key={query}&alt=json"), part())
            return running.post(path, content=parts, headers=TYPE).status_code

        assert status("/batch", secret) == 200
        assert status(f"/batch?key={secret}", "wrong") == 200
        assert status("/batch", "wrong") == 401
        assert status("/batch?key=wrong", secret) == 401
        assert running.post("/batch", content=batch(part()), headers=TYPE).status_code == 401
