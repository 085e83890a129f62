"""Progress of a project: figures computed from its state by pure functions."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
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
"""A test that at least this number and share of people miss is probably wrong itself."""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """The progress of a step, without hidden tests."""

    step: str
    title: str
    waiting: int = 0
    """Not in this step: undecided, or outside."""
    outside: int = 0
    """Waiting items that do not enter, by the result of the earlier step."""
    open: int = 0
    done: int = 0
    disputed: int = 0
    collected: int = 0
    """Judgements that count."""
    discarded: int = 0
    """Judgements by removed people."""
    needed: int = 0
    """Missing judgements of open items."""
    finished_with: int = 0
    """Judgements of items that are done or disputed."""
    skipped: int = 0

    @property
    def items(self) -> int:
        """All items."""
        return self.waiting + self.open + self.done + self.disputed

    @property
    def share(self) -> float | None:
        """The share of finished items in this step; None without items."""
        inside = self.open + self.done + self.disputed
        return (self.done + self.disputed) / inside if inside else None

    def __add__(self, other: "StepProgress") -> "StepProgress":
        """Add the figures of other items."""
        counts = (getattr(self, name) + getattr(other, name) for name in _COUNTS)
        return StepProgress(self.step, self.title, *counts)


_COUNTS = tuple(each.name for each in fields(StepProgress))[2:]


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item without a clear label, and why."""

    item: str
    step: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """A skipped item that too few people are left to finish."""

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
    """None if nobody answered it yet."""
    suspect: bool
    """Whether nearly everyone misses it, so that its right answer should be checked."""


@dataclass(frozen=True, slots=True)
class TrustLine:
    """The trust of one person after each test."""

    person: str
    name: str
    status: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Burden:
    """How much one person read and skipped, and how long without a break."""

    person: str
    name: str
    answered: int
    skipped: int
    skip_share: float | None
    """None if the person saw nothing yet."""
    capped_days: int | None
    """Days on which the limit was reached; None without a limit."""
    longest_minutes: float | None
    """The longest work without a break; None before the first answer."""
    breaks: int
    over: bool
    """Whether the longest work without a break exceeds the protocol's limit."""


def progress(state: "State", items: Iterable["Item"] | None = None) -> tuple[StepProgress, ...]:
    """Return the progress of each step, for some items or all; results of parts can be added."""
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
            # At infinity all leases are over: items being judged now still count as needed.
            found["needed"] += state.needed(item.id, step.id, math.inf)
    return StepProgress(step.id, step.title, *(found[name] for name in _COUNTS))


def disputes(state: "State", items: Iterable["Item"] | None = None) -> Iterator[Dispute]:
    """Yield the disputed items, each with its reason."""
    for item in state.items.values() if items is None else items:
        for step in state.protocol.steps:
            here = item.steps.get(step.id)
            if here is not None and here.status == "disputed" and item.gold is None:
                yield Dispute(item.id, step.id, item.text, _why(state, step, item))


def skipped_items(state: "State", items: Iterable["Item"] | None = None) -> Iterator[SkippedItem]:
    """Yield the skipped items that too few people are left to finish.

    An owner can judge or decide them, or invite somebody.
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
                yield SkippedItem(item.id, step.id, item.text, len(here.skipped), missing, able)


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

    The answers of removed people count here, too: they were removed because of these tests.
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
    """Return the trust of everyone over their tests."""
    return [
        TrustLine(person.id, person.name, person.status, tuple(person.history))
        for person in people
        if person.history
    ]


def answer_times(state: "State", items: Iterable["Item"] | None = None) -> dict[str, list[float]]:
    """Return the times of each person's answers, unsorted, for some items or all."""
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
    """Return the workload of each person; ``times`` is from :func:`answer_times`."""
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
