"""Small projects, a client without a browser, and a real server with a real browser."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn
from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject, OpenTab, Tab, Visit, Visitor

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.web.app import create_app
from tactful.annotation.web.home import addresses, create_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


@pytest.fixture
def make_project(tmp_path: Path) -> Iterator[MakeProject]:
    """Return a function that makes a project with some texts."""
    with ExitStack() as open_ones:
        count = 0

        def make(protocol: str | Path, items: Sequence[NewItem | str]) -> Project:
            nonlocal count
            count += 1
            project = Project.create(tmp_path / f"project-{count}", protocol, name="A trial")
            open_ones.enter_context(project)
            project.add_items(
                NewItem(f"item-{number}", item) if isinstance(item, str) else item
                for number, item in enumerate(items)
            )
            return project

        yield make


@pytest.fixture
def visit() -> Iterator[Visit]:
    """Return a function that lets somebody into a project; by default they have agreed."""
    with ExitStack() as clients:

        def enter(project: Project, role: str = "annotator", agree: bool = True) -> Visitor:
            invitation = project.invite(role, "Ann")  # type: ignore[arg-type]
            if agree:
                project.consent(invitation.person, {})
            client = clients.enter_context(TestClient(create_app(project)))
            client.get(f"/join/{invitation.token}", follow_redirects=False)
            return Visitor(client, project, invitation.person, invitation.token)

        yield enter


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Return a function that serves a project, or several together, and returns where."""
    servers: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(*projects: Project) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        app = create_site(addresses(projects))
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        servers.append((server, thread))
        limit = time.monotonic() + 120
        while not server.started and time.monotonic() < limit:
            time.sleep(0.01)
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    for server, thread in servers:
        server.should_exit = True
        thread.join(10)


def _close(context: "BrowserContext") -> None:
    # Chromium can wait for ever when a page is on its way to another one while it is closed. The
    # page itself may be leaving just now, for its next text or its last page, which stops our going
    # away: it is tried again.
    from playwright.sync_api import Error

    for page in context.pages:
        for _ in range(5):
            try:
                page.goto("about:blank")
                break
            except Error:
                page.wait_for_timeout(200)
    context.close()


@pytest.fixture
def open_tab(browser: "Browser", serve: Callable[..., str]) -> Iterator[OpenTab]:
    """Return a function that opens a project in the browser as one of its people."""
    addresses: dict[int, str] = {}
    with ExitStack() as contexts:
        tabs: list[Tab] = []

        def start(
            project: Project, role: str = "annotator", agree: bool = True, **options: object
        ) -> Tab:
            if id(project) not in addresses:
                addresses[id(project)] = serve(project)
            invitation = project.invite(role, "Ann")  # type: ignore[arg-type]
            if agree:
                project.consent(invitation.person, {})
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})  # type: ignore[arg-type]
            contexts.callback(_close, context)
            # Only what fails waits so long: a busy machine must not look like a flaw.
            context.set_default_timeout(15_000)
            page = context.new_page()
            tab = Tab(page, project, invitation.person, addresses[id(project)], [])
            page.on("pageerror", lambda error: tab.errors.append(str(error)))
            page.on(
                "console",
                lambda message: (
                    tab.errors.append(message.text)
                    if message.type == "error" and "Content Security" in message.text
                    else None
                ),
            )
            page.goto(f"{tab.address}/join/{invitation.token}")
            tabs.append(tab)
            return tab

        yield start
        assert [error for tab in tabs for error in tab.errors] == []
