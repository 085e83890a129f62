"""A real server with the real detectors, on a free port, for all tests of this folder."""

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the extra 'serve' is not installed")

Call = Callable[..., tuple[int, Any]]
Run = Callable[[str, str, str], Any]
"""Runs a script with a package from PyPI against a server, and returns what it prints."""
PYPERSPECTIVE = "PyPerspective==1.0.4"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Return the address of a running server that refuses what it cannot score, as Perspective."""
    yield from served(unsupported="refuse", scale="probability")


@pytest.fixture(scope="session")
def drop_in() -> Iterator[str]:
    """Return the address of a running server as it is without options."""
    yield from served()


def served(**options: Any) -> Iterator[str]:
    """Start a server with options; yield its address."""
    from tactful.service.app import create_app
    from tactful.service.settings import ServiceSettings

    app = create_app(ServiceSettings(web=False, **options))
    running = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on")
    )
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 120
    while not (running.started and running.servers):
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def post(server: str) -> Call:
    """Return a function that posts JSON, or bytes as they are, and returns status and answer."""

    def call(path: str, body: Any, **headers: str) -> tuple[int, Any]:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 (our own server)
            f"{server}/{path}",
            raw,
            {"Content-Type": "application/json", **headers},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    return call


@pytest.fixture(scope="session")
def analyze(post: Call) -> Call:
    """Return a function that analyzes a text: ``analyze(text, "TOXICITY", languages=["en"])``."""

    def call(text: str, *names: str, **more: Any) -> tuple[int, Any]:
        asked: dict[str, Any] = {name: {} for name in names or ("TOXICITY",)}
        body = {"comment": {"text": text}, "requestedAttributes": asked, **more}
        return post("v1alpha1/comments:analyze?key=any", body)

    return call


@pytest.fixture(scope="session")
def with_package(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that runs a script with a client from PyPI, or skips."""
    root = tmp_path_factory.mktemp("pypi")

    def start(package: str, script: str, server: str) -> Any:
        folder = root / package
        if not folder.exists():
            install(package, folder)
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={
                **os.environ,
                "PYTHONPATH": str(folder),
                "SERVER": server,
                "NO_PROXY": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return start


def install(package: str, folder: Path) -> None:
    """Install a package into a folder of its own; what it needs is in our environment."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--only-binary", ":all:"]
    try:
        done = subprocess.run(
            [*command, "--target", str(folder), package],
            capture_output=True,
            timeout=180,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("PyPI does not answer")
    if done.returncode:
        pytest.skip("pip or PyPI cannot be reached")
