"""The page in a real browser: it fits, it folds, it is readable for everybody."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.scale.made import THRESHOLDS, Row, counted

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.html import report_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

HOSTILE = "<script>document.title='caught'</script>\"'&\u202eabc\x00🙂 " + "w" * 1000
OpenPage = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: "Browser", tmp_path: Path) -> Iterator[OpenPage]:
    """Open the page as a file, as its readers do; nothing may go wrong in it."""
    rows: list[Row] = [
        *((f"0.{at % 10} 0.{at % 7} 0.{at % 3} text {at}", f"2024-{1 + at % 12:02d}")
          for at in range(400)),
        (f"0.95 0.95 0.95 {HOSTILE}", None),
        ("0.96 0.9 0.9 مرحبا بكم في المكتبة", None),
        ("", "2024-01"),
    ]  # fmt: skip
    summary = counted(rows, source=HOSTILE)
    summary.by["place"] = counted(
        [(f"0.{at % 10} 0 0", HOSTILE if at < 40 else f"place {at % 40}") for at in range(900)]
    ).by["source"]
    file = tmp_path / "report.html"
    about = ReportAbout(
        (HOSTILE,), "numbers 1", "3 May 2025", THRESHOLDS, {"kind": "A kind"}, where=HOSTILE
    )
    file.write_text(report_html(summary, about), encoding="utf-8")
    contexts, said = [], []

    def open_it(**options: Any) -> "Page":
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(file.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert said == []


def overflows(page: "Page") -> bool:
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )


def open_all(page: "Page") -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: OpenPage, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(color_scheme=scheme, bypass_csp=True)
    for _ in range(2):
        found = axe.run(page).response["violations"]
        assert [
            (each["id"], [node["html"] for node in each["nodes"]])
            for each in found
            if each["impact"] in ("serious", "critical")
        ] == []
        open_all(page)


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": {"width": 320, "height": 700}},
        {"viewport": {"width": 390, "height": 844}, "has_touch": True},
        {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
        {"viewport": {"width": 1280, "height": 800}},
    ],
)
def test_the_page_is_never_wider_than_the_screen(
    open_page: OpenPage, options: dict[str, Any]
) -> None:
    page = open_page(**options)
    assert not overflows(page)
    open_all(page)
    assert not overflows(page)


def test_texts_are_hidden_until_asked_for_one_by_one(open_page: OpenPage) -> None:
    page = open_page()
    quotes = page.locator("blockquote")
    assert quotes.count() == 9
    assert not any(quote.is_visible() for quote in quotes.all())
    page.locator("#kind-1 > summary").focus()
    page.keyboard.press("Enter")
    assert not any(quote.is_visible() for quote in quotes.all())
    page.locator("#kind-1 li summary").first.focus()
    page.keyboard.press("Space")
    assert [quote.is_visible() for quote in quotes.all()] == [True, *[False] * 8]


def test_one_button_shows_all_texts_and_hides_them_again(open_page: OpenPage) -> None:
    page = open_page()
    button = page.get_by_role("button", name="Show all texts of all kinds")
    button.focus()
    page.keyboard.press("Enter")
    assert all(quote.is_visible() for quote in page.locator("blockquote").all())
    hide = page.get_by_role("button", name="Hide all texts")
    hide.click()
    assert not any(quote.is_visible() for quote in page.locator("blockquote").all())


def test_each_kind_has_a_button_of_its_own(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#kind-2 > summary").click()
    page.locator("#kind-2 button").click()
    shown = [quote.is_visible() for quote in page.locator("blockquote").all()]
    assert shown == [False] * 3 + [True] * 3 + [False] * 3


def test_it_works_without_script(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("button").count() == 4
    assert not any(button.is_visible() for button in page.locator("button").all())
    page.locator("#kind-1 > summary").click()
    page.locator("#kind-1 li summary").first.click()
    assert page.locator("blockquote").first.is_visible()


def test_texts_run_no_script_and_keep_their_direction(open_page: OpenPage) -> None:
    page = open_page()
    assert page.title() == "What the texts may contain"
    open_all(page)
    quotes = page.locator("blockquote")
    directions = quotes.evaluate_all("all => all.map((each) => getComputedStyle(each).direction)")
    assert "<script>" in quotes.nth(1).inner_text()
    assert "\\u202eabc\\x00" in quotes.nth(1).inner_text()
    assert set(directions) <= {"ltr", "rtl"}


def test_paper_keeps_texts_hidden(open_page: OpenPage) -> None:
    page = open_page()
    page.emulate_media(media="print")
    assert not any(quote.is_visible() for quote in page.locator("blockquote").all())
    assert not page.locator(".reveal").first.is_visible()
