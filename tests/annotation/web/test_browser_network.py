"""Answers without a network: kept, sent later, counted once; and drafts."""

from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab

pytestmark = pytest.mark.browser

TEXTS = [f"Comment number {number}." for number in range(3)]


def answered(project: object) -> int:
    events = project.store.read()  # type: ignore[attr-defined]
    return sum(event.kind == "answered" for event in events)


def test_an_answer_given_offline_arrives_once(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", TEXTS)
    tab = open_tab(project)
    tab.show()
    tab.page.context.set_offline(True)
    tab.press("1", "Enter")
    tab.page.wait_for_selector("#net:has-text('1 answer is saved in this browser')")
    assert tab.answers("item-0", "paragraph") is None
    tab.page.context.set_offline(False)
    assert tab.wait_for("item-0", "paragraph") == {"pcl": "1"}
    tab.page.wait_for_selector("#net", state="hidden")
    # The next text comes by itself; nothing is sent again by a new page.
    tab.page.reload()
    tab.show()
    assert answered(project) == 1


def test_an_answer_whose_receipt_is_lost_counts_once(
    make_project: MakeProject, open_tab: OpenTab
) -> None:
    project = make_project("pcl", TEXTS)
    tab = open_tab(project)
    tab.show()
    sent: list[str] = []

    def lose(route: object) -> None:
        request = route.request  # type: ignore[attr-defined]
        sent.append(request.post_data)
        response = route.fetch()  # type: ignore[attr-defined]
        if len(sent) == 1:
            route.abort()  # type: ignore[attr-defined]
        else:
            route.fulfill(response=response)  # type: ignore[attr-defined]

    tab.page.route("**/api/answer", lose)
    tab.press("2", "Enter")
    tab.wait(lambda: len(sent) == 2)
    assert sent[0] == sent[1]
    tab.page.wait_for_selector("#net", state="hidden")
    assert answered(project) == 1


def test_it_waits_through_a_closed_window(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", TEXTS)
    tab = open_tab(project)
    tab.show()
    tab.page.route("**/api/answer", lambda route: route.abort())
    tab.press("0", "Enter")
    tab.page.wait_for_selector("#net:has-text('saved in this browser')")
    tab.page.close()
    page = tab.page.context.new_page()
    page.goto(f"{tab.address}/work")
    page.wait_for_selector("#questions fieldset")
    assert tab.answers("item-0", "paragraph") == {"pcl": "0"}
    assert page.inner_text("#text") == TEXTS[1]
    page.close()


def test_a_draft_is_there_after_a_reload(make_project: MakeProject, open_tab: OpenTab) -> None:
    tab = open_tab(make_project("frames", TEXTS))
    tab.show()
    tab.press("2", "2")
    tab.page.reload()
    tab.show()
    assert tab.page.locator("#questions input:checked").count() == 2


def test_what_is_refused_is_said(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", TEXTS)
    tab = open_tab(project)
    tab.show()
    project.remove(tab.person)
    tab.press("0", "Enter")
    tab.page.wait_for_url("**/done")
    assert "has ended" in tab.page.inner_text("main")
    assert answered(project) == 0


def test_undo_goes_back_to_the_text_before(make_project: MakeProject, open_tab: OpenTab) -> None:
    tab = open_tab(make_project("pcl", TEXTS))
    tab.show()
    tab.press("0", "Enter")
    tab.wait_for("item-0", "paragraph")
    tab.page.wait_for_selector(f"#text:has-text('{TEXTS[1]}')")
    tab.press("u")
    assert tab.page.inner_text("#text") == TEXTS[0]
    tab.press("2", "Enter")
    tab.wait(lambda: tab.answers("item-0", "paragraph") == {"pcl": "2"})


def test_skip_and_stop(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", TEXTS)
    tab = open_tab(project)
    tab.show()
    tab.press("s")
    tab.page.wait_for_selector(f"#text:has-text('{TEXTS[1]}')")
    tab.wait(lambda: project.state.people[tab.person].skipped == 1)
    tab.page.focus(".stop")
    tab.press("Enter")
    tab.page.wait_for_url("**/stopped")
    assert not project.state.items["item-1"].steps["paragraph"].leases


def test_own_keys_can_be_switched_off(make_project: MakeProject, open_tab: OpenTab) -> None:
    """WCAG 2.1.4: keys of a single letter must not interfere with speech input."""
    tab = open_tab(make_project("pcl", TEXTS))
    tab.show()
    tab.press("g")
    assert tab.page.is_visible("#guideline")
    tab.page.uncheck("#single-keys")
    tab.press("Escape")
    tab.press("2", "s")
    assert tab.page.locator("#questions input:checked").count() == 0
    assert tab.page.inner_text("#text") == TEXTS[0]


def test_missing_answers_are_named(make_project: MakeProject, open_tab: OpenTab) -> None:
    tab = open_tab(make_project("pcl", TEXTS))
    tab.show()
    tab.press("Control+Enter")
    assert tab.page.is_visible(".problem")
    assert Path(tab.page.url).name == "work"
