"""Reading, printing and saving in a true browser, with the keyboard alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.web.conftest import OpenPage
from tests.service.web.test_browser_access import TEXT, overflows, serious
from tests.service.web.test_browser_instead import TERM, press
from tests.service.web.test_browser_write import settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OPENED = ".finding-head[aria-expanded=true]"


def read(page: "Page", text: str = TEXT, count: int = 2) -> None:
    page.fill("#text", text)
    settled(page, count)
    press(page, "#read")


def focused(page: "Page") -> str:
    return str(page.evaluate("document.activeElement.getAttribute('href')"))


def test_the_text_is_read_with_its_marks_and_keys_lead_there_and_back(open_page: OpenPage) -> None:
    page = open_page()
    assert page.is_disabled("#read")
    read(page, f"{TEXT}\n\n{TERM}", 3)
    assert page.is_hidden("#text")
    lines = page.locator("#sheet .line").count()
    assert lines == 5
    page.wait_for_selector("#sheet .mark.m-pcl")
    assert page.locator("#sheet .reference").all_inner_texts() == ["1", "2", "3"]
    assert page.inner_text(":focus") == "Back to writing"
    page.locator("#sheet .reference").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.inner_text(f"{OPENED} .name") == "Dismissive"
    assert page.locator("#sheet .mark.current").count()
    page.keyboard.press("F8")
    assert page.inner_text(f"{OPENED} .name") == "Disability"
    # A replacement is said; to use it, one writes.
    assert page.inner_text(".details .instead").startswith("using a wheelchair")
    assert page.is_hidden(".choices")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Escape")
    assert page.locator(OPENED).count() == 0
    assert focused(page) == "#finding-3"
    page.keyboard.press("Escape")
    assert page.is_visible("#text")
    assert page.evaluate("document.activeElement.id") == "text"
    assert page.input_value("#text") == f"{TEXT}\n\n{TERM}"
    assert page.is_hidden("#sheet")


def test_the_sheet_says_what_the_text_says(open_page: OpenPage) -> None:
    page = open_page()
    text = f"👩‍👩‍👧 <b>{TEXT}</b>\n\n  שלום\t1"
    read(page, text)
    shown = page.evaluate(
        """() => [...document.getElementById('sheet').children].map((line) => {
          const copy = line.cloneNode(true);
          copy.querySelectorAll('sup').forEach((each) => each.remove());
          return copy.textContent;
        }).join('\\n')"""
    )
    assert shown == text


def test_print_has_the_text_and_all_findings_open(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", TEXT)
    settled(page, 2)
    page.evaluate("window.print = () => { window.printed = true; }")
    assert page.is_hidden("#print")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(OPENED).count() == 2
    for selector in ("#text", "#share", ".options", ".top", ".private"):
        assert page.is_hidden(selector), selector
    assert page.is_visible("#sheet .mark")
    assert page.is_visible(".question")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator(OPENED).count() == 0
    assert page.is_visible("#text")
    press(page, "#read")
    press(page, "#print")
    assert page.evaluate("window.printed")


def test_the_saved_page_is_what_is_shown_and_needs_nothing_else(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(bypass_csp=True)
    page.fill("#text", TEXT)
    settled(page, 2)
    for family in ("unhealthy", "toxicity"):
        press(page, f".family[data-family={family}]")
    settled(page, 1)
    press(page, "#read")
    with page.expect_download() as waiting:
        press(page, "#share")
    assert "tactful-report.html" in page.inner_text("#notice")
    path = tmp_path / "report.html"
    waiting.value.save_as(path)
    report = page.context.new_page()
    asked: list[str] = []
    report.on("request", lambda sent: asked.append(sent.url))
    report.goto(path.as_uri())
    assert asked == [path.as_uri()]
    said = report.inner_text("body")
    assert "Patronizing or condescending" in said
    assert "Dismissive" not in said
    assert "Grow up" in said
    assert serious(report) == []
    shown = page.locator(".family[aria-pressed=true]")
    while shown.count():
        shown.first.click()
    page.wait_for_function("() => document.getElementById('share').disabled")


@pytest.mark.parametrize(
    "options",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 844}, "locale": "es-ES"},
        {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
    ],
    ids=["light", "dark", "phone", "zoom"],
)
def test_everybody_can_read(open_page: OpenPage, options: Any) -> None:
    page = open_page(bypass_csp=True, **options)
    read(page)
    assert serious(page) == []
    assert not overflows(page)
    press(page, "#sheet .reference")
    assert serious(page) == []
    assert not overflows(page)
