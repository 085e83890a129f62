"""Search and bulk actions of the owner in a real browser, by keyboard."""

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab
from tests.annotation.web.test_browser_access import overflows, serious

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_items_are_found_and_changed_by_keyboard(
    make_project: MakeProject, open_tab: OpenTab, scheme: str
) -> None:
    project = make_project("unhealthy", [f"A mild comment, number {n}." for n in range(60)])
    tab = open_tab(project, role="owner", color_scheme=scheme, bypass_csp=True)
    tab.page.goto(f"{tab.address}/owner/items")
    assert serious(tab) == []
    tab.page.focus("[name=q]")
    tab.page.keyboard.type("number 1")
    tab.press("Enter")
    tab.page.wait_for_url("**q=number*")
    assert tab.page.locator("tbody tr").count() == 11
    tab.page.focus("[name=item] >> nth=1")
    tab.press("Space")
    tab.page.focus("[value=close]")
    tab.press("Enter")
    tab.page.wait_for_selector(".said:has-text('1 of 1: closed.')")
    assert project.state.items["item-10"].steps["questionnaire"].closed
    assert tab.page.locator(".tag.closed").count() == 1
    assert tab.page.input_value("[name=q] >> nth=0") == "number 1", "the search is kept"
    assert serious(tab) == []
    tab.page.focus("[name=all]")
    tab.press("Space")
    tab.page.focus("[name=more]")
    tab.page.fill("[name=more]", "2")
    tab.page.focus("[value=more]")
    tab.press("Enter")
    tab.page.wait_for_selector(".said:has-text('10 of 11: asked for 2 more.')")
    assert project.state.needed("item-1", "questionnaire", 0.0) == 5
    tab.page.focus("[name=all]")
    tab.press("Space")
    tab.page.focus("[value=export]")
    with tab.page.expect_download() as download:
        tab.press("Enter")
    assert download.value.suggested_filename == "selection.jsonl"
    phone = open_tab(project, role="owner", viewport={"width": 390, "height": 844})
    phone.page.goto(f"{phone.address}/owner/items")
    assert not overflows(phone)
