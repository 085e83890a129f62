"""Scoring the rows of a file in a true browser."""

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.web.conftest import OpenPage, running

from tactful.annotation.formats.cells import neutralise
from tactful.service.http.keys import add_key
from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

POOR = "With a little help from us, even these poor families can learn to dream again."
RUDE = "Are you really that naive? Grow up and stop wasting our time with this nonsense."
CALM = "The library opens on Monday."
SPANISH = "Los inmigrantes traen delincuencia a nuestros barrios."
ROWS = [("1", CALM, "=1+1"), ("2", POOR, "-2"), ("3", "", 'say "no"'), ("4", RUDE, "a,b\nc"),
        ("5", SPANISH, "'quoted")]  # fmt: skip


def as_csv(rows: list[tuple[str, str, str]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([("id", "text", "note"), *rows])
    return out.getvalue()


def give(page: "Page", name: str, content: str) -> None:
    file: Any = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.set_input_files("#file", file)


def score(page: "Page") -> None:
    """Score all rows. It may be over before anybody could see that it began."""
    page.evaluate("() => { document.getElementById('status').textContent = ''; }")
    page.click("#start")
    page.wait_for_function(
        """() => !document.getElementById('start').hidden
          && document.getElementById('status').textContent !== ''""",
        timeout=60_000,
    )


def first_cells(page: "Page") -> list[str]:
    return page.locator("#rows tr td:first-child").all_inner_texts()


def test_rows_are_scored_sorted_filtered_and_exported(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/table")
    give(page, "comments.csv", as_csv(ROWS))
    page.wait_for_selector("#setup", state="visible")
    assert page.locator("#column option:checked").inner_text() == "text"
    score(page)
    assert page.inner_text("#status") == "5 rows scored."
    assert first_cells(page) == ["1", "2", "3", "4", "5"]
    assert "not scored: empty" in page.inner_text("#rows tr:nth-child(3)")
    page.click('[data-sort="pcl"]')
    assert first_cells(page)[0] == "2"
    assert page.get_attribute("#heads th[aria-sort]", "aria-sort") == "descending"
    assert page.evaluate("document.activeElement.dataset.sort") == "pcl"
    page.keyboard.press("Enter")
    assert page.get_attribute("#heads th[aria-sort]", "aria-sort") == "ascending"
    assert first_cells(page)[-2:] == ["3", "5"]  # empty, and Spanish: they have no such number
    page.select_option("#id", "stereotype")
    page.locator("#least").fill("20")
    assert first_cells(page) == ["5"]
    assert page.inner_text("#count") == "1 of 5 rows"
    page.select_option("#id", "")
    page.locator("#least").fill("0")
    page.fill("#search", "NAIVE")
    assert first_cells(page) == ["4"]
    page.fill("#search", "")
    page.click('[data-sort="row"]')
    with page.expect_download() as waiting:
        page.click("#export")
    assert waiting.value.suggested_filename == "comments-scores.csv"
    waiting.value.save_as(tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open(encoding="utf-8-sig", newline="") as opened:
        found = list(csv.DictReader(opened))
    assert [row["note"] for row in found] == [neutralise(note) for _, _, note in ROWS]
    assert found[0]["note"] == "'=1+1"
    assert [row["text"] for row in found] == [text for _, text, _ in ROWS]
    assert [row["tactful.lang"] for row in found] == ["en", "en", "", "en", "es"]
    assert float(found[1]["pcl"]) > 0.5
    assert found[2]["pcl"] == ""
    assert found[2]["tactful.reason"] == "empty"
    assert found[4]["pcl"] == ""  # the Spanish detector has no such id, but it has this one:
    assert 0 <= float(found[4]["unhealthy"]) < 0.5


def test_json_lines_and_pages_of_rows(open_page: OpenPage) -> None:
    page = open_page("/table")
    lines = "\n".join(json.dumps({"n": n, "comment": f"{CALM} {n}"}) for n in range(130))
    give(page, "rows.jsonl", lines)
    page.wait_for_selector("#setup", state="visible")
    assert page.locator("#column option:checked").inner_text() == "comment"
    score(page)
    assert page.locator("#rows tr").count() == 50
    page.click("#next")
    assert first_cells(page)[0] == "51"
    page.click("#next")
    assert page.inner_text("#where") == "101 to 130 of 130"
    assert page.is_disabled("#next")


def test_a_row_opens_in_the_editor(open_page: OpenPage) -> None:
    page = open_page("/table")
    give(page, "rows.csv", as_csv(ROWS))
    score(page)
    page.locator("#rows tr:nth-child(2) .open-row").click()
    page.wait_for_selector("#findings li")
    assert page.input_value("#text") == POOR


def test_scoring_can_be_stopped(open_page: OpenPage) -> None:
    page = open_page("/table")
    give(page, "rows.csv", "text\n" + "\n".join(f"{POOR} {n}" for n in range(5000)))
    page.click("#start")
    page.wait_for_function("() => document.getElementById('progress').value > 0")
    page.click("#stop")
    page.wait_for_selector("#start", state="visible")
    assert page.inner_text("#status").startswith("Stopped after ")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("rows.xlsx", "x", "expected .csv"),
        ("rows.csv", "text\n", "has no rows"),
        ("rows.csv", 'text\n1\n"never closed\n', "line 3"),
        ("rows.jsonl", '{"text": "a"}\n[1]\n', "line 2"),
        ("rows.jsonl", '{"text": "a"}\n{broken\n', "line 2"),
        ("rows.csv", "text\nA\0B\n", "UTF-8"),
    ],
)
def test_a_bad_file_is_told(open_page: OpenPage, name: str, content: str, told: str) -> None:
    page = open_page("/table")
    give(page, name, content)
    page.wait_for_selector("#notice", state="visible")
    assert told in page.inner_text("#notice")


CELLS = ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", " =1", "\u200b=1", "＝1", "'a", "a=1", "", "7"]


def test_files_are_read_and_written_as_elsewhere(open_page: OpenPage) -> None:
    page = open_page("/table")
    tables = [
        "a,b\r\n1,2\r\n",
        'a;b\n"x;""y""\nz";2\n\n3;4',
        "\ufeffa\tb\n1\t\n",
        '"a,a",b\n,\n',
        "a,b\r1,2",
    ]
    found = page.evaluate(
        "async tables => { const { parseCsv } = await import('/static/csv.js'); "
        "return tables.map((text) => parseCsv(text)); }",
        tables,
    )
    assert found == [
        [["a", "b"], ["1", "2"]],
        [["a", "b"], ['x;"y"\nz', "2"], ["3", "4"]],
        [["a", "b"], ["1", ""]],
        [["a,a", "b"], ["", ""]],
        [["a", "b"], ["1", "2"]],
    ]
    script = "async cells => (await import('/static/csv.js')).writeCsv([cells])"
    written = page.evaluate(script, CELLS)
    assert next(csv.reader(io.StringIO(written, newline=""))) == [neutralise(c) for c in CELLS]


def test_a_key_is_asked_for_and_kept_in_the_tab(open_page: OpenPage, tmp_path: Path) -> None:
    _, secret = add_key(tmp_path / "keys.json", "one", None)
    settings = ServiceSettings(model="fast", langs=("en",), keys_file=tmp_path / "keys.json")
    with running(settings) as address:
        page = open_page("/", address)
        page.fill("#text", POOR)
        page.wait_for_selector("dialog[open] input")
        page.fill("dialog input", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open] >> text=not known")
        page.fill("dialog input", secret)
        page.keyboard.press("Enter")
        page.wait_for_selector("#status:not(:empty)")
        page.reload()
        page.wait_for_selector("#status:not(:empty)")
        assert page.locator("dialog").count() == 0
        page.context.close()
