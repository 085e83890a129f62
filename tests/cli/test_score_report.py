"""What a run leaves besides the rows: the page, its breakdown by columns, and where it may lie."""

import csv
import json
import random
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tactful.cli.main import cli, main

FAST = ("--model", "fast", "--lang", "en", "--only", "pcl")
HOSTILE = "<script>alert('x')</script>"
TEXTS = [
    "With our help even they can learn to hope again.",
    "The library opens at nine on weekdays.",
    f"A text with {HOSTILE} in it.",
    "",
]


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(3)
    with Path("a.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["source", "created", "text"])
        for at in range(200):
            day = date(2024, 1, 1) + timedelta(days=chance.randrange(90))
            rows.writerow([["forum", "news", HOSTILE][at % 3], day, TEXTS[at % 4]])


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["score", *map(str, args), *FAST], catch_exceptions=False)


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["score", *map(str, args), *FAST])
    return int(stopped.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize("output", ["out.csv", "out", "-"])
def test_a_page_is_written_whole_and_escaped(output: str) -> None:
    by = ("--by", "source", "--by", "created:month")
    result = run("a.csv", "-o", output, "--report", "page.html", *by)
    assert result.exit_code == 0
    assert "page.html" in result.stderr
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert page.count("<script") == 1
    assert "&lt;script&gt;" in page
    for said in ("By source", "By month (created)", "2024-01", "2024-03", "a.csv", "fast-en 2.3"):
        assert said in page
    assert "Patronizing or condescending" in page
    assert [path.name for path in Path().glob("*.html*")] == ["page.html"]


def test_the_breakdown_is_in_the_summary_for_scripts() -> None:
    result = run("a.csv", "-o", "out.csv", "--by", "created:month", "--progress", "json")
    told = json.loads(result.stderr.splitlines()[-1])
    months = told["by"]["created:month"]
    assert [each["value"] for each in months] == ["2024-01", "2024-02", "2024-03"]
    assert sum(each["rows"] for each in months) == told["rows"] == 200
    assert told["errors"] == {"no text": 50}


def test_the_page_says_what_was_asked_for() -> None:
    run("a.csv", "-o", "out.csv", "--report", "page.html", "--where", "source = 'news'", "--dedupe")
    page = Path("page.html").read_text()
    assert re.search(r"source = (&#x27;|&#39;)news", page)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Equal texts read once; this saved 63 rows" in shown


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-o", "out.csv", "--report", "page.html"), "page.html: it exists already"),
        (("-o", "out.csv", "--report", "out.csv"), "out.csv: found as --report, and as input or"),
        (("-o", "out.csv", "--report", "./a.csv", "--force"), "a.csv: found as --report"),
        (("-o", "out.csv", "--report", "folder", "--force"), "folder: found a folder; expected"),
    ],
)
def test_a_page_is_never_written_over_something_else(
    args: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("page.html").write_text("precious")
    Path("folder").mkdir()
    rows = Path("a.csv").read_text()
    code, message = fails(capsys, "a.csv", *args)
    assert (code, said in message) == (2, True), message
    assert Path("page.html").read_text() == "precious"
    assert Path("a.csv").read_text() == rows
    assert not Path("out.csv").exists()


def test_a_page_may_be_written_over_with_force_and_by_the_run_that_made_it() -> None:
    Path("page.html").write_text("old")
    assert run("a.csv", "-o", "out", "--report", "page.html", "--force").exit_code == 0
    assert "old" not in Path("page.html").read_text()[:100]
    Path("page.html").write_text("spoilt")
    assert run("a.csv", "-o", "out", "--report", "page.html").exit_code == 0
    assert Path("page.html").read_text().startswith("<!doctype html>")


def test_without_a_page_its_kit_is_not_imported() -> None:
    code = (
        "import sys\n"
        "from tactful.cli.main import cli\n"
        f"cli(['score', 'a.csv', '-o', 'out.csv', *{FAST!r}], standalone_mode=False)\n"
        "print(*(name for name in sys.modules if name.startswith('tactful.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = done.stdout.split()
    assert "tactful.scale.local.engine" in loaded
    kit = [name for name in loaded if name.startswith("tactful.scale.report.")]
    assert kit == ["tactful.scale.report.share"]
