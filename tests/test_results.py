"""benchmarks/RESULTS.md repeats the figures of the pages that the benchmarks write."""

import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
PAGES = sorted((BENCHMARKS / "results").glob("*.md"))
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def headline_rows() -> list[dict[str, str]]:
    """Return the rows of all tables of RESULTS.md that have figures, by column."""
    rows, columns = [], None
    for line in (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            columns = None
        elif columns is None:
            columns = cells
        elif set(line) - set("|- "):
            rows.append(dict(zip(columns, cells, strict=True)))
    return rows


@pytest.mark.parametrize("row", headline_rows(), ids=lambda row: row["figure"])
def test_each_headline_figure_is_on_the_page_it_links_to(row: dict[str, str]) -> None:
    links = re.findall(r"\((results/[a-z-]+\.md)\)", row["details"])
    details = "\n".join((BENCHMARKS / link).read_text(encoding="utf-8") for link in links)
    known = set(_NUMBER.findall(details))
    shown = _NUMBER.findall(re.sub(r"\([^)]*\)", "", f"{row['Tactful']} {row['peer']}"))
    assert shown, "a row needs a figure"
    assert [number for number in shown if number not in known] == []


def test_each_page_of_results_is_linked() -> None:
    text = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"(results/{page.name})" not in text] == []
