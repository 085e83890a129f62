"""The web app with the fast detector, and behind a true server with a true browser."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn
from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FAST = ServiceSettings(model="fast", langs=("en", "es"))
OpenPage = Callable[..., "Page"]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(FAST)) as found:
        yield found


@contextmanager
def running(settings: ServiceSettings) -> Iterator[str]:
    """Serve in a thread until the end of the block; yield where."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        create_app(settings), log_level="warning", timeout_graceful_shutdown=1, access_log=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    limit = time.monotonic() + 600
    while time.monotonic() < limit:
        try:
            if httpx.get(f"{address}{settings.root_path}/readyz").status_code == 200:
                break
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    else:
        raise AssertionError("the service did not get ready")
    yield address
    server.should_exit = True
    thread.join(15)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the web app with the default detector."""
    audits = tmp_path_factory.mktemp("audits")
    Path(audits, "report.html").write_text("<!doctype html><title>A report</title><p>One.</p>")
    settings = ServiceSettings(annotation="http://127.0.0.1:9", audits=audits)
    with running(settings) as address:
        yield address


@pytest.fixture
def open_page(browser: "Browser", served: str) -> Iterator[OpenPage]:
    """Open a page; it must raise no error, break no policy, and ask nobody else for anything."""
    flaws: list[str] = []
    with ExitStack() as contexts:

        def start(path: str = "/", address: str = served, **options: Any) -> "Page":
            context = browser.new_context(
                **{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options}
            )
            contexts.callback(context.close)
            context.set_default_timeout(20_000)
            page = context.new_page()
            page.on("pageerror", lambda error: flaws.append(str(error)))
            page.on("console", lambda said: _note(flaws, said.type, said.text))
            page.on(
                "request",
                lambda sent: (
                    None if sent.url.startswith((address, "blob:")) else flaws.append(sent.url)
                ),
            )
            page.goto(address + path)
            return page

        yield start
    assert flaws == []


def _note(flaws: list[str], kind: str, text: str) -> None:
    # The console also logs an answer such as 401; that is no error of the page.
    if kind == "error" and "Failed to load resource" not in text:
        flaws.append(text)
