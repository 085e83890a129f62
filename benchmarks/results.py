"""What every benchmark shares: measuring a program, and writing its page of results.

A benchmark is a script of this folder. It measures, and calls :func:`write_page` with its name,
which writes ``results/NAME.md``; do not edit these pages by hand. RESULTS.md repeats their headline
figures, and tests/test_results.py checks that it repeats them correctly.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile

PAGES = Path(__file__).resolve().with_name("results")
NOTE = "<!-- Written by a script in benchmarks/; do not edit. -->"

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")

# The kernel counts the memory of the parent process as a program's own peak until the program uses
# more. A bare interpreter therefore starts it, not a benchmark that holds a corpus in memory.
_LAUNCHER = """
import json, os, sys, time
began = time.perf_counter()
pipe, command = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(pipe, False)
pid = os.posix_spawnp(command[0], command, os.environ)
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - began
scale = 1 if sys.platform == "darwin" else 1024
json.dump([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, wall,
           used.ru_maxrss * scale / 1e6], os.fdopen(pipe, "w"))
"""


@dataclass(frozen=True)
class Measurement:
    """What one run of a program cost."""

    cpu_seconds: float
    """User and system time of the program and of the children it waited for."""
    wall_seconds: float
    peak_mb: float
    """The largest resident memory of one process, in millions of bytes."""
    stdout: str


def measure(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Measurement:
    """Run a program to its end and return what it cost; a failing program is an error."""
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as pipe:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(writer), *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                pass_fds=[writer],
                env=None if env is None else {**os.environ, **env},
                cwd=cwd,
            )
        finally:
            os.close(writer)
        with process:
            stdout, stderr = process.communicate()
        answer = pipe.read()
    if not answer:
        raise RuntimeError(f"could not start {command[0]}: {stderr.strip()}")
    code, cpu, wall, peak = json.loads(answer)
    if code != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {code}: {stderr.strip()}")
    return Measurement(cpu, wall, peak, stdout)


def best(command: Sequence[str], runs: int, *, env: Mapping[str, str] | None = None) -> Measurement:
    """Return the run with the least CPU time: what disturbs a run only ever adds."""
    return min((measure(command, env=env) for _ in range(runs)), key=lambda run: run.cpu_seconds)


def machine() -> dict[str, str]:
    """Describe this machine and the moment, for the head of a page."""
    return {
        "CPU": _cpu_model(),
        "cores": str(os.cpu_count()),
        "RAM": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.1f} GB",
        "OS": platform.platform(),
        "Python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def machine_line() -> str:
    """Return :func:`machine` as one sentence."""
    return "Machine: " + "; ".join(f"{name} {value}" for name, value in machine().items()) + "."


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        match = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE)
        if match:
            return match[1]
    return platform.processor() or platform.machine()


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a Markdown table; columns of numbers are set to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [
        bool(rows) and all(isinstance(row[index], int | float) for row in rows)
        for index in range(len(columns))
    ]
    lines = [list(columns), ["---:" if right else "---" for right in numeric], *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = f"{value:,.3f}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def write_page(name: str, title: str, body: str, path: Path | None = None) -> None:
    """Write the page ``results/NAME.md``, or the file ``path`` instead."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"a page's name consists of a-z, 0-9 and '-', not {name!r}")
    _replace(path or PAGES / f"{name}.md", f"# {title}\n\n{NOTE}\n\n{body.strip()}\n")


def _replace(path: Path, text: str) -> None:
    """Write beside the file and rename: a reader sees the old text or the new, never a half."""
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=".results-", delete=False
    ) as file:
        temporary = Path(file.name)
        try:
            file.write(text)
            file.flush()
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
