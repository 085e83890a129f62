"""The queue of the moderators in a real browser: keys, blur, reasons, similar texts, and access."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.service.web.conftest import OpenPage, running
from tests.service.web.test_browser_access import serious

from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect
expect.set_options(timeout=30_000)  # as patient as the pages of the other tests
pytestmark = pytest.mark.browser
FIRST = "With our help even they can learn to hope again. 😀 <script>alert(1)</script>"
SECOND = "Those poor souls will never learn to hope without our help."


@pytest.fixture
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("review")
    url = f"sqlite:///{folder / 'feedback.db'}"
    with running(ServiceSettings(model="fast", langs=("en",), feedback=url)) as address:
        for text, times in ((FIRST, 2), (SECOND, 1)):
            for _ in range(times):
                body = {"text": text, "review": True, "note": "A user asked."}
                httpx.post(f"{address}/v1/feedback", json=body).raise_for_status()
        said = {"text": SECOND, "labels": {"pcl": 1.0, "toxicity": 0.0}}
        httpx.post(f"{address}/v1/feedback", json=said).raise_for_status()
        yield address


def press(page: "Page", key: str) -> None:
    page.keyboard.press(key)


def test_a_moderator_decides_with_the_keyboard_alone(open_page: OpenPage, reviewed: str) -> None:
    page = open_page("/review", reviewed)
    text = page.locator("#text")
    expect(text).to_have_text(FIRST)
    expect(page.locator("#counts")).to_contain_text("2 texts wait")
    expect(page.locator("#reports")).to_contain_text("2 reports")
    expect(page.locator("#why li").first).to_contain_text("%")
    expect(text.locator("mark").first).to_be_visible()
    # Blurred until it is pointed at, or until B is pressed, as are the words that a reason quotes.
    reason = page.locator("#why li .blurred-by-choice").first
    for each in (text, reason):
        assert "blur" in each.evaluate("each => getComputedStyle(each).filter")
    press(page, "b")
    expect(page.locator("#blur")).not_to_be_checked()
    expect(reason).to_have_css("filter", "none")
    first = page.locator("#asked input").first
    before = first.is_checked()
    press(page, "1")
    assert first.is_checked() is not before
    press(page, "1")
    press(page, "n")
    page.keyboard.type("kr is typed, not pressed")
    press(page, "Escape")
    press(page, "r")
    expect(text).to_have_text(SECOND)
    expect(page.locator("#notice")).to_contain_text("It breaks the rules")
    expect(page.locator("#reports")).to_contain_text("Patronizing or condescending 100%, Toxic 0%")
    expect(page.locator("#similar li").first).to_contain_text("It breaks the rules")
    press(page, "z")
    expect(text).to_have_text(FIRST)
    expect(page.locator("#notice")).to_have_text("Undone.")
    press(page, "s")
    expect(text).to_have_text(SECOND)
    expect(page.locator("#notice")).to_be_hidden()
    page.locator("#keep").click()
    expect(text).to_have_text(FIRST)  # what was skipped comes again
    expect(page.locator("#notice")).to_contain_text("It may stay")
    press(page, "e")
    expect(page.locator("#none")).to_be_visible()
    expect(page.locator("#counts")).to_contain_text("2 decisions")


def test_shortcuts_can_be_turned_off_and_buttons_do_the_same(
    open_page: OpenPage, reviewed: str
) -> None:
    page = open_page("/review", reviewed)
    expect(page.locator("#text")).to_have_text(FIRST)
    page.locator("#shortcuts").uncheck()
    page.locator("#text-title").focus()
    press(page, "r")
    expect(page.locator("#counts")).to_contain_text("0 decisions")
    page.locator("#keep").click()
    expect(page.locator("#text")).to_have_text(SECOND)
    expect(page.locator("#counts")).to_contain_text("1 decisions")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_no_barriers(open_page: OpenPage, reviewed: str, scheme: str) -> None:
    page = open_page("/review", reviewed, color_scheme=scheme)
    expect(page.locator("#text")).to_have_text(FIRST)
    press(page, "b")
    assert serious(page) == []
    press(page, "k")
    expect(page.locator("#text")).to_have_text(SECOND)
    expect(page.locator("#notice")).to_contain_text("Saved")
    press(page, "k")
    expect(page.locator("#none")).to_be_visible()
    assert serious(page) == []


def test_the_page_speaks_spanish(open_page: OpenPage, reviewed: str) -> None:
    page = open_page("/review?lang=es", reviewed)
    expect(page.locator("#remove")).to_contain_text("Infringe las normas")
