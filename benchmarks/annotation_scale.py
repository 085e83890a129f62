"""A project of 200,000 texts: importing them, starting the server, and every page of it.

The commands are those that people type, in processes of their own; pages are asked for one after
the other over HTTP by an owner, an annotator and a program.

    python benchmarks/annotation_scale.py
"""

import argparse
import csv
import http.client
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

from results import machine_line, measure, table, write_page
from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

ITEMS, TESTS, PEOPLE, JUDGED = 200_000, 500, 60, 20_000
SEED = 8
MOST_IMPORT, MOST_START, MOST_PAGE = 30.0, 8.0, 1.0
ASKED = 5
"""How often each page is asked for."""
OWNER = (
    "/owner", "/owner/agreement", "/owner/learning", "/owner/people", "/owner/items",
    "/owner/items?q=number+17", "/owner/items?q=nowhere", "/owner/items?status=done",
    "/owner/items?status=open&person=a1", "/owner/item/c17", "/owner/disputed", "/owner/import",
    "/owner/assignment", "/owner/crowd", "/owner/export", "/owner/settings", "/owner/wording",
    "/owner/log", "/owner/people.csv", "/owner/exposure.csv",
)  # fmt: skip
ANNOTATOR = ("/work", "/api/page", "/guideline", "/help", "/done")
PROGRAM = (
    "/api/v1/project", "/api/v1/progress", "/api/v1/items?limit=1000",
    "/api/v1/items?status=open&q=17", "/api/v1/item?id=c17", "/api/v1/labels?limit=1000",
    "/api/v1/judgements?limit=1000", "/api/v1/people", "/api/v1/settings",
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """How long a page took, in seconds."""

    who: str
    path: str
    first: float
    middle: float
    cpu: float
    """CPU seconds of the server for the first one, in steps of its clock (10 ms)."""


class Server:
    """A server in a process of its own, with the time until its first page."""

    def __init__(self, folder: Path):
        command = [sys.executable, "-m", "tactful", "annotate", "serve", str(folder), "--port", "0"]
        began = time.perf_counter()
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self._process.stdout.readline())
        assert found, "the server did not start"
        self._line = http.client.HTTPConnection("127.0.0.1", int(found[1]))
        self.ask("/help")
        self.started = time.perf_counter() - began
        self.started_cpu = self.cpu()

    def cpu(self) -> float:
        """Return the CPU seconds of the process so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, path: str, **headers: str) -> str:
        """Ask for a page, which must be there; return the session that it sets."""
        self._line.request("GET", path, headers=headers)
        answer = self._line.getresponse()
        answer.read()
        assert answer.status < 400, f"{path}: {answer.status}"
        return (answer.getheader("Set-Cookie") or "").partition(";")[0]

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._line.close()
        self._process.send_signal(signal.SIGINT)
        assert self._process.wait(120) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a project."""
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()


def write_texts(path: Path, items: int, first: int = 0) -> None:
    """Write a table of short comments."""
    rng = random.Random(SEED)
    words = ("trains", "run", "late", "again", "and", "nobody", "at", "the", "desk", "says", "why")
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "source"])
        for number in range(first, first + items):
            said = " ".join(rng.choices(words, k=rng.randrange(8, 40)))
            rows.writerow([f"c{number}", f"Comment number {number}: {said}.", "forum"])


def write_tests(path: Path, tests: int) -> None:
    """Write a table of hidden tests."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "unhealthy.hostile"])
        rows.writerows(
            [f"t{number}", f"Test number {number}.", ("yes", "no")[number % 2]]
            for number in range(tests)
        )


def judge(folder: Path, texts: Path, people: int, judged: int) -> tuple[str, str]:
    """Invite people and let them judge some items; return the links of an owner and of one."""
    rng = random.Random(SEED)
    with Project.open(folder) as project:
        step = project.protocol.steps[0]
        asked = [question.id for question in step.questions if not question.when]
        invited = [project.invite("annotator", f"p{number}") for number in range(people)]
        for each in invited:
            project.consent(each.person, {})
        with texts.open(encoding="utf-8", newline="") as file:
            known = [(row["id"], row["text"]) for row in islice(csv.DictReader(file), judged)]
        items = [
            NewItem(
                name,
                text,
                answers=tuple(
                    NewAnswer(each.person, step.id, {q: _yes(rng) for q in asked}, seconds=12.0)
                    for each in rng.sample(invited, 3)
                ),
            )
            for name, text in known
        ]
        assert project.import_items(items).judgements == 3 * judged
        return project.invite("owner", "Owner").token, invited[0].token


def _yes(rng: random.Random) -> str:
    return "yes" if rng.random() < 0.1 else "no"


def pages(server: Server, owner: str, annotator: str) -> list[Page]:
    """Ask for every page several times."""
    sessions = {
        "owner": {"Cookie": server.ask(f"/join/{owner}")},
        "annotator": {"Cookie": server.ask(f"/join/{annotator}")},
        "program": {"Authorization": f"Bearer {owner}"},
    }
    found = []
    asked = (("owner", OWNER), ("annotator", ANNOTATOR), ("program", PROGRAM))
    for who, path in ((who, path) for who, paths in asked for path in paths):
        took, used = [], [server.cpu()]
        for _ in range(ASKED):
            began = time.perf_counter()
            server.ask(path, **sessions[who])
            took.append(time.perf_counter() - began)
            used.append(server.cpu())
        found.append(Page(who, path, took[0], median(took), used[1] - used[0]))
    return found


def report(
    rows: Sequence[tuple[object, ...]],
    found: Sequence[Page],
    met: Sequence[bool],
    load: Sequence[float],
) -> str:
    """Write the page of results."""
    slowest = sorted(found, key=lambda page: page.first, reverse=True)
    return "\n\n".join(
        [
            f"Protocol `unhealthy`, {ITEMS:,} comments and {TESTS} hidden tests from CSV files, "
            f"{PEOPLE} people, {JUDGED:,} comments judged three times. Seconds are those of a "
            "clock, CPU seconds those of the command or the server; the load of the machine "
            f"(processes that wait for its two cores) was {load[0]:.0f} at the start and "
            f"{load[1]:.0f} at the end.",
            table(("what", "seconds", "CPU s", "peak, MB", "bar, s"), rows),
            f"Every page, asked for {ASKED} times one after the other, the slowest first. The "
            "first time nothing is cached.",
            table(
                ("who", "page", "first, ms", "median, ms", "first, CPU ms"),
                [
                    (page.who, f"`{page.path}`", round(1000 * page.first, 1),
                     round(1000 * page.middle, 1), round(1000 * page.cpu))
                    for page in slowest
                ],
            ),
            f"Bars: import in {MOST_IMPORT:g} s, start in {MOST_START:g} s, every page within "
            f"{MOST_PAGE:g} s: **{'met' if met[0] else 'not met'}** by the clock, "
            f"**{'met' if met[1] else 'not met'}** in CPU seconds.",
            machine_line(),
            "Command: `python benchmarks/annotation_scale.py`.",
        ]
    )  # fmt: skip


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    load = [os.getloadavg()[0]]
    annotate = [sys.executable, "-m", "tactful", "annotate"]
    with tempfile.TemporaryDirectory(prefix="tactful-scale-") as name:
        folder = Path(name) / "project"
        texts, tests, more = (Path(name) / f"{each}.csv" for each in ("texts", "tests", "more"))
        write_texts(texts, ITEMS)
        write_tests(tests, TESTS)
        write_texts(more, 1_000, ITEMS)
        measure([*annotate, "init", str(folder), "--protocol", "unhealthy"])
        imported = measure([*annotate, "import", str(folder), str(texts), "--tests", str(tests)])
        owner, annotator = judge(folder, texts, PEOPLE, JUDGED)
        with serving(folder) as server:
            started, started_cpu = server.started, server.started_cpu
            found = pages(server, owner, annotator)
            live = measure([*annotate, "import", str(folder), str(more)])
        (folder / "snapshot.json").unlink()
        with serving(folder) as server:
            without, without_cpu = server.started, server.started_cpu
    load.append(os.getloadavg()[0])
    slowest, slowest_cpu = max(page.first for page in found), max(page.cpu for page in found)
    rows = [
        ("import", round(imported.wall_seconds, 1), round(imported.cpu_seconds, 1),
         round(imported.peak_mb), MOST_IMPORT),
        ("start to the first page, with a snapshot", round(started, 1), round(started_cpu, 1), "",
         MOST_START),
        ("start to the first page, without one", round(without, 1), round(without_cpu, 1), "",
         MOST_START),
        ("the slowest page, the first time", round(slowest, 2), round(slowest_cpu, 2), "",
         MOST_PAGE),
        ("import of 1,000 more while it serves", round(live.wall_seconds, 1),
         round(live.cpu_seconds, 1), round(live.peak_mb), ""),
    ]  # fmt: skip
    met = [
        took <= MOST_IMPORT and start <= MOST_START and page <= MOST_PAGE
        for took, start, page in (
            (imported.wall_seconds, max(started, without), slowest),
            (imported.cpu_seconds, max(started_cpu, without_cpu), slowest_cpu),
        )
    ]
    body = report(rows, found, met, load)
    print(body)
    if not options.dry:
        write_page("annotation-scale", "Annotation: a project of 200,000 texts", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
