"""Somebody at work in a test: with a client that runs no scripts, or in a real browser."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.testclient import TestClient

from tactful.annotation.project.project import Project

if TYPE_CHECKING:
    from playwright.sync_api import Page

MakeProject = Callable[..., Project]


@dataclass
class Visitor:
    """Somebody with a browser that keeps cookies and runs no scripts."""

    client: TestClient
    project: Project
    person: str
    token: str

    @property
    def csrf(self) -> str:
        """The token that the pages carry."""
        page = self.client.get("/work").text
        return page.split('data-csrf="')[1].split('"')[0]

    def post(self, path: str, body: object, csrf: str | None = None) -> "tuple[int, bytes]":
        """Send JSON as the app does."""
        headers = {"X-CSRF-Token": self.csrf if csrf is None else csrf}
        answer = self.client.post(path, json=body, headers=headers)
        return answer.status_code, answer.content


@dataclass
class Tab:
    """A page in a real browser, opened by an invitation."""

    page: "Page"
    project: Project
    person: str
    address: str
    errors: list[str]

    def press(self, *keys: str) -> None:
        """Press keys, one after the other; all work is done with the keyboard."""
        for key in keys:
            self.page.keyboard.press(key)

    def wait(self, what: Callable[[], bool], seconds: float = 120) -> None:
        """Wait until something is so."""
        limit = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < limit, "it never came to be so"
            self.page.wait_for_timeout(20)

    def answers(self, item: str, step: str) -> object:
        """Return what was answered about an item, as the project has it."""
        with self.project.lock:
            found = self.project.state.items[item].steps[step].answers.get(self.person)
            return None if found is None else dict(found.answers)

    def wait_for(self, item: str, step: str) -> object:
        """Return the same as soon as it is there."""
        self.wait(lambda: self.answers(item, step) is not None)
        return self.answers(item, step)

    def is_at(self, element: str) -> bool:
        """Say whether the element with an id has the focus."""
        return bool(self.page.evaluate("id => document.activeElement.id === id", element))

    def show(self) -> None:
        """Wait for the next text, and reveal it if it is blurred."""
        self.page.wait_for_selector("#questions fieldset")
        if self.page.is_visible("#curtain"):
            self.press("b")


Visit = Callable[..., Visitor]
OpenTab = Callable[..., Tab]
