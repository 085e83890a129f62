"""Two versions side by side, in a true browser."""

import pytest
from tests.service.web.conftest import OpenPage

pytestmark = pytest.mark.browser

POOR = "With a little help from us, even these poor families can learn to dream again."
RUDE = "Are you really that naive? Grow up and stop wasting our time with this nonsense."
CALM = "The families and the town agreed on a plan for new houses."


def test_what_became_better_and_worse_is_told(open_page: OpenPage) -> None:
    page = open_page("/compare")
    assert "Write both versions" in page.inner_text("#status")
    page.fill("#first", POOR)
    page.fill("#second", f"{CALM}\n\n{RUDE}")
    page.wait_for_selector("#rows tr")
    page.wait_for_function("() => document.querySelectorAll('#rows .worse').length > 1")
    rows = page.locator("#rows tr").all_inner_texts()
    by_name = {row.split("\t")[0]: row for row in rows}
    assert "better (gone)" in by_name["Patronizing or condescending"]
    assert "worse (new)" in by_name["Dismissive"]
    assert "became better" in page.inner_text("#status")
    assert "became worse" in page.inner_text("#status")
    assert page.locator("#first-frame .mark").count()
    assert page.locator("#second-frame .mark.m-unhealthy").count()


def test_copy_and_swap(open_page: OpenPage) -> None:
    page = open_page("/compare")
    page.fill("#first", POOR)
    page.click("#copy")
    assert page.input_value("#second") == POOR
    page.wait_for_function("() => document.querySelectorAll('#rows .same').length > 0")
    assert page.inner_text("#status") == "Nothing changed much."
    page.fill("#second", CALM)
    page.click("#swap")
    assert (page.input_value("#first"), page.input_value("#second")) == (CALM, POOR)
    page.wait_for_function("() => document.querySelectorAll('#rows .worse').length > 0")


def test_what_was_written_is_the_first_version(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", POOR)
    page.click("nav a[href='/compare']")
    page.wait_for_selector("#first-frame .mark")
    assert page.input_value("#first") == POOR


def test_two_versions_without_findings_say_so(open_page: OpenPage) -> None:
    page = open_page("/compare")
    page.fill("#first", CALM)
    page.fill("#second", "The library opens on Monday.")
    page.wait_for_function(
        "() => document.getElementById('status').textContent.startsWith('Neither')"
    )
    assert page.is_hidden("#changes")
