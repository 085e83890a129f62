"""What a program costs with all that it starts: CPU seconds and memory of the whole family.

Engines leave daemons behind that are no children of who started them. The launcher below adopts
orphans (Linux: a child subreaper) and waits for them all, so that nothing is missing from the sum.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

_LAUNCHER = """
import ctypes, json, os, resource, signal, subprocess, sys, threading, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
pipe, command = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(pipe, False)
began, peak, ended = time.perf_counter(), 0, threading.Event()

def family(pid):
    try:
        found = open(f"/proc/{pid}/task/{pid}/children").read().split()
        for task in os.listdir(f"/proc/{pid}/task"):
            found += open(f"/proc/{pid}/task/{task}/children").read().split()
    except OSError:
        return
    for child in set(found):
        yield int(child)
        yield from family(int(child))

def look():
    global peak
    while not ended.wait(0.5):
        total = 0
        for pid in set(family(os.getpid())):
            try:
                lines = open(f"/proc/{pid}/smaps_rollup").read().splitlines()
                total += next(int(l.split()[1]) for l in lines if l.startswith("Pss:")) * 1024
            except (OSError, StopIteration):
                pass
        peak = max(peak, total)

watch = threading.Thread(target=look, daemon=True)
watch.start()
process = subprocess.Popen(command)
code = process.wait()
wall = time.perf_counter() - began
limit = time.monotonic() + 30
while True:
    try:
        pid, _ = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        break
    if not pid:
        if time.monotonic() > limit:
            for child in set(family(os.getpid())):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.1)
ended.set()
watch.join()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([code, used.ru_utime + used.ru_stime, wall, peak / 1e6], os.fdopen(pipe, "w"))
"""


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
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    launcher = subprocess.Popen(
        [sys.executable, "-c", _LAUNCHER, str(writing), *command],
        pass_fds=(writing,),
        stdout=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    launcher.wait()
    code, cpu, wall, peak = json.loads(told)
    if code:
        raise SystemExit(f"{' '.join(command[:6])} ... ended with {code}")
    return Cost(cpu, wall, peak)
