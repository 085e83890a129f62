"""What ``tactful check --text`` costs from a cold start: CPU time and memory of the whole process.

Everything counts: the interpreter, the imports, opening the model, scoring, explaining, printing.
The files are in the memory of the operating system already, as on the second call of a day, and
modules are compiled, as pip leaves them.
"""

import sys
from statistics import median
from tempfile import TemporaryDirectory

from results import Measurement, machine_line, measure, table, write_page
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import find_weights

RUNS = 7
MODELS = ("default", "fast")
CPU_BAR = 0.6
MEMORY_BAR_MB = 150
TEXT = "They also have the right to love, and we must give these poor people a chance."
COMMAND = [sys.executable, "-m", "tactful", "check", "--text", TEXT]


def runs_of(model: str) -> list[Measurement]:
    """Check one text with a model, again and again."""
    command = [*COMMAND, "--model", model]
    with TemporaryDirectory(prefix="tactful-bench-") as folder:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        measure(command, env=compiled)  # the first run reads files from the disk and compiles
        return [measure(command, env=compiled) for _ in range(RUNS)]


def row_of(model: str) -> list[object]:
    """Return the row of one model: the median run, and the worst memory."""
    runs = runs_of(model)
    cpu = median(run.cpu_seconds for run in runs)
    peak = max(run.peak_mb for run in runs)
    met = "yes" if cpu <= CPU_BAR and peak <= MEMORY_BAR_MB else "NO"
    lowest, highest = (pick(run.cpu_seconds for run in runs) for pick in (min, max))
    return [model, cpu, f"{lowest:.2f} to {highest:.2f}", CPU_BAR, round(peak), MEMORY_BAR_MB, met]


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    models = [name for name in MODELS if find_weights(EMBEDDED["en"][name])]
    if not models:
        print("the embedded weights are not here: nothing was measured", file=sys.stderr)
        return 0
    rows = [row_of(model) for model in models]
    columns = ["model", "CPU s", "from, to", "bar (CPU s)", "peak MB", "bar (MB)", "met"]
    write_page(
        "cold-start",
        "Cold start of `tactful check`",
        f"`tactful check --text …` with one sentence of {len(TEXT.split())} words: user and system "
        f"time of the whole process, median of {RUNS} runs; memory is the largest of them. Modules "
        "are compiled before, as pip does when it installs them.\n\n"
        f"{table(columns, rows)}\n\n{machine_line()}\nCommand: `python benchmarks/cold_start.py`.",
    )
    return 1 if any(row[-1] == "NO" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
