"""What engines add to the bare function with the default model, on texts enough to hide a start."""

import argparse
import tempfile
from pathlib import Path

import scale
from detector_texts import WORDS_EACH
from results import machine_line, write_page

ROWS = 20_000


def main() -> None:
    """Measure each way once, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        texts = scale.write_texts(Path(name), options.rows)
        runs = scale.best_runs("default", texts, options.rows, turns=1, with_csv=False)
    lines = [
        f"As on the page [Scale](scale.md), with {options.rows:,} texts of {WORDS_EACH} "
        "words, each way once. Opening the model in each process, and laying it out so that they "
        "share it, counts.",
        "",
        *scale.told("default", runs[0], runs),
        *scale.twice(runs),
        machine_line(),
        "Command: `python benchmarks/scale_default.py`.",
    ]
    text = "\n".join(lines)
    print(text)
    write_page("scale-default", "Scale: the default model", text)


if __name__ == "__main__":
    main()
