"""A true server: slow and broken connections, several workers, and a peaceful end."""

import json
import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.service.conftest import Serve, await_ready

from tactful.service.http.protocol import MOST_HEAD_BYTES
from tactful.service.running import configured
from tactful.service.settings import ServiceSettings

BODY = {"texts": ["With our help even they can learn to hope again."]}
FAST = ("--model", "fast", "--lang", "en", "--no-web")


def raw(port: int, data: bytes, seconds: float = 120.0) -> bytes:
    """Send bytes as they are, and return all that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(data)
        found = b""
        try:
            while piece := connection.recv(65_536):
                found += piece
        except ConnectionResetError:
            pass
    return found


def test_what_is_no_http_is_answered_in_the_one_shape(serve: Serve) -> None:
    served = serve(*FAST)
    answer = raw(served.port, b"GARBAGE\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["status"] == "INVALID_ARGUMENT"
    endless = b"GET / HTTP/1.1\r\n" + b"X-Filler: " + b"a" * (2 * MOST_HEAD_BYTES)
    assert raw(served.port, endless).startswith(b"HTTP/1.1 431")
    complete = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Filler: %b\r\n\r\n" % (b"a" * 100_000)
    for head in (complete, b"GET /%b HTTP/1.1\r\nHost: x\r\n\r\n" % (b"a" * 100_000)):
        # What follows on the same connection is not read any more.
        answer = raw(served.port, head + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 431")
        assert answer.count(b"HTTP/1.1") == 1
        error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
        assert error["details"][0]["errorType"] == "HEADERS_TOO_LARGE"
    assert httpx.get(f"{served.address}/healthz").status_code == 200
    # Long values and many headers are fine below the limit.
    many = {f"x-{n}": "a" * 500 for n in range(100)}
    assert httpx.get(f"{served.address}/healthz", headers=many).status_code == 200


def test_slow_heads_and_bodies_are_cut_off(serve: Serve) -> None:
    served = serve(*FAST, "--receive-timeout", "0.5")
    with socket.create_connection(("127.0.0.1", served.port), timeout=120) as slow:
        slow.sendall(b"GET /healthz HTT")
        assert slow.recv(100) == b""
    head = b"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
    assert raw(served.port, head).startswith(b"HTTP/1.1 408")
    # A second request on the same connection has the same time for its head.
    with socket.create_connection(("127.0.0.1", served.port), timeout=120) as again:
        again.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        found = b""
        while b'"ok"' not in found:
            found += again.recv(10_000)
        again.sendall(b"GET /heal")
        assert again.recv(100) == b""
    assert httpx.get(f"{served.address}/healthz").status_code == 200


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_peaceful_end_answers_what_was_accepted(serve: Serve, how: signal.Signals) -> None:
    served = serve(*FAST, "--log-format", "json")
    texts = [f"{BODY['texts'][0]} Number {n}." for n in range(250)]
    with ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(
                httpx.post, f"{served.address}/v1/score", json={"texts": texts}, timeout=120
            )
            for _ in range(4)
        ]
        while httpx.get(f"{served.address}/readyz").json()["waiting"] == 0 and not all(
            each.done() for each in asked
        ):
            time.sleep(0.001)
        code = served.stop(how)
        answers = [each.result() for each in asked]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert code == 0
    assert served.process.stdout is not None
    assert served.process.stdout.read() == "Stopped. Nothing was stored.\n"
    lines = [json.loads(line) for line in served.log.read_text().splitlines()]
    assert sum(line.get("route") == "/v1/score" for line in lines) == 4
    assert "learn to hope" not in served.log.read_text()


def test_workers_share_the_port_and_the_counts(serve: Serve) -> None:
    served = serve("--model", "cascade", "--lang", "en", "--workers", "2", "--no-web")

    def ask(_: int) -> httpx.Response:
        return httpx.post(f"{served.address}/v1/score", json=BODY, timeout=120)

    # Which worker takes a request is for the system to say, and the second may still be starting.
    answers: list[httpx.Response] = []
    with ThreadPoolExecutor(8) as pool:
        while len({answer.headers["x-request-id"].split("-")[0] for answer in answers}) < 2:
            assert len(answers) < 20_000, "one worker answers everything"
            answers += pool.map(ask, range(40))
    assert {answer.status_code for answer in answers} <= {200, 503}
    scored = [answer for answer in answers if answer.status_code == 200]
    assert len({answer.text for answer in scored}) == 1
    counts = httpx.get(f"{served.address}/metrics").text
    assert f'{{route="/v1/score",status="200"}} {len(scored)}.0' in counts
    assert served.stop(signal.SIGTERM) == 0
    assert "Traceback" not in served.log.read_text()


def workers_of(parent: int) -> set[int]:
    """Return the processes that serve; the helper of multiprocessing is not among them."""
    found = set()
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        for pid in children.read_text().split():
            if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text():
                found.add(int(pid))
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
def test_the_death_of_a_worker_is_logged(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setenv("TMPDIR", str(shared))
    served = serve(*FAST, "--workers", "2", "--log-format", "json")
    victim = min(workers_of(served.process.pid))
    os.kill(victim, signal.SIGKILL)
    lines: list[dict[str, object]] = []
    ends = time.monotonic() + 600
    while not lines and time.monotonic() < ends:
        time.sleep(0.1)
        told = [json.loads(line) for line in served.log.read_text().splitlines()]
        lines = [line for line in told if line.get("worker") == victim]
    (line,) = lines
    assert (line["level"], line["event"]) == ("error", "A worker died or hung, and was replaced")
    assert line["signal"] == "SIGKILL"
    assert line["replaced_by"] in workers_of(served.process.pid) - {victim}
    # What it had in its queue is counted no more.
    assert not list(shared.rglob(f"gauge_live*_{victim}.db"))
    await_ready(served)
    assert httpx.post(f"{served.address}/v1/score", json=BODY, timeout=30).status_code == 200
    served.stop()
    deaths = [line for line in served.log.read_text().splitlines() if f'"worker": {victim}' in line]
    assert len(deaths) == 1


def test_a_worker_that_starts_slowly_is_not_taken_for_hung() -> None:
    config = configured(ServiceSettings(workers=2))
    assert config.timeout_worker_healthcheck >= 60


def test_a_crowd_is_turned_away_with_429_and_nothing_else(serve: Serve) -> None:
    served = serve(*FAST, "--max-queue", "4")
    texts = [f"{BODY['texts'][0]} Number {n}." for n in range(200)]

    def ask(_: int) -> httpx.Response:
        return httpx.post(f"{served.address}/v1/score", json={"texts": texts}, timeout=120)

    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(ask, range(80)))
        assert httpx.get(f"{served.address}/healthz").status_code == 200
    assert {answer.status_code for answer in answers} == {200, 429}
    for answer in answers:
        if answer.status_code == 429:
            assert answer.json()["error"]["details"][0]["errorType"] == "QUEUE_FULL"
            assert int(answer.headers["retry-after"]) >= 1
    assert "tactful_rejected_total" in httpx.get(f"{served.address}/metrics").text
    assert ask(0).status_code == 200
