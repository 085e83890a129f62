"""Figures for the owner's pages, computed without blocking a running project.

The project is locked for a part of its items at a time, and only while data is copied, so that
annotators do not wait. Results are cached until an event happens, and for at least a few seconds:
ten open pages cost one computation.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from tactful.annotation.analysis.agreement_summary import QuestionAgreement, step_agreement
from tactful.annotation.analysis.conduct import Flag, conduct_flags, given_answers
from tactful.annotation.analysis.estimate import Estimate, by_day, estimate
from tactful.annotation.analysis.gold_impact import GoldChange, gold_change, trust_changes
from tactful.annotation.analysis.gold_pool import pool_warnings
from tactful.annotation.analysis.overview import (
    Burden,
    Dispute,
    Exposure,
    GoldFigures,
    SkippedItem,
    StepProgress,
    answer_times,
    burdens,
    disputes,
    exposures,
    gold_figures,
    progress,
    skipped_items,
)
from tactful.annotation.analysis.views import View, by_question, counted_answers, views
from tactful.annotation.learning.anchoring import Anchoring, anchoring
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Step
from tactful.annotation.state.assignment import day_of
from tactful.annotation.state.project_state import Item, Person, State, paused_collection

T = TypeVar("T")
PART = 250
"""Items per lock: a few milliseconds."""
FIND_PART = 2_000
"""The same for a search, which looks at little of each item."""
FIND_SECONDS = 0.6
"""How long a search takes at most: a page must come within a second."""
KEPT_SECONDS = 5.0
KEPT_LONG_SECONDS = 60.0
"""For slow computations: agreement with intervals."""
ACTIVE_MINUTES = 15


@dataclass(frozen=True, slots=True)
class Status:
    """The figures of the page 'Status'."""

    at: float
    steps: tuple[StepProgress, ...]
    items: int
    tests: int
    people: int
    active: int
    """Annotators who answered recently."""
    removed: int
    today: str
    workers: list[Person]
    """Those who answered, the busiest first."""
    days: list[tuple[str, int]]
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class StepTable:
    """The judgements of one step and their agreement."""

    step: Step
    agreements: list[QuestionAgreement]
    views: list[View]
    """Those that somebody judged."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search."""

    items: list[Item]
    next: int | None
    """Where to go on, if there was no time for all that was asked for."""


class Figures:
    """Computes and caches the figures of a project."""

    def __init__(self, project: Project):
        self._project = project
        self._kept: dict[Any, tuple[float, int, Any]] = {}
        self._locks: dict[Any, Lock] = {}
        self._lock = Lock()

    def status(self, price: float | None, now: float) -> Status:
        """Return the progress of the project."""
        steps = self._recent("progress", KEPT_SECONDS, self._progress)
        with self._project.lock:
            state = self._project.state
            protocol = state.protocol
            people = self._people()
            # Each step counts all items once, without hidden tests.
            items = sum(state.counts(protocol.steps[0].id).values())
            tests = len(state.items) - items
        workers = [person for person in people if person.role == "annotator"]
        return Status(
            now,
            steps,
            items,
            tests,
            len(workers),
            sum((p.last or 0.0) > now - ACTIVE_MINUTES * 60 for p in workers),
            sum(p.status == "removed" for p in workers),
            day_of(now),
            sorted((p for p in people if p.answered), key=lambda p: -p.answered),
            by_day(people, now),
            estimate(protocol, steps, people, now, price),
        )

    def agreement(self, step: Step) -> StepTable:
        """Return the judgements of a step and their agreement."""
        return self._recent(("agreement", step.id), KEPT_LONG_SECONDS, lambda: self._table(step))

    def anchoring(self) -> list[Anchoring]:
        """Return how often judgements agree with suggestions."""
        return self._recent("anchoring", KEPT_LONG_SECONDS, self._anchoring)

    def disputes(self) -> list[Dispute]:
        """Return the items without a clear label."""
        return self._recent("disputes", KEPT_SECONDS, lambda: self._all(disputes))

    def skipped_items(self) -> list[SkippedItem]:
        """Return the skipped items that too few people are left to finish."""
        return self._recent("skipped_items", KEPT_SECONDS, lambda: self._all(skipped_items))

    def tests(self) -> list[GoldFigures]:
        """Return how often each hidden test is missed."""
        return self._recent("tests", KEPT_SECONDS, self._tests)

    def burdens(self) -> list[Burden]:
        """Return the workload of each person."""
        return self._recent("burdens", KEPT_LONG_SECONDS, self._burdens)

    def exposures(self) -> list[Exposure]:
        """Return what each person read on each day, the latest day first."""
        return exposures(self._people(), self._project.wellbeing)

    def flags(self) -> dict[str, tuple[Flag, ...]]:
        """Return the signs of people who may not read."""
        return self._recent("flags", KEPT_LONG_SECONDS, self._flags)

    def pool_warnings(self) -> list[str]:
        """Return what is wrong with the hidden tests."""
        with self._project.lock:
            return pool_warnings(self._project.state)

    def tested(self) -> list[Person]:
        """Return the people who answered a hidden test."""
        return [person for person in self._people() if person.history]

    def find(
        self,
        is_wanted: Callable[[Item], bool],
        most: int,
        start: int = 0,
        seconds: float = FIND_SECONDS,
    ) -> Found:
        """Return the first matching items from a place on, as far as some seconds suffice."""
        found: list[Item] = []
        place, end = start, time.monotonic() + seconds
        for part in self._parts(self._all_items()[start:], FIND_PART):
            found += filter(is_wanted, part)
            place += len(part)
            if len(found) >= most or time.monotonic() > end:
                break
        is_all = len(found) >= most or place >= len(self._project.state.items)
        return Found(found[:most], None if is_all else place)

    def gold_change(self, item: str, gold: Mapping[str, Any] | None) -> GoldChange:
        """Return the effects of other right answers to an item."""
        with self._project.lock:
            changes = trust_changes(self._project.state, item, gold)
        return gold_change(self._project.state, item, gold, changes, self._worked_on())

    def forget(self) -> None:
        """Clear the cache, because the owner changed something."""
        with self._lock:
            self._kept.clear()

    def _table(self, step: Step) -> StepTable:
        given = counted_answers(self._project.state, step, self._worked_on())
        texts = {name: self._project.state.items[name].text for name, _ in given}
        rows = by_question(step, given)
        seen = {question.id: views(question, rows[question.id]) for question in step.questions}
        agreements = step_agreement(step, rows, seen, texts)
        judged = [view for each in seen.values() for view in each if len(view.ratings)]
        return StepTable(step, agreements, judged)

    def _anchoring(self) -> list[Anchoring]:
        with self._project.lock:
            state = self._project.state
            seen = list(state.suggestions.all_seen())
        return anchoring(state, seen)

    def _progress(self) -> tuple[StepProgress, ...]:
        return progress(self._project.state, self._worked_on())

    def _all(self, find: Callable[[State, Iterable[Item]], Iterable[T]]) -> list[T]:
        return list(find(self._project.state, self._worked_on()))

    def _tests(self) -> list[GoldFigures]:
        with self._project.lock:
            tests = self._project.state.all_tests()
        # Tests have many answers: they are copied under the lock and evaluated later.
        copies = [_copy(item) for part in self._parts(tests) for item in part]
        return gold_figures(self._project.state, copies)

    def _flags(self) -> dict[str, tuple[Flag, ...]]:
        return conduct_flags(given_answers(self._project.state, self._worked_on()))

    def _burdens(self) -> list[Burden]:
        times = answer_times(self._project.state, self._worked_on())
        care = self._project.wellbeing
        return burdens(self._people(), times, care.most_per_day, care.break_after)

    def _people(self) -> list[Person]:
        """Return copies of all people, which later events do not change."""
        with self._project.lock:
            return [
                replace(
                    person,
                    days=person.days.copy(),
                    harmful=person.harmful.copy(),
                    spent=person.spent.copy(),
                    history=person.history.copy(),
                )
                for person in self._project.state.people.values()
            ]

    def _all_items(self) -> list[Item]:
        with self._project.lock:
            return list(self._project.state.items.values())

    def _parts(self, items: Sequence[Item], size: int | None = None) -> Iterator[Sequence[Item]]:
        """Yield items in parts; the project is locked during each."""
        size = size or PART
        for at in range(0, len(items), size):
            with self._project.lock:
                yield items[at : at + size]
            # Without a pause other threads would never get the lock.
            time.sleep(0.001)

    def all_items(self) -> Iterator[Item]:
        """Yield the items one by one; the project is locked for a part of them at a time."""
        return (item for part in self._parts(self._all_items(), FIND_PART) for item in part)

    def _worked_on(self) -> Iterator[Item]:
        """Yield the items that somebody answered, skipped or decided, in the same way."""
        state = self._project.state
        items = [state.item_at(place) for place in state.touched()]
        return (item for part in self._parts(items) for item in part)

    def _recent(self, key: Any, seconds: float, make: Callable[[], T]) -> T:
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            kept = self._kept.get(key)
            number = self._project.state.number
            if kept is not None and (kept[1] == number or time.monotonic() - kept[0] < seconds):
                found: T = kept[2]
                return found
            with paused_collection():
                found = make()
            self._kept[key] = (time.monotonic(), number, found)
            return found


def _copy(item: Item) -> Item:
    """Return a copy of an item, which later answers do not change."""
    steps = {name: replace(part, answers=dict(part.answers)) for name, part in item.steps.items()}
    return replace(item, steps=steps)
