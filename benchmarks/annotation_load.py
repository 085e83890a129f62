"""How much the server of a project carries: 60 annotators at once, over HTTP, on each store.

The server is the one that people start (``tactful annotate serve``), in a process of its own; the
annotators are in this one and do what the pages do. Afterwards the log is held against what they
were told: nothing lost, doubled, over a cap or given away. The tests run the same load for a
shorter time.

    python benchmarks/annotation_load.py
"""

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from results import machine_line, table, write_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.annotation.postgres import NoPostgresError, make_database, postgres
from tests.annotation.web.load import Tally, crowd, quantile, work_together
from tests.annotation.web.load_check import problems, read_log
from tests.annotation.web.load_server import make_project, serving

PEOPLE, ITEMS, SEED = 60, 12_000, 8
THINK = 0.6
"""Seconds between two answers on average."""
A_COMMENT = 12.5
"""Seconds that people took for one (Price et al. 2020, footnote 2: between 12 and 13)."""
MOST_MILLISECONDS = 250
KINDS = ("join", "page", "answer", "skip", "stop")
QUANTILES = (0.5, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class Run:
    """One load on one store."""

    store: str
    think: float
    seconds: float
    tally: Tally
    problems: Sequence[str]
    removed: int
    server_cpu: float
    own_cpu: float

    @property
    def waits(self) -> list[float]:
        """All waits."""
        return [wait for kind in self.tally.took.values() for wait in kind]

    @property
    def p99(self) -> float:
        """The wait in milliseconds that one in a hundred exceeds."""
        return 1000 * quantile(self.waits, 0.99)


def run(store: str, url: str | None, think: float, seconds: float) -> Run:
    """Load a new project and check its log."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="tactful-load-") as name:
        folder = Path(name) / "project"
        # Without a pause the cap of the day would end the load within a minute.
        cap = 350 if think else None
        guests = make_project(folder, PEOPLE, store=url, items=ITEMS, most_per_day=cap)
        annotators = crowd(guests, SEED, think)
        before = _children()
        with serving(folder) as server:
            own, began = time.process_time(), time.perf_counter()
            asyncio.run(work_together(annotators, server.port, seconds, tally, arrive=seconds / 12))
            took, own = time.perf_counter() - began, time.process_time() - own
        log = read_log(folder)
        removed = sum(event.kind == "removed" for event in log.events)
        return Run(
            store, think, took, tally, problems(log, tally), removed, _children() - before, own
        )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(runs: Sequence[Run], command: str) -> str:
    """Write the page of results."""
    loads = table(
        (
            "store", "pause", "seconds", "requests/s", "answers saved", "sent twice",
            "people removed", "faults in the log", "server CPU", "annotators' CPU",
        ),
        [_load(each) for each in runs],
    )  # fmt: skip
    waits = table(
        ("store", "pause", "request", "count", "p50, ms", "p95, ms", "p99, ms", "most, ms"),
        [row for each in runs for row in _waits(each)],
    )
    paused = [each for each in runs if each.think]
    whole = all(not each.problems and not each.tally.lost for each in runs)
    is_quick = all(each.p99 <= MOST_MILLISECONDS for each in paused)
    return "\n\n".join(
        [
            f"Protocol `unhealthy`, {ITEMS:,} comments, {PEOPLE} concurrent annotators: they join "
            "in the first twelfth of the time; one in ten answers anything, which hidden tests "
            "find out, and another one in ten is three times as fast, up to the cap of the day. "
            "Answers are sent twice now and then, changed, texts are skipped, pages given back. "
            f"With a pause of {THINK} s on average they answer as often as {_people(paused):,} "
            f"people would who take {A_COMMENT} s for a comment, as those of the paper did. "
            "Without a pause the server has all it can do.",
            loads,
            "The server's CPU is with its start. A wait is from the request to the end of the "
            "answer, as the annotators see it; they run on the same machine:",
            waits,
            "Bars: no judgement lost or doubled, none over the cap of an item: "
            f"**{'met' if whole else 'not met'}**; p99 of {MOST_MILLISECONDS} ms at most, with "
            f"the pause: **{'met' if is_quick else 'not met'}**.",
            machine_line(),
            f"Command: `{command}`.",
        ]
    )


def _people(paused: Sequence[Run]) -> int:
    rate = min(each.tally.count("saved") / each.seconds for each in paused)
    return round(rate * A_COMMENT / 100) * 100


def _load(each: Run) -> tuple[object, ...]:
    tally = each.tally
    twice = sum(len(sent.replies) > 1 for sent in tally.sent)
    return (
        each.store, _pause(each), round(each.seconds), round(len(each.waits) / each.seconds),
        tally.count("saved"), twice, each.removed, len(each.problems) + tally.lost,
        f"{each.server_cpu / each.seconds:.0%}", f"{each.own_cpu / each.seconds:.0%}",
    )  # fmt: skip


def _waits(each: Run) -> list[tuple[object, ...]]:
    rows = []
    for kind in (*KINDS, "all"):
        waits = each.waits if kind == "all" else each.tally.took[kind]
        if waits:
            cells = [f"{1000 * quantile(waits, share):.1f}" for share in QUANTILES]
            rows.append((each.store, _pause(each), kind, len(waits), *cells))
    return rows


def _pause(each: Run) -> str:
    return f"{each.think} s" if each.think else "none"


def main() -> int:
    """Load both stores, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120, help="of each load with pauses")
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    runs = []
    with ExitStack() as stack:
        stores: list[tuple[str, str | None]] = [("SQLite", None)]
        try:
            stores.append(("PostgreSQL", stack.enter_context(postgres())))
        except NoPostgresError as reason:
            print(reason)
        for store, server in stores:
            for think, seconds in ((THINK, options.seconds), (0.0, options.seconds / 4)):
                url = None if server is None else make_database(server)
                runs.append(run(store, url, think, seconds))
                for problem in runs[-1].problems[:10]:
                    print(f"{store}, pause {think} s: {problem}")
    body = report(runs, "python benchmarks/annotation_load.py")
    print(body)
    if not options.dry:
        write_page("annotation-load", "Annotation: server load", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
