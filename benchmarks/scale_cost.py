"""What a program costs with all that it starts: CPU seconds and memory of the whole family.

Engines start daemons, and daemons that do not wait for their children: the kernel then forgets what
these used. So the program runs in a control group of its own, which counts everything that was
ever started in it. That needs Linux, and the right to make such a group (root has it).
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_LAUNCHER = """
import json, os, signal, subprocess, sys, threading, time
group, told, command = sys.argv[1], sys.argv[2], sys.argv[3:]
began, peak, ended = time.perf_counter(), 0, threading.Event()

def family():
    with open(f"{group}/cgroup.procs") as file:
        return [pid for pid in map(int, file) if pid != os.getpid()]

def look():
    global peak
    while not ended.wait(0.5):
        total = 0
        for pid in family():
            try:
                lines = open(f"/proc/{pid}/smaps_rollup").read().splitlines()
                total += next(int(l.split()[1]) for l in lines if l.startswith("Pss:")) * 1024
            except (OSError, StopIteration):
                pass
        peak = max(peak, total)

def join():
    with open(f"{group}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))

watch = threading.Thread(target=look, daemon=True)
watch.start()
code = subprocess.Popen(command, preexec_fn=join).wait()
wall = time.perf_counter() - began
limit = time.monotonic() + 30
while family():
    if time.monotonic() > limit:
        for pid in family():
            os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
ended.set()
watch.join()
with open(told, "w") as file:
    json.dump([code, wall, peak / 1e6], file)
"""
_NANO, _MICRO = 1e9, 1e6


@dataclass(frozen=True)
class Cost:
    """What one run cost."""

    cpu: float
    """User and system seconds of all processes."""
    wall: float
    peak_mb: float
    """The largest memory of all processes together; what they share counts once (PSS)."""


def cost_of(command: list[str]) -> Cost:
    """Run a program; one that fails ends the benchmark."""
    with tempfile.TemporaryDirectory() as folder, _group() as group:
        told = Path(folder, "told.json")
        subprocess.run(
            [sys.executable, "-c", _LAUNCHER, str(group), str(told), *command],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        code, wall, peak = json.loads(told.read_text())
        if code:
            raise SystemExit(f"{' '.join(command[:6])} ... ended with {code}")
        return Cost(_used(group), wall, peak)


@contextmanager
def _group() -> Iterator[Path]:
    """Make a control group; the older kind counts in nanoseconds, the newer one in microseconds."""
    homes = [Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup")]
    for home in homes:
        group = home / f"tactful-{os.getpid()}"
        if not (home / "cgroup.procs").exists():
            continue
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            yield group
        finally:
            group.rmdir()
        return
    raise SystemExit("No control group can be made here; run this as root on Linux.")


def _used(group: Path) -> float:
    older = group / "cpuacct.usage"
    if older.exists():
        return int(older.read_text()) / _NANO
    fields = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(fields["usage_usec"]) / _MICRO
