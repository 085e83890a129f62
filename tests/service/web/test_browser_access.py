"""For everybody: axe-core finds nothing serious, pages reflow, and patterns tell families apart."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.web.conftest import OpenPage, running

from tactful.service.http.keys import add_key
from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

TEXT = (
    "With a little help from us, even these poor families can learn to dream again.\n\n"
    "Grow up and stop wasting our time with this nonsense."
)


def serious(page: "Page") -> list[tuple[str, list[Any]]]:
    """Return what axe-core finds serious or critical on the page as it is."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in axe.run(page).response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def overflows(page: "Page") -> bool:
    """Say whether the page must be scrolled sideways."""
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )


def fill(page: "Page", path: str) -> None:
    """Bring a page to the state in which it shows most."""
    if path == "/":
        page.fill("#text", TEXT)
        page.wait_for_selector("#findings li")
        page.locator(".finding-head").first.click()
        for summary in page.locator(".details summary").all()[:2]:
            summary.click()
    elif path == "/compare":
        page.fill("#first", TEXT)
        page.fill("#second", TEXT[:80])
        page.wait_for_selector("#rows tr")
    elif path == "/table":
        content = f"id,text\n1,{TEXT[:70]}\n2,\n3,The library opens.\n".encode()
        file: Any = {"name": "rows.csv", "mimeType": "text/csv", "buffer": content}
        page.set_input_files("#file", file)
        page.click("#start")
        page.wait_for_function("() => document.getElementById('status').textContent.includes('3')")
        page.click(".columns-choice summary")


PATHS = ["/", "/compare", "/table", "/audits", "/docs"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing_serious(open_page: OpenPage, path: str, scheme: str) -> None:
    page = open_page(path, color_scheme=scheme, bypass_csp=True)
    assert serious(page) == []
    fill(page, path)
    assert serious(page) == []


@pytest.mark.parametrize("path", PATHS[:4])
@pytest.mark.parametrize("lang", ["en", "es"])
def test_pages_fit_a_phone(open_page: OpenPage, path: str, lang: str) -> None:
    page = open_page(f"{path}?lang={lang}", viewport={"width": 390, "height": 844}, has_touch=True)
    assert not overflows(page)
    fill(page, path)
    assert not overflows(page)


@pytest.mark.parametrize("path", PATHS[:4])
def test_pages_fit_a_zoom_of_200_per_cent(open_page: OpenPage, path: str) -> None:
    page = open_page(path, viewport={"width": 640, "height": 400}, device_scale_factor=2)
    fill(page, path)
    assert not overflows(page)


def test_families_differ_without_colour(open_page: OpenPage) -> None:
    page = open_page()
    styles = page.evaluate(
        """() => ['pcl', 'unhealthy', 'frame', 'stereotype', 'toxicity'].map((family) => {
          const mark = document.createElement('span');
          mark.className = `mark m-${family}`;
          document.querySelector('.mirror').append(mark);
          const style = getComputedStyle(mark);
          return style.textDecorationStyle;
        })"""
    )
    assert len(set(styles)) == 5


def test_findings_are_a_list_of_buttons(open_page: OpenPage) -> None:
    page = open_page()
    fill(page, "/")
    tree = page.locator("#findings").aria_snapshot()
    assert tree.startswith("- list")
    assert "listitem" in tree
    assert 'button "1 Patronizing or condescending' in tree
    assert "[expanded]" in tree
    assert page.get_attribute("#live", "aria-live") == "polite"
    assert page.get_attribute("#text", "aria-label") == "Your text"


def test_all_parts_of_tactful_are_one_click_away(open_page: OpenPage) -> None:
    page = open_page()
    links = page.locator("nav").first.locator("a").all_inner_texts()
    assert links == ["Write", "Compare", "Table", "Annotate", "Audits", "API"]
    page.click("nav a[href='/audits']")
    page.click(".reports a")
    assert page.title() == "A report"


def test_a_browser_shows_audits_with_a_key_as_the_password(
    open_page: OpenPage, tmp_path: Path
) -> None:
    keys, audits = tmp_path / "keys.json", tmp_path / "audits"
    _, secret = add_key(keys, "newsroom")
    audits.mkdir()
    (audits / "report.html").write_text("<!doctype html><title>A report</title><p>One.</p>")
    settings = ServiceSettings(model="fast", langs=("en",), audits=audits, keys_file=keys)
    with running(settings) as address:
        page = open_page("/audits", address, http_credentials={"username": "", "password": secret})
        page.click(".reports a")
        assert page.title() == "A report"
