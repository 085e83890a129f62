"""Where a project stands: figures that follow from its state, and nothing else.

Everything here is pure: a state (or some of its items) and a time go in, records come out.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tactful.annotation.state.assignment import is_free_for
from tactful.annotation.state.people import NEW_STRETCH
from tactful.annotation.state.trust import is_right, is_tested

if TYPE_CHECKING:
    from tactful.annotation.protocol.records import Step
    from tactful.annotation.state.project_state import Item, Person, State

SUSPECT_SHARE = 0.7
SUSPECT_PEOPLE = 5
"""A test that so many people, and such a share of them, miss is more likely wrong than they are."""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """How far a step is. Hidden tests are no part of it."""

    step: str
    title: str
    waiting: int = 0
    """Not in this step: it is not decided yet whether they come in, or they are outside."""
    outside: int = 0
    """Those of the waiting items that do not come in: the earlier step is done, and says no."""
    open: int = 0
    done: int = 0
    disputed: int = 0
    collected: int = 0
    """Judgements that count."""
    discarded: int = 0
    """Judgements that no longer count, because of who gave them."""
    needed: int = 0
    """Judgements still to be collected in items that are open."""
    finished_with: int = 0
    """Judgements in the items that are done or disputed."""
    skipped: int = 0

    @property
    def items(self) -> int:
        """All items."""
        return self.waiting + self.open + self.done + self.disputed

    @property
    def share(self) -> float | None:
        """The share of the items in this step that need nobody's judgement; None of no item."""
        inside = self.open + self.done + self.disputed
        return (self.done + self.disputed) / inside if inside else None

    def __add__(self, other: "StepProgress") -> "StepProgress":
        """Add the figures of other items."""
        return StepProgress(
            self.step,
            self.title,
            *(getattr(self, name) + getattr(other, name) for name in _COUNTS),
        )


_COUNTS = (
    "waiting",
    "outside",
    "open",
    "done",
    "disputed",
    "collected",
    "discarded",
    "needed",
    "finished_with",
    "skipped",
)


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item without a clear label, and why."""

    item: str
    step: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Unwanted:
    """An item that people skip, and that those who can still take it cannot finish."""

    item: str
    step: str
    text: str
    skipped: int
    """How many people skipped it."""
    missing: int
    """How many judgements it needs."""
    able: int
    """How many people can still give one."""


@dataclass(frozen=True, slots=True)
class GoldFigures:
    """How people do on one hidden test."""

    item: str
    step: str
    text: str
    people: int
    missed: int
    share: float | None
    """None: nobody answered it yet."""
    suspect: bool
    """Nearly everyone misses it: look whether its right answer is right."""


@dataclass(frozen=True, slots=True)
class TrustLine:
    """The trust of one person after each test."""

    person: str
    name: str
    status: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Burden:
    """How much one person read, skipped, and worked without a break."""

    person: str
    name: str
    answered: int
    skipped: int
    skip_share: float | None
    """None: the person saw nothing yet."""
    capped_days: int | None
    """Days on which the cap was reached; None where there is no cap."""
    longest_minutes: float | None
    """The longest stretch of work without a break; None before the first answer."""
    breaks: int
    over: bool
    """The longest stretch was longer than the protocol proposes."""


def progress(state: "State", items: Iterable["Item"] | None = None) -> tuple[StepProgress, ...]:
    """Return how far each step is; of some items, or of all. Figures of parts can be added."""
    chosen = list(state.items.values() if items is None else items)
    return tuple(_step_progress(state, step, chosen) for step in state.protocol.steps)


def _step_progress(state: "State", step: "Step", items: Sequence["Item"]) -> StepProgress:
    found: Counter[str] = Counter()
    for item in items:
        here = item.steps.get(step.id)
        if item.gold is not None or here is None:
            continue
        found[here.status] += 1
        found["skipped"] += len(here.skipped)
        if here.status == "waiting" and step.entry is not None:
            found["outside"] += item.steps[step.entry.step].status == "done"
        if here.answers:
            counted = len(state.counted(item.id, step.id))
            found["collected"] += counted
            found["discarded"] += sum(not state.people[name].counts for name in here.answers)
            if here.status in ("done", "disputed"):
                found["finished_with"] += counted
        if here.status == "open":
            # Leases end at the latest then: what is being judged just now is still to come.
            found["needed"] += state.needed(item.id, step.id, math.inf)
    return StepProgress(step.id, step.title, *(found[name] for name in _COUNTS))


def disputes(state: "State", items: Iterable["Item"] | None = None) -> Iterator[Dispute]:
    """Yield the items without a clear label, with the reason in one line."""
    for item in state.items.values() if items is None else items:
        for step in state.protocol.steps:
            here = item.steps.get(step.id)
            if here is not None and here.status == "disputed" and item.gold is None:
                yield Dispute(item.id, step.id, item.text, _why(state, step, item))


def unwanted(state: "State", items: Iterable["Item"] | None = None) -> Iterator[Unwanted]:
    """Yield the items that were skipped and cannot be finished by the people who are there.

    An owner can judge or decide them, or invite somebody else.
    """
    workers = {
        step.id: [
            person.id
            for person in state.people.values()
            if person.role == step.role and person.status == "active" and person.token is not None
        ]
        for step in state.protocol.steps
    }
    for item in state.items.values() if items is None else items:
        for step in state.protocol.steps:
            here = item.steps[step.id]
            if item.gold is not None or here.status != "open" or not here.skipped:
                continue
            missing = state.needed(item.id, step.id, math.inf)
            able = sum(
                is_free_for(state, person, item.id, step, again=True) for person in workers[step.id]
            )
            if able < missing:
                yield Unwanted(item.id, step.id, item.text, len(here.skipped), missing, able)


def _why(state: "State", step: "Step", item: "Item") -> str:
    given = state.counted(item.id, step.id)
    parts = []
    for question in step.questions:
        if question.kind not in ("choice", "scale") or question.per is not None:
            continue
        votes = Counter(
            str(one.answers[question.id]) for one in given if question.id in one.answers
        )
        if len(votes) > 1:
            names = {option.value: option.name for option in question.options}
            told = ", ".join(f"{names.get(each, each)} {n}" for each, n in votes.most_common())
            parts.append(f"{question.id}: {told}")
    return "; ".join(parts) or "no question has a clear label"


def gold_figures(state: "State", items: Iterable["Item"] | None = None) -> list[GoldFigures]:
    """Return how often each hidden test is missed, the most missed first.

    Everyone's answer counts here, also that of people who were removed: they were removed because
    of these tests.
    """
    found = []
    for item in state.items.values() if items is None else items:
        if item.gold is None:
            continue
        for step in state.protocol.steps:
            here = item.steps.get(step.id)
            if here is None or not is_tested(step, item.gold):
                continue
            people = len(here.answers)
            missed = sum(
                not is_right(step, item.gold, one.answers) for one in here.answers.values()
            )
            share = missed / people if people else None
            suspect = share is not None and people >= SUSPECT_PEOPLE and share >= SUSPECT_SHARE
            found.append(GoldFigures(item.id, step.id, item.text, people, missed, share, suspect))
    return sorted(found, key=lambda one: (-(one.share or 0.0), -one.people))


def trust_lines(people: Iterable["Person"]) -> list[TrustLine]:
    """Return the trust of everyone who answered a test, as it went."""
    return [
        TrustLine(person.id, person.name, person.status, tuple(person.history))
        for person in people
        if person.history
    ]


def answer_times(state: "State", items: Iterable["Item"] | None = None) -> dict[str, list[float]]:
    """Return when each person answered, in no order; of some items, or of all."""
    found: dict[str, list[float]] = {}
    for item in state.items.values() if items is None else items:
        for here in item.steps.values():
            for one in here.answers.values():
                found.setdefault(one.annotator, []).append(one.at)
    return found


def burdens(
    people: Iterable["Person"],
    times: dict[str, list[float]],
    most_per_day: int | None,
    break_after: int | None,
) -> list[Burden]:
    """Return how much the work weighs on each person; ``times`` is from :func:`answer_times`."""
    return [
        _burden(person, sorted(times.get(person.id, ())), most_per_day, break_after)
        for person in people
        if person.answered or person.skipped
    ]


def _burden(
    person: "Person", times: Sequence[float], most_per_day: int | None, break_after: int | None
) -> Burden:
    longest, breaks, began = 0.0, 0, times[0] if times else 0.0
    for before, after in pairwise(times):
        if after - before > NEW_STRETCH:
            breaks, began = breaks + 1, after
        longest = max(longest, after - began)
    seen = person.answered + person.skipped
    minutes = longest / 60 if times else None
    return Burden(
        person.id,
        person.name,
        person.answered,
        person.skipped,
        person.skipped / seen if seen else None,
        None
        if most_per_day is None
        else sum(count >= most_per_day for count in person.days.values()),
        minutes,
        breaks,
        break_after is not None and minutes is not None and minutes > break_after,
    )
