"""How many cores and how much memory a job needs: what the sizing guide in the docs is made of.

Each model reads comments with the local engine and two workers, from CSV to CSV. All CPU seconds of
all processes count, from the first import on. Real comments are used where they are there: the
cascade saves as much as texts are plain, and made ones are too plain.
"""

import argparse
import math
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from detector_texts import made_texts, real_texts
from results import machine_line, table, write_page
from scale_cost import Cost, cost_of

MODELS = {
    ("fast", "en"): 200_000,
    ("fast", "auto"): 100_000,
    ("cascade", "en"): 8_000,
    ("default", "en"): 2_000,
    ("default", "auto"): 2_000,
    ("default", "es"): 4_000,
}
"""How many texts each model reads: enough for ten seconds."""
BILLION = 1_000_000_000
PRICE = 0.04
"""Dollars for an hour of one rented core: an assumption, of the order of list prices."""
_WORKERS = 2
_DISTINCT = 8_000


@dataclass(frozen=True)
class Sized:
    """What one model needs."""

    model: str
    lang: str
    rows: int
    cost: Cost

    @property
    def per_core_hour(self) -> float:
        """Texts that one core reads in an hour."""
        return self.rows / self.cost.cpu * 3600

    def as_row(self) -> tuple[str, ...]:
        """Return a row of the table."""
        hours = BILLION / self.per_core_hour
        return (
            self.model,
            self.lang,
            f"{self.rows:,}",
            _rounded(self.per_core_hour),
            f"{self.cost.peak_mb:,.0f} MB",
            _rounded(hours),
            f"${_rounded(hours * PRICE)}",
        )


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=1.0, help="of the texts, to try it")
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    options = parser.parse_args()
    distinct = real_texts(_DISTINCT)
    kind = "comments and paragraphs of UCC and DPM, half each" if distinct else "made texts"
    distinct = distinct or made_texts(_DISTINCT)
    words = sum(len(text.split()) for text in distinct) / len(distinct)
    with tempfile.TemporaryDirectory(prefix="tactful-sizing-") as name:
        found = [
            _sized(Path(name), *model, max(int(rows * options.share), 100), distinct)
            for model, rows in MODELS.items()
        ]
    columns = (
        "model", "--lang", "texts", "texts per core-hour", "memory of 2 workers",
        "core-hours for a billion", f"cost at ${PRICE} a core-hour",
    )  # fmt: skip
    text = "\n".join(
        [
            f"{kind[0].upper()}{kind[1:]}, {words:.0f} words on average, CSV to CSV, local engine, "
            f"{_WORKERS} workers; all CPU seconds of all processes count. Memory is that of the "
            "first process and both workers; what they share counts once. The price is an "
            "assumption: put in your own. The Spanish detector reads the same texts here, for its "
            "speed alone.",
            "",
            table(columns, [each.as_row() for each in found]),
            "",
            machine_line(),
            "Command: `TACTFUL_DATA=… python benchmarks/scale_sizing.py`.",
        ]
    )
    print(text)
    if not options.dry:
        write_page("scale-sizing", "Scale: sizing", text)


def _sized(folder: Path, model: str, lang: str, rows: int, distinct: list[str]) -> Sized:
    source, output = folder / "texts.csv", folder / "scored"
    pl.DataFrame(
        {"id": range(rows), "text": [distinct[at % len(distinct)] for at in range(rows)]}
    ).write_csv(source)
    cost = cost_of(
        [
            *(sys.executable, "-m", "tactful", "score", str(source), "--output", str(output)),
            *("--model", model, "--lang", lang, "--workers", str(_WORKERS), "--quiet"),
            *("--part-rows", str(max(rows // 8, 100))),
        ]
    )
    shutil.rmtree(output)
    sized = Sized(model, lang, rows, cost)
    print(*sized.as_row(), file=sys.stderr)
    return sized


def _rounded(number: float) -> str:
    """Write two digits that count, as there are no more of them here."""
    digits = max(2 - 1 - math.floor(math.log10(number)), 0)
    unit = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return f"{round(number / unit) * unit:,}" if number >= 10 else f"{number:.{digits}f}"


if __name__ == "__main__":
    main()
