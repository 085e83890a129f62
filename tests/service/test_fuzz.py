"""Malformed requests against a true server: no 5xx, no hang, and it still serves."""

import json
import os
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.service.conftest import Serve

ROOT = Path(__file__).parents[2]
FAST = ("--model", "fast", "--lang", "en", "--no-web", "--receive-timeout", "1")
MOST_CASES = 220
"""How many cases the fuzzer makes for each operation, at most."""
UNLOGGED = ("/healthz", "/readyz", "/metrics")
"""Paths of which a request that went well is not logged."""
PATHS = (
    "/batch",
    "/v1/check",
    "/v1/score",
    "/v1/frame",
    "/v1alpha1/comments:analyze",
    "/v1alpha1/comments:suggestscore",
    "/v1/moderations",
    "/v1/score:stream",
    "/v1/feedback",
    "/v1/feedback:delete",
    "/review/decisions",
    "/review/undo",
)
STREAM, LINES = "/v1/score:stream", "application/x-ndjson"
COMMENT = {"text": "Good morning to all of you."}
GOOD: dict[str, dict[str, object]] = {
    "/v1alpha1/comments:analyze": {"comment": COMMENT, "requestedAttributes": {"TOXICITY": {}}},
    "/v1alpha1/comments:suggestscore": {
        "comment": COMMENT,
        "attributeScores": {"TOXICITY": {"summaryScore": {"value": 1}}},
    },
    "/v1/moderations": {"input": "Good morning to all of you."},
    "/v1/check": {"text": "Good morning to all of you."},
    "/v1/score": {"texts": ["Good morning to all of you."]},
    "/v1/frame": {"texts": ["Good morning to all of you."]},
    STREAM: {"text": "Good morning to all of you.", "id": 1},
    "/v1/feedback": {"text": "Good morning to all of you.", "thumb": "up", "found": [],
                     "labels": {"toxicity": 0}, "author": "17", "note": "a", "id": "abcdefgh"},
    "/v1/feedback:delete": {"author": "17"},
    "/review/decisions": {"item": "0" * 64, "decision": "keep", "labels": {}, "id": "abcdefgh"},
    "/review/undo": {"id": "abcdefgh"},
}  # fmt: skip
ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    1e308,
    "",
    "x",
    [],
    [[]],
    {},
    {"": None},
    [None],
    ["a"] * 3000,
    "\0",
    "😀" * 9,
)
BODIES = (
    b"",
    b"{",
    b"[]",
    b"0",
    b"null",
    b"NaN",
    b'"text"',
    b"\xff\xff\xff",
    b"\xef\xbb\xbf{}",
    "{}".encode("utf-16"),
    b"[" * 1_000_000,
    b'{"a":' * 200_000,
    b'{"text":' + b"[" * 300 + b"]" * 300 + b"}",
    b'{"text":"\\ud800"}',
    b'{"text":"\\udc00\\ud800"}',
    b'{"text":"\\u0000"}',
    b'{"text":"\x00"}',
    b'{"text":"a","text":1}',
    b'{"text":"a"}garbage',
    b'{"text":1e999999}',
    b'{"texts":[' + b"1" * 100_000 + b"]}",
    b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--",
)
RAW = (
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /v1/score HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n{}",
    b"POST /v1/score HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"POST /v1/score HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"POST /v1/score HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{",
    b"POST /v1/score HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    b"GET /%00%ff%fe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /v1/taxonomies/%2e%2e%2f HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /v1/score?" + b"key=a&" * 500 + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"G\xc3\x84T / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"\r\n" * 1000,
    b"GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n",
    b"GET /healthz HT",
    b"GET " + b"/a" * 100_000 + b" HTTP/1.1\r\n\r\n",
)


MARK = b"--mark\r\n"
PART = b"Content-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
BATCHES = (
    b"", MARK, MARK * 99, MARK * 100_000, b"--mark--", b"\r\n" * 100_000 + MARK, PART * 20_000,
    MARK + PART, MARK + b"\r\n\r\n", MARK + PART + b"POST", MARK + PART + b"POST / HTTP/9.9",
    MARK + PART + b"POST " + b"/a" * 50_000 + b" HTTP/1.1", MARK + PART + b"GET /batch HTTP/1.1",
    MARK + PART + b"POST /batch HTTP/1.1\r\n\r\n" + MARK, MARK + b"\xff\x00" * 50_000,
    MARK + PART + b"POST http://[ HTTP/1.1", MARK + PART + b"POST //x\x00 HTTP/1.1",
    MARK + PART.replace(b"<1>", b"<" + b"1" * 5_000 + b">") + b"POST /v1/check HTTP/1.1",
    MARK + PART.replace(b"<1>", b"<\r\nX: y>") + b"POST /v1/check HTTP/1.1",
    *(
        MARK + PART + b"POST /v1alpha1/comments:analyze?key=" + key + b" HTTP/1.1\r\n\r\n" + body
        for key in (b"k", b"&" * 5_000, b"\xff", b"%00")
        for body in BODIES[:12]
    ),
)  # fmt: skip
LOOSE = tuple(
    (unit * 60_000)[:60_000].encode()
    for unit in ("{a:", "[", "'", "{'a':'", "a:", "{a:1,", ",", "\\", "'\\", '"\\', "{\u00e9:", "$")
)
JSON = "application/json"
Request = tuple[str, str, bytes]


def handmade() -> Iterator[Request]:
    """Yield paths, types and bodies: the odd ones, and good ones with odd fields."""
    for path in PATHS:
        for body in (*BODIES, *LOOSE):
            yield path, JSON, body
            if path == STREAM:
                yield path, LINES, body
                yield path, LINES, b"\n".join([body[:100], b"{}", body[:100]])
    for path, good in GOOD.items():
        for name in (*good, "lang", "only", "thresholds"):
            for value in ODD:
                kind = LINES if path == STREAM else JSON
                yield path, kind, json.dumps({**good, name: value}).encode()
    for name in ("languages", "context", "spanAnnotations", "clientToken", "doNotStore"):
        for path in ("/v1alpha1/comments:analyze", "/v1alpha1/comments:suggestscore"):
            for value in ODD:
                yield path, JSON, json.dumps({**GOOD[path], name: value}).encode()
    for body in BATCHES:
        yield "/batch", "multipart/mixed; boundary=mark", body
    for boundary in ("", '"', '""', "=", "a" * 5_000, "a;b", '"\\"', "\xe9"):
        yield "/batch", f"multipart/mixed; boundary={boundary}", MARK + PART


def raw_status(port: int, data: bytes) -> int:
    """Send bytes and return the status that comes back; 0 where the server just closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(data)
        try:
            found = connection.recv(4096)
        except ConnectionResetError:
            return 0
    return int(found[9:12]) if found.startswith(b"HTTP/1.1 ") else 0


def every_route(folder: Path) -> tuple[str, ...]:
    """Return the options of a service that has all routes."""
    return (*FAST, "--feedback", f"sqlite:///{folder}/feedback.db", "--shadow", "fast")


def test_hand_made_requests(serve: Serve, tmp_path: Path) -> None:
    served = serve(*every_route(tmp_path))
    wanted = list(handmade())
    assert len(set(wanted)) >= 500
    with httpx.Client(base_url=served.address, timeout=120) as client:
        for path, kind, body in wanted:
            headers = [(b"content-type", kind.encode("latin-1"))]
            answer = client.post(path, content=body, headers=headers)
            assert answer.status_code < 500, (path, kind, body[:80])
            if path == STREAM and kind == LINES:
                codes = [json.loads(line).get("error", {}) for line in answer.text.splitlines()]
                assert all(each.get("code", 200) < 500 for each in codes), body[:80]
            if answer.is_error:
                assert answer.json()["error"]["code"] == answer.status_code
        for path in (
            *PATHS,
            "/healthz",
            "/nothing",
            "/v1/shadow",
            "/review/queue",
            "/review/items/a",
        ):
            for method in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "BREW"):
                assert client.request(method, path).status_code < 500
    assert httpx.get(f"{served.address}/healthz").status_code == 200


def test_broken_and_slow_connections(serve: Serve) -> None:
    served = serve(*FAST)
    with ThreadPoolExecutor(len(RAW)) as pool:
        found = list(pool.map(lambda data: raw_status(served.port, data), RAW))
    assert all(status < 500 for status in found), found
    # Two hundred callers that never finish their head hold nobody up.
    slow = [socket.create_connection(("127.0.0.1", served.port), timeout=120) for _ in range(200)]
    for connection in slow:
        connection.sendall(b"POST /v1/score HTTP/1.1\r\nX-Slow: ")
    body = {"texts": ["Good morning to all of you."]}
    assert httpx.post(f"{served.address}/v1/score", json=body, timeout=120).status_code == 200
    for connection in slow:
        assert connection.recv(10) == b""
        connection.close()


@pytest.mark.parametrize("length", [True, False])
def test_fifty_megabytes_are_refused_early(serve: Serve, length: bool) -> None:
    served = serve(*FAST)
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(800):
            sent += 65_536
            yield b"x" * 65_536

    headers = {"content-type": "application/json"}
    if length:
        headers["content-length"] = str(800 * 65_536)
    try:
        answer = httpx.post(
            f"{served.address}/v1/score", content=pieces(), headers=headers, timeout=120
        )
        assert answer.status_code == 413
    except (httpx.WriteError, httpx.RemoteProtocolError):
        pass  # the server closed while we were sending, which is as good
    assert sent < 800 * 65_536
    assert httpx.get(f"{served.address}/healthz").status_code == 200


@pytest.mark.slow
def test_two_thousand_requests_of_a_schema_driven_fuzzer(serve: Serve, tmp_path: Path) -> None:
    served = serve(*every_route(tmp_path))
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"{served.address}/openapi.json",
            "--checks", "not_a_server_error", "--mode", "all", "--phases", "fuzzing",
            "--max-examples", str(MOST_CASES), "--seed", "1", "--no-color",
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.service.fuzz_hooks"},
        cwd=ROOT, check=False, capture_output=True, text=True, timeout=1500,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:]
    generated = re.search(r"(\d[\d,]*) generated", done.stdout)
    assert generated is not None
    assert int(generated[1].replace(",", "")) >= 2000
    log = served.log.read_text()
    statuses = set(re.findall(r"status=(\d+)", log)) - {"503"}  # 503: asked before it was ready
    assert max(statuses) < "500"
    # Every operation that takes a body had as many cases as it may have, and the others some.
    reached = Counter(re.findall(r"route=(\S+)", log))
    for path, methods in httpx.get(f"{served.address}/openapi.json").json()["paths"].items():
        assert reached[path] >= (MOST_CASES // 2 if "post" in methods else 1) or path in UNLOGGED
    assert httpx.get(f"{served.address}/healthz").status_code == 200
