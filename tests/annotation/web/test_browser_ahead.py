"""Somebody who types faster than the line: nothing is lost, and each answer is on its own text."""

from pathlib import Path
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab
from tests.annotation.web.test_browser_slow_line import PROTOCOL, Held, text

from tactful.annotation.project.project import Project

pytestmark = pytest.mark.browser

TEXTS = [f"Comment number {number}." for number in range(20)]
KEYS = ["2" if number % 3 else "1" for number in range(20)]
NAMES = {"1": "yes", "2": "no"}
_LATENCY = 200
_BETWEEN_KEYS = 50
"""Milliseconds: nobody types 20 keys a second."""


@pytest.fixture
def mood(tmp_path: Path) -> Path:
    path = tmp_path / "mood.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    return path


def slow_down(tab: Tab) -> None:
    """Delay every response by 200 ms."""
    tab.page.context.new_cdp_session(tab.page).send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": _LATENCY, "downloadThroughput": -1, "uploadThroughput": -1},
    )


def watch(tab: Tab) -> None:
    """Note in the page which text is on the screen whenever Enter is pressed."""
    tab.page.evaluate(
        """() => {
          window.seen = [];
          addEventListener('keydown', (event) => {
            if (event.key === 'Enter') seen.push(document.getElementById('text').textContent);
          }, true);
        }"""
    )


def stored(project: Project, person: str) -> dict[str, Any]:
    """Return the answers of somebody by text, as the log has them; each must be there once."""
    found: dict[str, Any] = {}
    for event in project.store.read():
        if event.kind == "answered" and event.annotator == person:
            words = project.state.items[event.item or ""].text
            assert words not in found, "answered twice"
            found[words] = event.data["answers"]["kind"]
    return found


def test_typing_ahead_on_a_slow_line_loses_nothing(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    project = make_project(mood, TEXTS)
    tab = open_tab(project)
    tab.page.wait_for_selector("#columns:not([inert]) #text")
    slow_down(tab)
    watch(tab)
    for key in KEYS:
        for each in (key, "Enter"):
            tab.press(each)
            tab.page.wait_for_timeout(_BETWEEN_KEYS)
    tab.page.wait_for_url("**/done")
    assert len(stored(project, tab.person)) == len(TEXTS)


def test_each_answer_is_on_the_text_that_was_on_the_screen(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    project = make_project(mood, [*TEXTS, "One that stays."])
    tab = open_tab(project)
    tab.page.wait_for_selector("#columns:not([inert]) #text")
    slow_down(tab)
    watch(tab)
    for key in KEYS:
        for each in (key, "Enter"):
            tab.press(each)
            tab.page.wait_for_timeout(_BETWEEN_KEYS)
    tab.wait(lambda: len(stored(project, tab.person)) == len(TEXTS))
    seen = tab.page.evaluate("seen")
    assert len({*seen}) == len(TEXTS)
    assert stored(project, tab.person) == {
        words: NAMES[key] for words, key in zip(seen, KEYS, strict=True)
    }


def test_nothing_is_called_done_before_the_server_has_it(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    project = make_project(mood, TEXTS)
    tab = open_tab(project)
    tab.page.wait_for_selector("#columns:not([inert]) #text")
    held = Held(tab, "/api/answer")
    tab.press("1", "Enter", "2", "Enter")
    held.wait()
    tab.page.wait_for_selector("#net:has-text('Sending 2')")
    assert "done" not in tab.page.inner_text("#pace")
    # Somebody who leaves now is warned.
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    tab.page.once("dialog", stay)
    tab.page.evaluate("setTimeout(() => location.assign('/help'))")
    tab.wait(lambda: asked == ["beforeunload"])
    held.let_go()
    tab.page.wait_for_selector("#pace:has-text('2 done')")
    tab.page.wait_for_selector("#net", state="hidden")
    assert len(stored(project, tab.person)) == 2
    # Nothing waits any more: leaving needs no warning.
    tab.page.goto(f"{tab.address}/help")
    assert asked == ["beforeunload"]


def test_what_fails_is_said_and_sent_again_in_order(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    project = make_project(mood, TEXTS)
    tab = open_tab(project)
    tab.page.wait_for_selector("#columns:not([inert]) #text")
    is_full = True

    def take(route: Any) -> None:
        if is_full:
            route.fulfill(status=503, json={"error": {"message": "The disk is full."}})
        else:
            route.continue_()

    tab.page.route("**/api/answer", take)
    watch(tab)
    tab.press("1", "Enter", "2", "Enter", "2", "Enter")
    tab.page.wait_for_selector("#notice:has-text('The disk is full.')")
    tab.page.wait_for_selector("#net:has-text('3 answers are saved in this browser')")
    is_full = False
    tab.wait(lambda: len(stored(project, tab.person)) == 3)
    assert list(stored(project, tab.person)) == tab.page.evaluate("seen")
    assert list(stored(project, tab.person).values()) == ["yes", "no", "no"]


def test_no_more_is_fetched_than_a_day_allows(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    project = make_project(mood, TEXTS)
    project.change({"most_per_day": 3})
    tab = open_tab(project)
    text(tab, "Comment number")
    assert len(project.state.leased(tab.person, 0.0)) == 3
    tab.press("1", "Enter", "1", "Enter", "1", "Enter")
    tab.page.wait_for_url("**/done")
    assert "Come back tomorrow" in tab.page.inner_text("main")


def test_a_text_fetched_ahead_is_blurred_like_any_other(
    make_project: MakeProject, open_tab: OpenTab, mood: Path
) -> None:
    mood.write_text(PROTOCOL.replace("blur: false", "blur: true"), encoding="utf-8")
    tab = open_tab(make_project(mood, TEXTS))
    tab.page.wait_for_selector("#curtain:not([hidden])")
    tab.press("1", "Enter")
    assert tab.page.is_hidden("#curtain"), "Enter shows the text; the digit chose nothing"
    tab.press("1", "Enter")
    tab.page.wait_for_selector("#curtain:not([hidden])")
    tab.page.wait_for_selector("#text.blurred")
