"""Blurred texts of the owner's pages in a real browser: shown by a key, remembered for the tab."""

from collections.abc import Callable
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

pytestmark = pytest.mark.browser

MakeProject = Callable[..., Project]
OpenTab = Callable[..., Any]
BLURRED = (
    "[...document.querySelectorAll('.veil')].map((e) => getComputedStyle(e).filter !== 'none')"
)
HIDDEN = "[...document.querySelectorAll('.veil')].map((e) => e.ariaHidden === 'true')"
PLACES = """[...document.querySelectorAll('main *')].map((e) => {
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join(' ');
}).join('\\n')"""
ANSWERS = {"stereotype.racial_target": "no", "stereotype.other_target": "no"}


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    said = tuple(
        NewAnswer(name, "presence", {"stereotype": answer, **extra, **ANSWERS}, at=1.7e9)
        for name, answer, extra in (
            ("Ann", "yes", {"stereotype.implicit": "yes"}),
            ("Ben", "no", {}),
            ("Cem", "no", {}),
        )
    )
    context = {"comment": "Un comentario."}
    return make_project(
        "stereotypes",
        [NewItem("a", "Una frase.", context=context, answers=said), NewItem("b", "Otra.")],
    )


def states(tab: Any) -> tuple[set[bool], set[bool]]:
    """Say whether texts are blurred, and whether they are hidden from a screen reader."""
    return set(tab.page.evaluate(BLURRED)), set(tab.page.evaluate(HIDDEN))


def test_a_key_shows_texts_and_the_tab_remembers(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/items")
    button = tab.page.get_by_role("button", name="Show texts")
    assert states(tab) == ({True}, {True})
    assert button.get_attribute("aria-pressed") == "false"
    before = tab.page.evaluate(PLACES)
    tab.press("b")
    assert states(tab) == ({False}, {False})
    assert button.get_attribute("aria-pressed") == "true"
    # Nothing moves.
    assert tab.page.evaluate(PLACES) == before
    for path in ("/owner/disputed", "/owner/item?id=a", "/owner/people", "/owner/log"):
        tab.page.goto(tab.address + path)
        assert states(tab) in (({False}, {False}), (set(), set())), path
    tab.page.goto(tab.address + "/owner/item?id=a")
    button.focus()
    tab.press("Space")
    assert states(tab) == ({True}, {True})
    tab.page.reload()
    assert states(tab) == ({True}, {True})


def test_another_tab_asks_anew(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/items")
    tab.press("b")
    other = tab.page.context.new_page()
    other.goto(tab.address + "/owner/items")
    assert set(other.evaluate(BLURRED)) == {True}


def test_the_letter_can_be_typed(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/items")
    field = tab.page.locator("input[type=search]")
    field.focus()
    tab.press("b")
    assert field.input_value() == "b"
    assert states(tab) == ({True}, {True})


def test_without_a_script_the_link_does_it(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner", java_script_enabled=False)
    tab.page.goto(tab.address + "/owner/items?status=open")
    assert tab.page.locator("body.veiled").count() == 1
    assert not tab.page.get_by_role("button", name="Show texts").is_visible()
    tab.page.get_by_role("link", name="Show texts").click()
    tab.page.wait_for_url("**status=open&show=1**")
    assert tab.page.locator("body.veiled").count() == 0
    tab.page.locator("table.items a").first.click()
    tab.page.wait_for_url("**/owner/item?id=*&show=1")
    assert tab.page.locator("body.veiled").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_exports_is_accessible(
    project: Project, open_tab: OpenTab, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = open_tab(project, "owner", color_scheme=scheme)
    for path in ("/owner/export", "/owner/items", "/owner/item?id=a", "/owner/agreement"):
        tab.page.goto(tab.address + path)
        found = axe.run(tab.page).response["violations"]
        serious = [each["id"] for each in found if each["impact"] in ("serious", "critical")]
        assert serious == [], path


def test_an_export_is_downloaded(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/export")
    with tab.page.expect_download(timeout=120_000) as found:
        tab.page.get_by_role("button", name="crowd-kit").click()
    assert found.value.suggested_filename.startswith("a-trial-crowd-kit-")
