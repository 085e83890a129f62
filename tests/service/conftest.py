"""A running app with the fast detector, and the same app behind a true server."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

FAST = ServiceSettings(model="fast", langs=("en",), web=False)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(FAST), raise_server_exceptions=False) as found:
        yield found


class Served:
    """A service in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", address: str, log: Path):
        self.process, self.address, self.log = process, address, log

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(how)
        return self.process.wait(timeout=120)


Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start ``tactful serve`` with options; it is ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, wait: bool = True) -> Served:
        log = tmp_path / f"log-{len(started)}.txt"
        command = "from tactful.cli.serve import serve_cli; serve_cli()"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, "-c", command, "--port", "0", *options],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Serving at http"), log.read_text()
        served = Served(process, line.split()[2], log)
        if wait:
            await_ready(served)
        return served

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def await_ready(served: Served, seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            if httpx.get(f"{served.address}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert served.process.poll() is None, served.log.read_text()
        time.sleep(0.1)
    raise AssertionError("the service did not get ready")
