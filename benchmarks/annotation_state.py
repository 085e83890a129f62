"""How fast a project is read from its log, and how fast the next task is found.

The protocol of the Unhealthy Comment Corpus at its size: 44,355 comments and 588 annotators (Price
et al. 2020, section 3), with as many events as fit into 250,000. The log is made by the rules
themselves: each person gets the next page, and answers it. The same log is then that of a
project on disk, which is opened with and without its snapshot, exported, and served by ``tactful
annotate serve``.

    python benchmarks/annotation_state.py
"""

import gc
import http.client
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from results import machine_line, measure, table, write_page
from tactful.annotation.project.files import hashed
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.assignment import next_page
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event

COMMENTS, PEOPLE, TESTS, EVENTS = 44_355, 588, 600, 250_000
MOST_SECONDS, MOST_MILLISECONDS = 3.0, 20.0
MOST_OPEN, MOST_EXPORT = 1.5, 10.0
EXPORTS = ("jsonl", "csv", "ucc", "labels")
PAGES = 400
RUNS = 3
CPU, CLOCK = time.process_time, time.perf_counter
SEED = 8
START = 1_700_000_000.0


def answers(rng: random.Random) -> dict[str, str]:
    """Return one judgement; about one in six attributes is found."""
    given = {
        "unhealthy": rng.choice(("yes", "no", "no", "no")),
        "unhealthy.generalisation": rng.choice(("yes", "no", "no", "no", "no", "no")),
    }
    for name in ("sarcastic", "hostile", "antagonistic", "condescending", "dismissive"):
        given[f"unhealthy.{name}"] = "yes" if rng.random() < 0.08 else "no"
    if given["unhealthy.generalisation"] == "yes":
        given["unhealthy.generalisation_unfair"] = rng.choice(("yes", "no"))
    return given


def log(protocol: Protocol, *, with_shown: bool) -> list[Event]:
    """Return a log of ``EVENTS`` events; ``shown`` can be left out, for more answers."""
    rng = random.Random(SEED)
    step = protocol.steps[0].id
    events: list[Event] = []
    state = State(protocol)

    def happens(event: Event, *, kept: bool = True) -> None:
        state.apply(event)
        if kept:
            events.append(event)

    for number in range(COMMENTS + TESTS):
        gold = {"unhealthy.hostile": "no"} if number >= COMMENTS else None
        data = {"text": f"comment {number}", "context": {}, "meta": {}, "gold": gold}
        happens(Event("imported", START, item=f"c{number}", data=data))
    for number in range(PEOPLE):
        person = {"role": "annotator", "name": f"p{number}", "token": None}
        happens(Event("invited", START, annotator=f"p{number}", data=person))
        happens(Event("consented", START, annotator=f"p{number}"))
    now = START
    while len(events) < EVENTS:
        person_id = f"p{rng.randrange(PEOPLE)}"
        now += 7.0
        for given in next_page(state, person_id, now, rng):
            shown = {"until": now + 1800, "page": 0}
            happens(Event("shown", now, given.item, person_id, step, shown), kept=with_shown)
            said = {"answers": answers(rng), "seconds": 12.0}
            happens(Event("answered", now + 1, given.item, person_id, step, said))
    return events[:EVENTS]


def save(events: Sequence[Event], folder: Path) -> None:
    """Make a project of a log that ended an hour ago; a link is the id of its person."""
    later = time.time() - 3600 - max(event.at for event in events)

    def moved(event: Event) -> Event:
        data = dict(event.data)
        if event.kind == "shown":
            data["until"] += later
        if event.kind == "invited":
            data["token"] = hashed(event.annotator or "")
        return replace(event, at=event.at + later, data=data)

    with Project.create(folder, "unhealthy") as project:
        project.store.append([moved(event) for event in events])
    with Project.open(folder) as project:
        # A server removes whom nobody can trust as they come; here it is done in one go.
        project.page("p0")


def opened(folder: Path) -> float:
    """Return the CPU seconds of opening a project in a process of its own, without its start."""
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from tactful.annotation.project.project import Project\n"
        "began = time.process_time()\n"
        "with Project.open(Path(sys.argv[1]), read_only=True):\n"
        "    print(time.process_time() - began)\n"
    )
    return float(measure([sys.executable, "-c", script, str(folder)]).stdout)


def with_and_without_snapshot(folder: Path) -> list[tuple[object, ...]]:
    """Return the rows of opening and exporting a project."""
    with Project.open(folder) as project:
        assert project.save_snapshot()
    size = round((folder / "snapshot.json").stat().st_size / 1e6, 1)
    seconds = [opened(folder) for _ in range(RUNS)]
    rows: list[tuple[object, ...]] = [
        ("open with the snapshot", min(seconds), MOST_OPEN, f"{size} MB, best of {RUNS}")
    ]
    annotate = [sys.executable, "-m", "tactful", "annotate", "export", str(folder), "--format"]
    for name in EXPORTS:
        output = folder.parent / f"export-{name}"
        ran = measure([*annotate, name, "-o", str(output)])
        total = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
        told = f"{total / 1e6:.0f} MB, with the start of the command"
        rows.append((f"export `{name}`", ran.cpu_seconds, MOST_EXPORT, told))
    (folder / "snapshot.json").unlink()
    rows.insert(1, ("open without a snapshot", opened(folder), "", ""))
    return rows


def first_pages(folder: Path) -> tuple[float, list[float]]:
    """Return the CPU seconds of opening a project, and the milliseconds of pages after that."""
    began = time.process_time()
    with Project.open(folder) as project:
        opened = time.process_time() - began
        people = [person.id for person in project.state.people.values() if person.counts]
        return opened, _timed(lambda who: project.page(who).items, people[1:PAGES], CPU)


def served_pages(folder: Path) -> list[float]:
    """Return the milliseconds of pages of people who come to a server that has just started."""
    command = [sys.executable, "-m", "tactful", "annotate", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline())
        assert found, "the server did not start"
        line = http.client.HTTPConnection("127.0.0.1", int(found[1]))

        def ask(path: str, cookie: str = "") -> tuple[str, bytes]:
            line.request("GET", path, headers={"Cookie": cookie})
            answer = line.getresponse()
            return answer.getheader("Set-Cookie", "").partition(";")[0], answer.read()

        cookies = [ask(f"/join/p{number}")[0] for number in range(PAGES + 1, PEOPLE)]
        ask("/work", cookies[0])  # the page that asks for the next texts
        pages = _timed(lambda cookie: b"handle" in ask("/api/page", cookie)[1], cookies, CLOCK)
        line.close()
        server.send_signal(signal.SIGINT)
    return pages


def _timed(
    ask: Callable[[str], object], people: Sequence[str], now: Callable[[], float]
) -> list[float]:
    """Return the milliseconds of each page that had something on it."""
    took = []
    for who in people:
        began = now()
        if ask(who):
            took.append(1000 * (now() - began))
    assert len(took) > len(people) / 2, "most people have nothing to do"
    return took


def main() -> None:
    """Measure both logs and write the page."""
    protocol = load_protocol("unhealthy")
    rows, of_project, snapshots = [], [], []
    for name, with_shown in (("as a server writes it", True), ("answers only", False)):
        events = log(protocol, with_shown=with_shown)
        seconds = []
        state = State(protocol)
        for _ in range(RUNS):
            state = State(protocol)  # throwing the last one away is not part of making the next
            gc.collect()
            began = time.process_time()
            state = State.derive(protocol, events)
            seconds.append(time.process_time() - began)
        rng = random.Random(SEED)
        busy = max(state.people, key=lambda who: state.people[who].answered)
        people = [f"p{rng.randrange(PEOPLE)}" for _ in range(PAGES)] + [busy]
        now = max(event.at for event in events) + 3600
        pages = []
        for who in people:
            now += 86_400  # another day, so that no cap is in the way
            began = time.process_time()
            found = next_page(state, who, now, rng)
            pages.append(1000 * (time.process_time() - began))
            assert found, f"{who} has nothing to do"
        began = time.process_time()
        for item in state.ordinary():
            state.labels(item.id, protocol.steps[0].id)
        labels = time.process_time() - began
        answered = sum(event.kind == "answered" for event in events)
        rows.append((name, len(events), answered, min(seconds), median(pages), max(pages), labels))
        if with_shown:
            del state
            with tempfile.TemporaryDirectory(prefix="tactful-state-") as folder:
                save(events, Path(folder) / "project")
                snapshots = with_and_without_snapshot(Path(folder) / "project")
                seconds_open, pages = first_pages(Path(folder) / "project")
                of_project.append(("Project.page", pages[0], median(pages), max(pages)))
                pages = served_pages(Path(folder) / "project")
                of_project.append(("GET /api/page", pages[0], median(pages), max(pages)))
    columns = (
        "log",
        "events",
        "answers",
        "derive, s",
        "next page, CPU ms (median)",
        "next page, CPU ms (most)",
        "all labels, s",
    )
    slowest, page = max(row[3] for row in rows), max(row[5] for row in rows)
    body = f"""{machine_line()}

`python benchmarks/annotation_state.py`: {COMMENTS:,} comments, {TESTS} hidden tests, {PEOPLE}
annotators, protocol `unhealthy`. Bars: {MOST_SECONDS:.0f} s to derive everything,
{MOST_MILLISECONDS:.0f} ms to open the next page (the first one after deriving, which sorts the
queue, is among them). Best of {RUNS} runs for deriving.

{table(columns, rows)}

The first of these logs as a project on disk (SQLite), in CPU seconds:

{table(("what", "CPU s", "bar", ""), snapshots)}

Without a snapshot, opening it to write takes {seconds_open:.1f} s of CPU time, reading included.
Then pages are asked for, each of which is on disk when it is given. The first row has CPU
time, the second the time of a clock, with {os.getloadavg()[0]:.0f} processes waiting for the
machine's cores:

{table(("next page", "the first, ms", "median, ms", "most, ms"), of_project)}
"""
    write_page("annotation-state", "Annotation: state from the log", body)
    print(body)
    for what, cpu, bar, _ in snapshots:
        assert bar == "" or float(str(cpu)) <= float(str(bar)), f"{what} took {cpu:.1f} s"
    assert slowest <= MOST_SECONDS, f"deriving took {slowest:.2f} s"
    assert page <= MOST_MILLISECONDS, f"a page took {page:.1f} ms"
    for name, begun, middle, _ in of_project:
        assert max(begun, middle) <= MOST_MILLISECONDS, f"{name}: {begun:.1f} and {middle:.1f} ms"


if __name__ == "__main__":
    main()
