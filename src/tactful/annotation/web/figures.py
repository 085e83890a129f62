"""Figures for the owner's pages, computed without blocking a running project.

The project is locked for a part of its items at a time, and only while data is copied, so that
annotators do not wait. Results are cached until an event happens, and for at least a few seconds:
ten open pages cost one computation.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from tactful.annotation.analysis.agreement_summary import QuestionAgreement, step_agreement
from tactful.annotation.analysis.estimate import Estimate, by_day, day_of, estimate
from tactful.annotation.analysis.gold_impact import GoldChange, gold_change, trust_changes
from tactful.annotation.analysis.overview import (
    Burden,
    Dispute,
    GoldFigures,
    SkippedItem,
    StepProgress,
    answer_times,
    burdens,
    disputes,
    gold_figures,
    progress,
    skipped_items,
)
from tactful.annotation.analysis.views import View, by_question, counted_answers, views
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Step
from tactful.annotation.state.project_state import Item, Person, State, paused_collection

T = TypeVar("T")
PART = 250
"""Items per lock: a few milliseconds."""
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

    def tested(self) -> list[Person]:
        """Return the people who answered a hidden test."""
        return [person for person in self._people() if person.history]

    def find(self, is_wanted: Callable[[Item], bool], most: int) -> list[Item]:
        """Return the first matching items, at most ``most``."""
        found: list[Item] = []
        for part in self._parts():
            found += filter(is_wanted, part)
            if len(found) >= most:
                break
        return found[:most]

    def gold_change(self, item: str, gold: Mapping[str, Any] | None) -> GoldChange:
        """Return the effects of other right answers to an item."""
        with self._project.lock:
            changes = trust_changes(self._project.state, item, gold)
        return gold_change(self._project.state, item, gold, changes, self._items())

    def forget(self) -> None:
        """Clear the cache, because the owner changed something."""
        with self._lock:
            self._kept.clear()

    def _table(self, step: Step) -> StepTable:
        given = counted_answers(self._project.state, step, self._items())
        texts = {name: self._project.state.items[name].text for name, _ in given}
        rows = by_question(step, given)
        seen = {question.id: views(question, rows[question.id]) for question in step.questions}
        agreements = step_agreement(step, rows, seen, texts)
        judged = [view for each in seen.values() for view in each if len(view.ratings)]
        return StepTable(step, agreements, judged)

    def _progress(self) -> tuple[StepProgress, ...]:
        return progress(self._project.state, self._items())

    def _all(self, find: Callable[[State, Iterable[Item]], Iterable[T]]) -> list[T]:
        return list(find(self._project.state, self._items()))

    def _tests(self) -> list[GoldFigures]:
        # Tests have many answers: they are copied under the lock and evaluated later.
        tests = [_copy(item) for item in self._items() if item.gold is not None]
        return gold_figures(self._project.state, tests)

    def _burdens(self) -> list[Burden]:
        times = answer_times(self._project.state, self._items())
        care = self._project.wellbeing
        return burdens(self._people(), times, care.most_per_day, care.break_after)

    def _people(self) -> list[Person]:
        """Return copies of all people, which later events do not change."""
        with self._project.lock:
            return [
                replace(person, days=person.days.copy(), history=person.history.copy())
                for person in self._project.state.people.values()
            ]

    def _parts(self) -> Iterator[list[Item]]:
        """Yield the items in parts; the project is locked during each."""
        with self._project.lock:
            items = list(self._project.state.items.values())
        for at in range(0, len(items), PART):
            with self._project.lock:
                yield items[at : at + PART]
            # Without a pause other threads would never get the lock.
            time.sleep(0.001)

    def _items(self) -> Iterator[Item]:
        """Yield the items one by one; the project is locked for a part of them at a time."""
        return (item for part in self._parts() for item in part)

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
