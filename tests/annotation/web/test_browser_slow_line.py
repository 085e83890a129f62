"""Skips that are taken back, a line that is slow, and another project at the same address.

Nothing here waits for a clock: requests are held, and let go when the test says so.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project

pytestmark = pytest.mark.browser

TEXTS = [f"Comment number {number}." for number in range(3)]
PROTOCOL = """\
id: mood
version: "1.0"
lang: en
name: Mood
summary: One question, one judgement.
source: ours
wellbeing: {blur: false}
steps:
  - id: one
    title: How does it sound?
    judgements: 1
    questions:
      - {id: kind, kind: choice, text: Does it sound kind?, options: ["yes", "no"]}
"""


@pytest.fixture
def mood(tmp_path: Path) -> Path:
    path = tmp_path / "mood.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    return path


class Held:
    """Requests to one path that wait until they are let go."""

    def __init__(self, tab: Tab, path: str):
        self._tab = tab
        self._routes: list[Any] = []
        self._is_open = False
        tab.page.route(f"**{path}", self._take)

    def _take(self, route: Any) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._routes.append(route)

    def wait(self) -> None:
        """Wait until a request is held."""
        self._tab.wait(lambda: bool(self._routes))

    def let_go(self) -> None:
        """Let all pass, now and from now on."""
        self._is_open = True
        for route in self._routes:
            route.continue_()


def text(tab: Tab, expected: str) -> None:
    tab.page.wait_for_selector(f"#columns:not([inert]) #text:has-text('{expected}')")


def add_more(tab: Tab) -> None:
    """Add texts which the browser has not fetched ahead, because they were not there."""
    tab.project.add_items(
        NewItem(f"item-{number}", words) for number, words in enumerate(TEXTS) if number
    )


def test_keys_before_the_next_text_do_nothing_and_it_is_said(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    tab = open_tab(make_project(mood, TEXTS[:1]))
    text(tab, TEXTS[0])
    add_more(tab)
    held = Held(tab, "/api/page?**")
    tab.press("1", "Enter")
    held.wait()
    # The first answer is saved; the next text is on its way, and the old one is still seen.
    tab.press("2", "Enter")
    tab.page.wait_for_selector("#notice:has-text('still loading')")
    assert "Loading" in tab.page.inner_text("#place")
    held.let_go()
    text(tab, TEXTS[1])
    assert tab.page.locator("#questions input:checked").count() == 0
    assert tab.page.is_visible("#notice"), "it stays until it was seen: until the next answer"
    tab.press("2", "Enter")
    text(tab, TEXTS[2])
    assert tab.page.is_hidden("#notice")
    assert tab.answers("item-0", "one") == {"kind": "yes"}
    assert tab.wait_for("item-1", "one") == {"kind": "no"}
    assert tab.answers("item-2", "one") is None


def test_a_mouse_answers_nothing_before_the_next_text(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    tab = open_tab(make_project(mood, TEXTS[:1]))
    text(tab, TEXTS[0])
    add_more(tab)
    held = Held(tab, "/api/answer")
    tab.press("1", "Enter")
    held.wait()
    for each in ("#save", "#skip", "#questions .option >> nth=1"):
        box = tab.page.locator(each).bounding_box()
        assert box is not None
        tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    held.let_go()
    text(tab, TEXTS[1])
    assert tab.answers("item-0", "one") == {"kind": "yes"}
    assert tab.answers("item-1", "one") is None
    assert tab.project.state.people[tab.person].skipped == 0


def test_a_key_that_is_held_down_answers_once(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    more = '      - {id: warm, kind: choice, text: Does it sound warm?, options: ["yes", "no"]}\n'
    mood.write_text(PROTOCOL + more, encoding="utf-8")
    tab = open_tab(make_project(mood, TEXTS))
    text(tab, TEXTS[0])
    # The browser says of each press but the first that it repeats.
    for _ in range(4):
        tab.page.keyboard.down("2")
    tab.page.keyboard.up("2")
    assert tab.page.locator("#questions input:checked").count() == 1
    tab.press("1", "Enter")
    assert tab.wait_for("item-0", "one") == {"kind": "no", "warm": "yes"}


def test_a_skip_is_taken_back(make_project: MakeProject, open_tab: OpenTab, mood: Path) -> None:
    tab = open_tab(make_project(mood, TEXTS))
    text(tab, TEXTS[0])
    tab.press("2", "s")
    text(tab, TEXTS[1])
    tab.wait(lambda: tab.project.state.people[tab.person].skipped == 1)
    tab.press("u")
    text(tab, TEXTS[0])
    tab.page.wait_for_selector(
        "#live:has-text('Back to the text that you skipped')", state="attached"
    )
    assert tab.page.locator("#questions input:checked").count() == 1, "what was chosen is there"
    tab.press("Enter")
    assert tab.wait_for("item-0", "one") == {"kind": "no"}
    assert tab.project.state.people[tab.person].skipped == 0
    text(tab, TEXTS[1])


def test_what_was_skipped_comes_back_once(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    tab = open_tab(make_project(mood, TEXTS))
    text(tab, TEXTS[0])
    assert tab.page.is_hidden("#again")
    tab.press("s")
    for each in TEXTS[1:]:
        text(tab, each)
        tab.press("1", "Enter")
    text(tab, TEXTS[0])
    assert tab.page.is_visible("#again")
    tab.press("s")
    tab.page.wait_for_url("**/done")
    # The owner sees it, and can judge it.
    owner = open_tab(tab.project, role="owner")
    owner.page.goto(f"{owner.address}/owner")
    assert "1 item was skipped" in owner.page.inner_text("main")
    owner.page.get_by_role("link", name="Judge", exact=True).first.click()
    text(owner, TEXTS[0])
    owner.press("1", "Enter")
    assert owner.wait_for("item-0", "one") == {"kind": "yes"}
    assert tab.project.state.finished()


@pytest.fixture
def serve_in_turn() -> Iterator[Callable[[Project], str]]:
    """Serve projects one after the other at the same address; return it."""
    import socket

    import uvicorn

    from tactful.annotation.web.app import create_app

    listening = socket.create_server(("127.0.0.1", 0))
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def stop() -> None:
        while running:
            server, thread = running.pop()
            server.should_exit = True
            thread.join()

    def start(project: Project) -> str:
        stop()
        config = uvicorn.Config(
            create_app(project), log_level="warning", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        # uvicorn closes what it listens on when it ends.
        kept = [listening.dup()]
        thread = threading.Thread(target=server.run, kwargs={"sockets": kept}, daemon=True)
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    stop()
    listening.close()


def test_an_answer_waits_for_its_own_project(
    browser: Any,
    make_project: MakeProject,
    mood: Path,
    serve_in_turn: Callable[[Project], str],
) -> None:
    """Two projects number their people alike, and are served at the same address in turn."""
    first, second = make_project(mood, TEXTS), make_project(mood, ["Another project."])
    context = browser.new_context()
    context.set_default_timeout(15_000)
    try:
        page = context.new_page()
        tabs = []
        for project in (first, second):
            invitation = project.invite("annotator", "Ann")
            tabs.append(Tab(page, project, invitation.person, serve_in_turn(project), []))
            page.goto(f"{tabs[-1].address}/join/{invitation.token}")
            page.wait_for_selector("#columns:not([inert]) #text")
            if project is first:
                page.route("**/api/answer", lambda route: route.abort())
                tabs[0].press("2", "Enter")
                page.wait_for_selector("#net:has-text('1 answer is saved in this browser')")
                page.unroute("**/api/answer")
                page.goto("about:blank")
        one, other = tabs
        assert one.person == other.person, "otherwise nothing is tested"
        assert page.inner_text("#text") == "Another project."
        assert page.is_hidden("#notice")
        other.press("1", "Enter")
        assert other.wait_for("item-0", "one") == {"kind": "yes"}
        assert one.answers("item-0", "one") is None
        serve_in_turn(first)
        page.goto(f"{one.address}/work")
        assert one.wait_for("item-0", "one") == {"kind": "no"}
        assert page.is_hidden("#notice")
        page.goto("about:blank")
    finally:
        context.close()
