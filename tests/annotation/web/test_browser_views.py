"""How the desk can be seen: compact, with the guideline beside, with names at the marks."""

from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab
from tests.annotation.web.test_browser_access import overflows, serious
from tests.annotation.web.test_browser_slow_line import PROTOCOL, TEXTS, text

pytestmark = pytest.mark.browser

COMMENT = "You would know it if you had read the article before you wrote about it."


def turn(tab: Tab, view: str) -> None:
    """Turn a way to see the desk on or off, by keyboard."""
    tab.page.focus(f"#turn-{view}")
    tab.press("Enter")


def is_all_seen(tab: Tab) -> bool:
    """Say whether nothing must be scrolled, and no question is behind the buttons."""
    return bool(
        tab.page.evaluate(
            """() => {
              const page = document.documentElement;
              const last = document.querySelector('#questions').getBoundingClientRect();
              const buttons = document.querySelector('.form .actions').getBoundingClientRect();
              return page.scrollHeight <= innerHeight && last.bottom <= buttons.top + 1
                && buttons.bottom <= innerHeight;
            }"""
        )
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_eight_questions_fit_on_one_screen(
    make_project: MakeProject, open_tab: OpenTab, scheme: str
) -> None:
    project = make_project("unhealthy", [COMMENT] * 3)
    tab = open_tab(project, color_scheme=scheme, bypass_csp=True)
    tab.show()
    assert not is_all_seen(tab)
    assert tab.page.is_visible(".question .help >> nth=0")
    turn(tab, "compact")
    tab.press("Tab", "Tab")
    tab.page.focus("#questions input")
    # Yes to the third question asks an eighth one.
    tab.press("2", "2", "1")
    assert tab.page.locator("#questions fieldset").count() == 8
    assert is_all_seen(tab)
    assert tab.page.is_hidden(".question .help >> nth=0")
    assert serious(tab) == []
    # Folded, not gone.
    tab.page.focus(".more summary >> nth=3")
    tab.press("Enter")
    assert tab.page.is_visible(".question .help >> nth=3")
    tab.page.focus("#questions fieldset:nth-child(4) input")
    tab.press(*"22222", "Enter")
    assert tab.wait_for("item-0", "questionnaire") is not None
    # It is remembered, and turned off again.
    tab.page.reload()
    tab.show()
    assert tab.page.get_attribute("#turn-compact", "aria-pressed") == "true"
    assert tab.page.is_hidden(".question .help >> nth=0")
    turn(tab, "compact")
    assert tab.page.is_visible(".question .help >> nth=0")


def test_the_guideline_stands_beside_the_text(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("unhealthy", [COMMENT] * 3)
    tab = open_tab(project, bypass_csp=True)
    tab.show()
    assert tab.page.is_hidden("#beside")
    turn(tab, "beside")
    turn(tab, "compact")
    assert "Your own opinion does not matter here" in tab.page.inner_text("#beside")
    assert is_all_seen(tab)
    assert serious(tab) == []
    wide = open_tab(project, viewport={"width": 1920, "height": 1000}, bypass_csp=True)
    wide.show()
    assert wide.page.is_visible("#beside"), "a wide screen has room for it"
    boxes = [wide.page.locator(each).bounding_box() for each in ("#beside", ".text-card", "#form")]
    left, middle, right = (box["x"] if box else 0.0 for box in boxes)
    assert left < middle < right
    assert serious(wide) == []
    turn(wide, "beside")
    wide.page.reload()
    wide.show()
    assert wide.page.is_hidden("#beside")
    phone = open_tab(project, viewport={"width": 390, "height": 844})
    phone.show()
    assert phone.page.is_hidden("#turn-beside")
    turn(phone, "compact")
    assert not overflows(phone)


def test_a_mark_shows_its_name(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", ["These poor souls can only hope for our help."])
    for name in ("Ann", "Ben"):
        person = project.invite("annotator", name).person
        project.consent(person, {})
        project.page(person)
        project.answer(person, "item-0", "paragraph", {"pcl": "2"})
    tab = open_tab(project, bypass_csp=True)
    tab.show()
    tab.press("ArrowRight", "Shift+ArrowRight", "1", "5")
    run = tab.page.locator(".marked-run[data-names]").first
    assert run.get_attribute("data-names") == "n Unbalanced power relations · m Metaphor"
    shown = run.evaluate("each => getComputedStyle(each, '::before').content")
    assert "Unbalanced power relations" in shown
    size = run.evaluate("each => parseFloat(getComputedStyle(each, '::before').fontSize)")
    assert size >= 12
    assert serious(tab) == []


def test_a_skipped_text_can_be_returned_to_later(
    make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    path = tmp_path / "mood.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    tab = open_tab(make_project(path, TEXTS))
    text(tab, TEXTS[0])
    assert tab.page.is_hidden("#return")
    tab.press("s")
    text(tab, TEXTS[1])
    tab.press("1", "Enter")
    text(tab, TEXTS[2])
    tab.press("2")
    assert tab.page.inner_text("#return") == "Back to 1 skipped text"
    tab.page.focus("#return")
    tab.press("Enter")
    text(tab, TEXTS[0])
    assert tab.page.is_hidden("#return")
    tab.press("1", "Enter")
    assert tab.wait_for("item-0", "one") == {"kind": "yes"}
    assert tab.project.state.people[tab.person].skipped == 0
    text(tab, TEXTS[2])
    assert tab.page.locator("#questions input:checked").count() == 1, "what was chosen is there"
    tab.press("Enter")
    tab.page.wait_for_url("**/done")
    assert tab.answers("item-2", "one") == {"kind": "no"}
