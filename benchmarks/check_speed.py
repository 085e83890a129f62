"""What ``tactful check`` costs on a folder of documentation, and for one sentence, cold.

CPU time of the whole process: reading and cutting the files, finding the language of each passage,
scoring, placing what was found, and printing. The passages are those that
``benchmarks/ordinary_prose.py`` finds: descriptions of installed packages and documents of Debian's
packages. The same passages, handed to the detector alone, show how much of the time is the model.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from factory.english.documentation import documentation

from ordinary_prose import debian
from results import best, machine_line, measure, table, write_page
from tactful.detectors.load import EMBEDDED, load_detector
from tactful.detectors.weights import find_weights

FILES, PASSAGES = 300, 18_000
BATCH = 256
BARS = {"fast": 10.0, "default": 150.0}
COLD_BAR = 1.0
COLD_RUNS = 7
TEXT = "They also have the right to love, and we must give these poor people a chance."
CHECK = [sys.executable, "-m", "tactful", "check", "--no-config"]


def passages(number: int) -> list[str]:
    """Return ordinary passages, each on one line, spread evenly over what there is."""
    lines = [" ".join(text.split()) for text in (*documentation(), *debian())]
    step = max(len(lines) // number, 1)
    return lines[::step][:number]


def write_files(folder: Path, texts: Sequence[str]) -> None:
    """Write Markdown files of equally many passages."""
    for at in range(FILES):
        body = "\n\n".join(texts[at::FILES])
        (folder / f"{at:03}.md").write_text(f"# Part {at}\n\n{body}\n", encoding="utf-8")


def alone(model: str, texts: Sequence[str]) -> float:
    """Return the CPU seconds in which the detector alone reads the passages."""
    detector = load_detector(model)
    detector.score(texts[:1])
    began = time.process_time()
    for at in range(0, len(texts), BATCH):
        detector.score(texts[at : at + BATCH])
    return time.process_time() - began


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", choices=list(BARS), help="repeatable")
    parser.add_argument("--passages", type=int, default=PASSAGES, help="bars are for all of them")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    models = [name for name in given.model or list(BARS) if find_weights(EMBEDDED["en"][name])]
    texts = passages(given.passages)
    rows: list[list[object]] = []
    with TemporaryDirectory() as name:
        write_files(Path(name), texts)
        for model in models:
            run = measure([*CHECK, name, "--model", model, "--format", "json", "--fail-on", "1"])
            bar = BARS[model]
            met = "yes" if run.cpu_seconds <= bar else "NO"
            reading = alone(model, texts)
            what = f"{FILES} files, `{model}`"
            rows.append([what, run.cpu_seconds, bar, met, reading, round(run.peak_mb)])
    cold = best([*CHECK, "--text", TEXT], COLD_RUNS)
    met = "yes" if cold.cpu_seconds <= COLD_BAR else "NO"
    rows.append(["`--text`, cold", cold.cpu_seconds, COLD_BAR, met, "", round(cold.peak_mb)])
    columns = ["what", "CPU s", "bar (CPU s)", "met", "the detector alone (CPU s)", "peak MB"]
    write_page(
        "check-speed",
        "What a check costs",
        f"`tactful check` on {FILES} Markdown files with {len(texts):,} passages of documentation, "
        f"and on one sentence (the best of {COLD_RUNS} runs).\n\n"
        f"{table(columns, rows)}\n\n{machine_line()}\nCommand: `python benchmarks/check_speed.py`.",
        path=given.results,
    )
    return 1 if any(row[3] == "NO" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
