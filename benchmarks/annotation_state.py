"""How fast a project is read from its log, and how fast the next task is found.

The protocol of the Unhealthy Comment Corpus at its size: 44,355 comments and 588 annotators (Price
et al. 2020, section 3), with as many events as fit into 250,000. The log is made by the rules
themselves: whoever comes is given the next page, and answers it.

    python benchmarks/annotation_state.py
"""

import gc
import random
import time
from statistics import median

from results import machine_line, table, write_section
from tactful.annotation.assignment import next_page
from tactful.annotation.events import Event
from tactful.annotation.load import load_protocol
from tactful.annotation.protocol import Protocol
from tactful.annotation.state import State

COMMENTS, PEOPLE, TESTS, EVENTS = 44_355, 588, 600, 250_000
MOST_SECONDS, MOST_MILLISECONDS = 3.0, 20.0
PAGES = 400
RUNS = 5
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
    """Return a log of so many events; ``shown`` can be left out, for as many answers as fit."""
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


def main() -> None:
    """Measure both logs and write the section."""
    protocol = load_protocol("unhealthy")
    rows = []
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
            began = time.perf_counter()
            found = next_page(state, who, now, rng)
            pages.append(1000 * (time.perf_counter() - began))
            assert found, f"{who} has nothing to do"
        began = time.process_time()
        for item in state.ordinary():
            state.labels(item.id, protocol.steps[0].id)
        labels = time.process_time() - began
        answered = sum(event.kind == "answered" for event in events)
        rows.append((name, len(events), answered, min(seconds), median(pages), max(pages), labels))
    columns = (
        "log",
        "events",
        "answers",
        "derive, s",
        "next page, ms (median)",
        "next page, ms (most)",
        "all labels, s",
    )
    slowest, page = max(row[3] for row in rows), max(row[5] for row in rows)
    body = f"""{machine_line()}

`python benchmarks/annotation_state.py`: {COMMENTS:,} comments, {TESTS} hidden tests, {PEOPLE}
annotators, protocol `unhealthy`. Bars: {MOST_SECONDS:.0f} s to derive everything,
{MOST_MILLISECONDS:.0f} ms to open the next page (the first one after deriving, which sorts the
queue, is among them). Best of {RUNS} runs for deriving.

{table(columns, rows)}
"""
    write_section("annotation-state", "Annotation: state from the log", body)
    print(body)
    assert slowest <= MOST_SECONDS, f"deriving took {slowest:.2f} s"
    assert page <= MOST_MILLISECONDS, f"a page took {page:.1f} ms"


if __name__ == "__main__":
    main()
