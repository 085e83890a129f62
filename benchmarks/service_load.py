"""How much the service bears: requests a second, times, overload, memory, and what batching brings.

Server and load generator are processes of their own on the same machine. Configurations that are
compared are measured in turns, and the best turn of each counts: what disturbs a run only ever
slows it. Memory is the proportional set size (PSS): what processes share counts once.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detector_texts import made_texts, real_texts
from results import machine_line, table, write_page

CLIENTS = 32
WORDS = 40
OVERLOAD = 4
SCORE, ANALYZE = "/v1/score", "/v1alpha1/comments:analyze"
_CLIENT = Path(__file__).with_name("load_client.py")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Server:
    """A service in a process of its own, with its workers."""

    process: "subprocess.Popen[str]"
    port: int

    def pids(self) -> list[int]:
        """Return the processes that serve: the workers, or the one there is."""
        parent = self.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        serving = [int(pid) for pid in children if "spawn_main" in _command(int(pid))]
        return serving or [parent]

    def cpu(self) -> float:
        """Return the CPU seconds that all of them have used."""
        return sum(_cpu(pid) for pid in self.pids())

    def pss(self) -> list[float]:
        """Return the memory of each, in millions of bytes."""
        return [_pss(pid) for pid in self.pids()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _pss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"the kernel gives no PSS of process {pid}")


@contextlib.contextmanager
def serving(*options: str) -> Iterator[Server]:
    """Start a service, wait until it is ready, and end it."""
    command = "from tactful.cli.serve import serve_cli; serve_cli()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "--port", "0", "--no-web", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        server = Server(process, int(line.split()[2].rpartition(":")[2]))
        for _ in range(600):
            with contextlib.suppress(urllib.error.URLError):
                urllib.request.urlopen(f"http://127.0.0.1:{server.port}/readyz")
                break
            time.sleep(0.1)
        time.sleep(2 if "--workers" in options else 0)  # the second worker may still be opening
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def load(server: Server, bodies: Path, path: str = SCORE, **options: float) -> dict[str, Any]:
    """Run the load generator once; return what it saw, and what the server used."""
    before = server.cpu()
    arguments = [f"--{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [sys.executable, str(_CLIENT), f"--port={server.port}", f"--path={path}",
         f"--bodies={bodies}", f"--clients={CLIENTS}", *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    used = server.cpu() - before
    found["cpu_ms"] = 1000 * used / max(1, sum(found["statuses"].values()))
    return found


def score_bodies(folder: Path, name: str, texts: Sequence[str]) -> Path:
    """Write the bodies of requests for one text each."""
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"texts": [text]}) + "\n" for text in texts))
    return path


def analyze_bodies(folder: Path, texts: Sequence[str]) -> Path:
    """Write the bodies of requests as clients of Perspective send them."""
    wanted: dict[str, dict[str, str]] = {"TOXICITY": {}, "INSULT": {}}
    path = folder / "analyze.jsonl"
    path.write_text(
        "".join(
            json.dumps({"comment": {"text": text}, "requestedAttributes": wanted}) + "\n"
            for text in texts
        )
    )
    return path


@dataclass
class Row:
    """One line of the table of speeds."""

    name: str
    texts: str
    path: str
    options: tuple[str, ...]
    bodies: Path


def rows(folder: Path) -> list[Row]:
    """Return what is measured: models, ways to run them, and kinds of texts."""
    made = made_texts(4000, WORDS)
    kinds = {"made": score_bodies(folder, "made", made)}
    real = [" ".join(text.split()[:WORDS]) for text in real_texts(6000)]
    real = [text for text in real if len(text.split()) == WORDS]
    if real:
        kinds["real"] = score_bodies(folder, "real", real)
    found = []
    for model in ("default", "cascade"):
        for texts, bodies in kinds.items():
            ways: dict[str, tuple[str, ...]] = {
                "1 process": (),
                "1 process, no batching": ("--no-batching",),
                "2 workers": ("--workers", "2"),
            }
            found += [
                Row(f"{model}, {way}", texts, SCORE, ("--model", model, *options), bodies)
                for way, options in ways.items()
            ]
    analyze = analyze_bodies(folder, made)
    for model in ("default", "cascade"):
        found.append(Row(f"{model}, 1 process", "made", ANALYZE, ("--model", model), analyze))
    return found


def speeds(folder: Path, seconds: float, turns: int) -> list[list[object]]:
    """Measure every row in turns; return the best turn of each."""
    best: dict[int, dict[str, Any]] = {}
    wanted = rows(folder)
    for _ in range(turns):
        for at, row in enumerate(wanted):
            with serving(*row.options) as server:
                load(server, row.bodies, row.path, seconds=1)
                found = load(server, row.bodies, row.path, seconds=seconds)
            print(row.name, row.texts, row.path, found, flush=True)
            if at not in best or found["rate"] > best[at]["rate"]:
                best[at] = found
    return [
        [
            row.name, row.texts, row.path, round(best[at]["rate"]),
            round(best[at]["p50"]), round(best[at]["p99"]), round(best[at]["cpu_ms"], 2),
            json.dumps(best[at]["statuses"]),
        ]
        for at, row in enumerate(wanted)
    ]  # fmt: skip


def ratios(measured: Sequence[Sequence[object]]) -> list[list[object]]:
    """Return what micro-batching brings, from two rows of the same run."""
    rates = {(str(row[0]), str(row[1])): float(str(row[3])) for row in measured if row[2] == SCORE}
    return [
        [name, texts, rate, rates[f"{name}, no batching", texts],
         rate / rates[f"{name}, no batching", texts]]
        for (name, texts), rate in rates.items()
        if (f"{name}, no batching", texts) in rates
    ]  # fmt: skip


def overload(folder: Path, seconds: float) -> list[list[object]]:
    """Send four times what the service bears, at a fixed rate."""
    found: list[list[object]] = []
    bodies = score_bodies(folder, "overload", made_texts(2000, WORDS))
    for model in ("default", "cascade"):
        with serving("--model", model) as server:
            bears = load(server, bodies, seconds=5)["rate"]
            sent = load(server, bodies, seconds=seconds, rate=OVERLOAD * bears)
            after = load(server, bodies, seconds=3)
            found.append(
                [model, round(bears), round(OVERLOAD * bears), round(sent["rate"]),
                 json.dumps(sent["statuses"]), round(sent["p99"]), round(after["rate"])]
            )  # fmt: skip
            print("overload", found[-1], flush=True)
    return found


def memory(folder: Path, requests: int) -> tuple[list[list[object]], float]:
    """Follow the memory over many requests; return the marks and the greatest change."""
    bodies = score_bodies(folder, "memory", made_texts(4000, WORDS))
    marks: list[list[object]] = []
    with serving("--model", "cascade") as server:
        load(server, bodies, count=requests // 20, seconds=3600)
        first = server.pss()[0]
        marks.append([requests // 20, round(first, 1)])
        for part in range(1, 5):
            load(server, bodies, count=requests // 4, seconds=3600)
            marks.append([requests // 20 + part * requests // 4, round(server.pss()[0], 1)])
            print("memory", marks[-1], flush=True)
    change = max(abs(float(str(mark[1])) / first - 1) for mark in marks)
    return marks, change


def shared(folder: Path) -> list[list[object]]:
    """Measure what workers add to the memory, with the default model in both languages."""
    bodies = score_bodies(folder, "shared", made_texts(200, WORDS))
    found: list[list[object]] = []
    for workers in (1, 2, 4):
        options = ("--workers", str(workers)) if workers > 1 else ()
        with serving(*options) as server:
            time.sleep(2 * workers)
            load(server, bodies, seconds=4)
            each = server.pss()
            found.append([workers, round(sum(each)), round(sum(each) / len(each))])
            print("shared", found[-1], flush=True)
    return found


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8.0, help="of each turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--requests", type=int, default=100_000, help="for the memory")
    parser.add_argument("--no-write", action="store_true", help="only print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        busy = os.getloadavg()[0]
        measured = speeds(folder, options.seconds, options.turns)
        batching = ratios(measured)
        flood = overload(folder, options.seconds)
        workers = shared(folder)
        marks, change = memory(folder, options.requests)
    body = "\n\n".join(
        [
            machine_line() + f" Load of the machine before it began: {busy:.1f}.",
            f"Command: `python benchmarks/service_load.py --seconds {options.seconds:g} --turns "
            f"{options.turns} --requests {options.requests}`. {CLIENTS} clients, each with one "
            f"request of one text of {WORDS} words at a time; times in milliseconds, CPU of the "
            "server per request. Server and clients share the cores. Made texts leave next to "
            "nothing open for the cascade's second detector; real ones are comments and "
            "paragraphs that are cut to the same length.",
            table(
                ["model", "texts", "path", "requests/s", "p50", "p99", "CPU ms", "statuses"],
                measured,
            ),
            "What micro-batching brings, in the same run:",
            table(["model", "texts", "batched/s", "alone/s", "ratio"], batching),
            f"{OVERLOAD} times the capacity of the service, sent at a fixed rate:",
            table(
                ["model", "capacity/s", "sent/s", "answered/s", "statuses", "p99", "after it/s"],
                flood,
            ),
            "Memory (PSS) of the serving processes, in MB, default model, both languages:",
            table(["workers", "together", "each"], workers),
            f"Memory over {options.requests:,} requests, cascade: largest change {change:.1%}.",
            table(["requests", "PSS MB"], marks),
        ]
    )
    print(body)
    if not options.no_write:
        write_page("service-load", "Service: load", body)


if __name__ == "__main__":
    main()
