"""The flows of owners and of people from a crowd platform, by keyboard alone, and axe on each."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

pytestmark = pytest.mark.browser

TEXT = "Thank you for the long letter."
MOST_TABS = 150


def reach(tab: Tab, element: str) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    assert tab.page.locator(element).count(), f"there is no {element}"
    for _ in range(MOST_TABS):
        if tab.page.evaluate("css => document.activeElement.matches(css)", element):
            return
        tab.press("Tab")
    raise AssertionError(f"Tab never reaches {element}")


def write(tab: Tab, element: str, text: str) -> None:
    """Go to a field and type over what it has."""
    reach(tab, element)
    tab.press("Control+a")
    tab.page.keyboard.type(text)


def enter(tab: Tab, element: str, address: str) -> None:
    """Go to a button or a link, press Enter, and wait for the next page."""
    reach(tab, element)
    with tab.page.expect_navigation():  # the address may be the one before
        tab.press("Enter")
    tab.page.wait_for_url(address)


def is_accessible(tab: Tab) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(tab.page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project(
        "unhealthy",
        [
            NewItem(
                f"item-{number}",
                f"{TEXT} Number {number}.",
                answers=(NewAnswer("Amal", "questionnaire", said("no"), seconds=9.0),),
            )
            for number in range(3)
        ]
        + [NewItem("test", "A quiet word.", gold={"unhealthy.hostile": "no"})],
    )


def said(answer: str) -> dict[str, str]:
    names = ("sarcastic", "generalisation", "hostile", "antagonistic", "condescending")
    ids = ["unhealthy", *(f"unhealthy.{name}" for name in (*names, "dismissive"))]
    return dict.fromkeys(ids, answer)


def test_somebody_is_invited_and_begins(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/people")
    write(tab, "input[name=name]", "Bea")
    reach(tab, "select[name=role]")
    tab.page.keyboard.type("annotator")
    enter(tab, "button[value=invite]", "**/owner/people**")
    link = tab.page.locator("#invitation").input_value()
    is_accessible(tab)
    tab.page.context.clear_cookies()
    tab.page.goto(link)
    reach(tab, "input[name=agree]")
    tab.press("Space")
    enter(tab, "button[type=submit]", "**/work")
    (bea,) = [each for each in project.state.people.values() if each.name == "Bea"]
    assert bea.role == "annotator"
    assert bea.consented is not None


def test_somebody_is_removed_and_comes_back(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/people")
    reach(tab, "details.change summary")
    tab.press("Enter")
    write(tab, "details[open] input[name=reason]", "a trial")
    enter(tab, "details[open] button[value=remove]", "**said=**")
    amal = project.state.people["Amal"]
    assert not amal.counts
    reach(tab, "details.change summary")
    tab.press("Enter")
    enter(tab, "details[open] button[value=readmit]", "**said=**")
    assert amal.counts


def test_a_participant_is_screened_and_gets_a_code(project: Project, open_tab: OpenTab) -> None:
    project.change({"quotas": {"*": 1}})
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/crowd")
    write(tab, "input[name=code]", "DONE-1")
    write(tab, "input[name=screened_code]", "OUT-1")
    write(tab, "input[name=countries]", "Canada, United States")
    enter(tab, "form .save button", "**said=**")
    link = tab.page.locator("#crowd-link").input_value()
    is_accessible(tab)

    def arrive(participant: str, country: str) -> None:
        tab.page.context.clear_cookies()
        tab.page.goto(link.replace("{{%PROLIFIC_PID%}}", participant))
        is_accessible(tab)
        write(tab, "input[name=country]", country)
        reach(tab, "button[type=submit]")
        tab.press("Enter")

    arrive("far", "France")
    tab.page.get_by_text("OUT-1").wait_for()
    arrive("near", "canada")
    tab.page.wait_for_url("**/consent**")
    reach(tab, "input[name=agree]")
    tab.press("Space")
    enter(tab, "button[type=submit]", "**/work")
    tab.show()
    for _ in range(7):  # the eighth question is asked after a generalisation only
        tab.press("2")
    tab.press("Enter")
    tab.page.get_by_text("DONE-1").wait_for()
    is_accessible(tab)
    (near,) = [each for each in project.state.people.values() if each.crowd == "near"]
    assert near.answered == 1


def test_right_answers_are_changed_after_a_preview(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/item?id=test")
    reach(tab, "input[name='gold:unhealthy.hostile'][value=no]")
    tab.press("Space")
    reach(tab, "input[name='gold:unhealthy.sarcastic'][value=yes]")
    tab.press("Space")
    enter(tab, "button[value=preview]", "**/owner/gold**")
    is_accessible(tab)
    assert project.state.items["test"].gold == {"unhealthy.hostile": "no"}, "only a preview"
    enter(tab, "button[value=confirm]", "**said=**")
    assert project.state.items["test"].gold == {"unhealthy.sarcastic": "yes"}


def test_settings_are_changed_and_a_mistake_is_said(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/settings")
    write(tab, "input[name='questionnaire.most']", "2")
    reach(tab, "form .save button")
    tab.press("Enter")
    tab.page.get_by_role("alert").wait_for()
    is_accessible(tab)
    write(tab, "input[name='questionnaire.most']", "6")
    enter(tab, "form .save button", "**said=**")
    assert project.state.protocol.steps[0].most == 6


def test_an_export_by_keys(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/export")
    reach(tab, "button[value=labels]")
    with tab.page.expect_download(timeout=120_000) as download:
        tab.press("Enter")
    assert download.value.suggested_filename.endswith(".zip")


def test_one_goes_from_the_first_page_to_each_project(
    make_project: MakeProject, browser: Any, serve: Callable[..., str]
) -> None:
    projects = [make_project("pcl", [TEXT]), make_project("unhealthy", [TEXT])]
    address = serve(*projects)
    page = browser.new_page()
    try:
        owner, worker = projects[0].invite("owner", "Olu"), projects[1].invite("annotator", "Olu")
        tab = Tab(page, projects[0], owner.person, address, [])
        page.goto(f"{address}/p/project-1/join/{owner.token}")
        page.goto(f"{address}/p/project-2/join/{worker.token}")
        page.goto(address)
        is_accessible(tab)
        enter(tab, "a[href='/p/project-1/']", re.compile(".*/p/project-1/owner.*"))  # type: ignore[arg-type]
        page.goto(address)
        enter(tab, "a[href='/p/project-2/']", re.compile(".*/p/project-2/.+"))  # type: ignore[arg-type]
    finally:
        page.goto("about:blank")
        page.close()
