"""For everybody: axe-core finds nothing serious, the pages reflow, and focus can be seen."""

from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

from tactful.annotation.project.exchange import NewItem

pytestmark = pytest.mark.browser

TEXT = "These poor souls can only hope for our help."


def serious(tab: Tab) -> list[tuple[str, list[Any]]]:
    """Return what axe-core finds serious or critical on the page as it is."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(tab.page).response["violations"]
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def overflows(tab: Tab) -> bool:
    """Say whether the page must be scrolled sideways."""
    return bool(
        tab.page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    make_project: MakeProject, open_tab: OpenTab, scheme: str
) -> None:
    project = make_project("frames", [TEXT, TEXT])
    project.change({"help": "Call **anybody** you like."})
    tab = open_tab(project, agree=False, color_scheme=scheme, bypass_csp=True)
    assert serious(tab) == []
    tab.page.check("[name=agree]")
    tab.page.click("button[type=submit]")
    tab.page.wait_for_selector("#questions fieldset")
    assert serious(tab) == []
    tab.show()
    tab.press("1", "1", "3", "1")
    tab.page.keyboard.type("women")
    tab.press("Enter", "Control+Enter")
    tab.page.locator("details.browse").evaluate("each => { each.open = true; }")
    assert tab.page.locator("#questions fieldset").count() == 7
    assert serious(tab) == []
    tab.press("Escape")
    tab.press("g")
    assert serious(tab) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_on_all_other_pages(make_project: MakeProject, open_tab: OpenTab, scheme: str) -> None:
    """With help that the owner wrote; at the end of the day; without an invitation."""
    project = make_project("stereotypes", [TEXT])
    project.change(
        {"help": "# Hotline\n\nCall **anybody** you like, or [write](https://a.example)."}
    )
    tab = open_tab(project, color_scheme=scheme, bypass_csp=True)
    for path in ("consent", "guideline", "help", "stopped", "nowhere"):
        tab.page.goto(f"{tab.address}/{path}")
        assert serious(tab) == [], path
    project.change({"most_per_day": 1})
    tab.page.goto(f"{tab.address}/work")
    tab.show()
    tab.press("2", "2", "2", "Enter")
    tab.page.wait_for_url("**/done")
    assert serious(tab) == []
    tab.page.context.clear_cookies()
    tab.page.goto(f"{tab.address}/work")
    assert serious(tab) == []


def test_axe_on_spans_and_context(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", [TEXT])
    for answer in ("2", "2"):
        person = project.invite("annotator", "Ann").person
        project.consent(person, {})
        project.page(person)
        project.answer(person, "item-0", "paragraph", {"pcl": answer})
    tab = open_tab(project, bypass_csp=True)
    tab.show()
    tab.press("ArrowRight", "Shift+ArrowRight", "1", "5")
    assert tab.page.locator(".marked li").count() == 2
    assert serious(tab) == []
    context = {"comment": "El comentario entero."}
    project = make_project("stereotypes", [NewItem("item-0", "La frase.", context=context)])
    tab = open_tab(project, bypass_csp=True)
    tab.show()
    assert serious(tab) == []


@pytest.mark.parametrize("protocol", ["unhealthy", "frames", "stereotypes"])
def test_a_phone_and_a_zoom_of_200_per_cent(
    make_project: MakeProject, open_tab: OpenTab, protocol: str
) -> None:
    """Nothing is scrolled sideways: on a phone, and in a window half as wide and high."""
    tab = open_tab(
        make_project(protocol, [TEXT]), viewport={"width": 390, "height": 844}, has_touch=True
    )
    tab.show()
    assert not overflows(tab)
    box = tab.page.locator(".option").first.bounding_box()
    assert box is not None
    assert box["height"] >= 40
    tab.page.set_viewport_size({"width": 320, "height": 400})
    assert not overflows(tab)
    tab.page.set_viewport_size({"width": 640, "height": 400})
    assert not overflows(tab)
    tab.page.tap(".option >> nth=0")
    assert tab.page.locator("#questions input:checked").count() == 1


def test_a_blurred_text_is_hidden_from_screen_readers(
    make_project: MakeProject, open_tab: OpenTab
) -> None:
    tab = open_tab(make_project("frames", [TEXT]))
    tab.page.wait_for_selector("#curtain:visible")
    assert tab.is_at("reveal")
    tree = tab.page.locator("main").aria_snapshot()
    assert TEXT not in tree
    tab.press("1")
    assert tab.page.locator("#questions input:checked").count() == 0
    tab.press("Enter")
    assert TEXT in tab.page.locator("main").aria_snapshot()
    assert tab.is_at("text")
    tab.press("b")
    assert TEXT not in tab.page.locator("main").aria_snapshot()


def test_motion_can_be_reduced(make_project: MakeProject, open_tab: OpenTab) -> None:
    tab = open_tab(make_project("pcl", [TEXT]), reduced_motion="reduce")
    tab.show()
    script = "getComputedStyle(document.querySelector('.caret')).animationName"
    assert tab.page.evaluate(script) == "none"


def test_a_break_is_proposed(make_project: MakeProject, open_tab: OpenTab) -> None:
    """After the minutes of the protocol; to go on is one key."""
    import time

    project = make_project("pcl", [TEXT, TEXT + " Again.", TEXT + " And again."])
    project.change({"break_after": 1})
    person = project.invite("annotator", "Ann")
    project.consent(person.person, {})
    now = time.time()
    project.page(person.person, now=now - 100)
    project.answer(person.person, "item-0", "paragraph", {"pcl": "0"}, 90.0, now=now - 100)
    tab = open_tab(project)
    tab.page.goto(f"{tab.address}/join/{person.token}")
    tab.page.wait_for_selector("#rest[open]")
    assert "more than 1 minute." in tab.page.inner_text("#rest")
    tab.press("Enter")
    assert not tab.page.is_visible("#rest")


@pytest.mark.parametrize("size", [(1280, 800), (1280, 600), (390, 844), (640, 400)])
def test_what_has_the_focus_is_never_behind_the_buttons(
    make_project: MakeProject, open_tab: OpenTab, size: tuple[int, int]
) -> None:
    """WCAG 2.4.11, through the longest form: each question as it becomes the current one."""
    tab = open_tab(make_project("frames", [TEXT]), viewport={"width": size[0], "height": size[1]})
    tab.show()
    for key in "1131":
        tab.press(key)
        focus, bar = (
            tab.page.evaluate(f"(() => {{ const r = {each}.getBoundingClientRect(); "
                              "return [r.top, r.bottom]; })()")
            for each in ("document.activeElement", "document.querySelector('.actions')")
        )  # fmt: skip
        assert focus[0] >= 0
        assert focus[1] <= size[1]
        assert focus[1] <= bar[0] or bar[0] >= size[1], (key, focus, bar)
