"""Progress of a project: figures computed from its state by pure functions."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING

from tactful.annotation.state.assignment import is_free_for
from tactful.annotation.state.people import NEW_STRETCH
from tactful.annotation.state.roles import works_on
from tactful.annotation.state.trust import is_right, is_tested

if TYPE_CHECKING:
    from tactful.annotation.protocol.records import Step, WellBeing
    from tactful.annotation.state.project_state import Answer, Item, ItemStep, Person, State

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


@dataclass(frozen=True, slots=True)
class Exposure:
    """What one person read on one day (UTC)."""

    day: str
    person: str
    name: str
    items: int
    """Texts that were answered, hidden tests among them."""
    harmful: int | None
    """Those that the person found harmful; None if the protocol does not say what that is."""
    minutes: float
    at_limit: bool
    """Whether the limit of the day was reached."""


def exposures(people: Iterable["Person"], care: "WellBeing") -> list[Exposure]:
    """Return what each person read on each day, the latest day and the busiest person first."""
    found = [
        Exposure(
            day,
            person.id,
            person.name,
            count,
            person.harmful[day] if care.harmful else None,
            person.spent.get(day, 0.0) / 60,
            care.most_per_day is not None and count >= care.most_per_day,
        )
        for person in people
        for day, count in person.days.items()
    ]
    found.sort(key=lambda each: (-(each.harmful or 0), -each.items, each.name))
    return sorted(found, key=lambda each: each.day, reverse=True)


def progress(state: "State", items: Iterable["Item"] | None = None) -> tuple[StepProgress, ...]:
    """Return the progress of each step; ``items`` are those that somebody worked on, by default.

    The state keeps the counts that would otherwise need a scan of all items.
    """
    found: dict[str, Counter[str]] = {}
    for step in state.protocol.steps:
        found[step.id] = Counter(state.counts(step.id))
        found[step.id]["collected"] = state.judgements[step.id]
        # Leases do not count: items being judged now are still needed.
        found[step.id]["needed"] = state.wanted(step.id) - state.judgements[step.id]
    for item, step, here in _each(state, items):
        if item.gold is not None:
            continue
        count = found[step.id]
        count["skipped"] += len(here.skipped)
        if here.status == "waiting" and step.entry is not None:
            count["outside"] += item.steps[step.entry.step].status == "done"
        count["discarded"] += sum(not state.people[name].counts for name in here.answers)
        if here.status in ("done", "disputed"):
            count["finished_with"] += len(here.counting)
    return tuple(
        StepProgress(step.id, step.title, *(found[step.id][name] for name in _COUNTS))
        for step in state.protocol.steps
    )


def _each(
    state: "State", items: Iterable["Item"] | None
) -> Iterator[tuple["Item", "Step", "ItemStep"]]:
    """Yield items, by default all that somebody worked on, in each step."""
    for item in state.touched_items() if items is None else items:
        for step in state.protocol.steps:
            yield item, step, item.steps[step.id]


def disputes(state: "State", items: Iterable["Item"] | None = None) -> Iterator[Dispute]:
    """Yield the disputed items, each with its reason."""
    for item, step, here in _each(state, items):
        if here.status == "disputed" and item.gold is None:
            yield Dispute(item.id, step.id, item.text, _why(step, here.counting))


def skipped_items(state: "State", items: Iterable["Item"] | None = None) -> Iterator[SkippedItem]:
    """Yield the skipped items that too few people are left to finish.

    An owner can judge or decide them, or invite somebody.
    """
    workers = {
        step.id: [
            person.id
            for person in state.people.values()
            if person.role != "owner"
            and works_on(person.role, step.role)
            and person.status == "active"
            and person.token is not None
        ]
        for step in state.protocol.steps
    }
    for item, step, here in _each(state, items):
        if item.gold is not None or here.status != "open" or not here.skipped:
            continue
        missing = state.needed(item.id, step.id, math.inf)
        able = sum(
            is_free_for(state, person, item.id, step, again=True) for person in workers[step.id]
        )
        if able < missing:
            yield SkippedItem(item.id, step.id, item.text, len(here.skipped), missing, able)


def _why(step: "Step", given: Sequence["Answer"]) -> str:
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
    """Return how often each hidden test is missed, the most missed first; ``items`` are tests.

    The answers of removed people count here, too: they were removed because of these tests.
    """
    found = []
    for item, step, here in _each(state, state.all_tests() if items is None else items):
        if item.gold is None or not is_tested(step, item.gold):
            continue
        people = len(here.answers)
        missed = sum(not is_right(step, item.gold, one.answers) for one in here.answers.values())
        share = missed / people if people else None
        suspect = share is not None and people >= SUSPECT_PEOPLE and share >= SUSPECT_SHARE
        found.append(GoldFigures(item.id, step.id, item.text, people, missed, share, suspect))
    return sorted(found, key=lambda one: (-(one.share or 0.0), -one.people))


def answer_times(state: "State", items: Iterable["Item"] | None = None) -> dict[str, list[float]]:
    """Return the times of each person's answers, unsorted."""
    found: dict[str, list[float]] = {}
    for _, _, here in _each(state, items):
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
