"""How long ``import tactful`` and ``tactful --help`` take beyond a bare interpreter.

CPU time, the best of some runs, all with the same interpreter and the same flags. ``import
polars`` and ``pip --help`` are measured in the same minutes, to show what the numbers mean here.
"""

import sys
from pathlib import Path

from results import best, machine_line, table, write_page

RUNS = 20
IMPORT_BAR_MS = 150
HELP_BAR_MS = 300

SCRIPTS = Path(sys.executable).parent
PYTHON = [sys.executable, "-I"]
BARE = [*PYTHON, "-c", "pass"]
CASES: list[tuple[str, list[str], int | None]] = [
    ("`import tactful`", [*PYTHON, "-c", "import tactful"], IMPORT_BAR_MS),
    ("`tactful --help`", [*PYTHON, str(SCRIPTS / "tactful"), "--help"], HELP_BAR_MS),
    ("`tactful doctor`", [*PYTHON, str(SCRIPTS / "tactful"), "doctor"], None),
    ("peer: `import polars`", [*PYTHON, "-c", "import polars"], None),
    ("peer: `pip --help`", [*PYTHON, "-m", "pip", "--help"], None),
]


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    best(BARE, 2)  # the first runs read files from the disk
    bare = best(BARE, RUNS)
    rows: list[list[object]] = []
    missed = []
    for name, command, bar in CASES:
        best(command, 1)
        run = best(command, RUNS)
        extra_ms = 1000 * (run.cpu_seconds - bare.cpu_seconds)
        verdict = "" if bar is None else ("yes" if extra_ms <= bar else "NO")
        if verdict == "NO":
            missed.append(name)
        rows.append([name, round(extra_ms), bar or "", verdict, round(run.peak_mb)])
    columns = ["what", "CPU ms beyond a bare interpreter", "bar (ms)", "met", "peak memory (MB)"]
    write_page(
        "startup",
        "Starting",
        f"Best of {RUNS} runs. A bare interpreter (`python -I -c pass`) took "
        f"{1000 * bare.cpu_seconds:.0f} ms of CPU time and {bare.peak_mb:.0f} MB.\n\n"
        f"{table(columns, rows)}\n\n{machine_line()}\nCommand: `python benchmarks/startup.py`.",
    )
    for name in missed:
        print(f"{name} is slower than its bar", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
