"""Figures for the owner's pages, read from a project at work without holding it up.

The project is locked for a part of its items at a time, so that nobody who is annotating waits for
a figure; what was computed is kept for a few seconds, so that ten open pages cost one computation.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from tactful.annotation.accord import Accord, step_agreement
from tactful.annotation.estimate import Estimate, Pace, by_day, estimate, paces
from tactful.annotation.overview import (
    Burden,
    Dispute,
    GoldFigures,
    StepProgress,
    TrustLine,
    answer_times,
    burdens,
    disputes,
    gold_figures,
    progress,
    trust_lines,
)
from tactful.annotation.project import Project
from tactful.annotation.protocol import Step
from tactful.annotation.state import Item
from tactful.annotation.views import Row, View, judgements, views

T = TypeVar("T")
PART = 500
"""Items that are looked at before the lock is given back."""
KEPT_SECONDS = 5.0
KEPT_LONG_SECONDS = 60.0
"""For what takes long: agreement, with its intervals."""
ACTIVE_MINUTES = 15


@dataclass(frozen=True, slots=True)
class Status:
    """What the first page of the owner shows."""

    at: float
    steps: tuple[StepProgress, ...]
    items: int
    tests: int
    people: int
    active: int
    """Annotators who answered a moment ago."""
    removed: int
    paces: list[Pace]
    days: list[tuple[str, int]]
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class StepTable:
    """The judgements of one step, and how far they agree."""

    step: Step
    accords: list[Accord]
    views: list[View]
    """Those that somebody judged."""


class Figures:
    """Computes figures of a project, and keeps each for a while."""

    def __init__(self, project: Project):
        self._project = project
        self._kept: dict[Any, tuple[float, Any]] = {}
        self._locks: dict[Any, Lock] = {}
        self._lock = Lock()

    def status(self, price: float | None, now: float) -> Status:
        """Return where the project stands."""
        steps = self._recent("progress", KEPT_SECONDS, self._progress)
        with self._project.lock:
            state = self._project.state
            people = list(state.people.values())
            workers = [person for person in people if person.role == "annotator"]
            return Status(
                now,
                steps,
                sum(item.gold is None for item in state.items.values()),
                sum(item.gold is not None for item in state.items.values()),
                len(workers),
                sum((p.last or 0.0) > now - ACTIVE_MINUTES * 60 for p in people),
                sum(p.status == "removed" for p in people),
                paces(people, now),
                by_day(people, now),
                estimate(state.protocol, steps, people, now, price),
            )

    def agreement(self, step: Step) -> StepTable:
        """Return the judgements of a step, and how far they agree."""
        return self._recent(("agreement", step.id), KEPT_LONG_SECONDS, lambda: self._table(step))

    def disputes(self) -> list[Dispute]:
        """Return the items without a clear label."""
        return self._recent("disputes", KEPT_SECONDS, self._disputes)

    def tests(self) -> list[GoldFigures]:
        """Return how often each hidden test is missed."""
        return self._recent("tests", KEPT_SECONDS, self._tests)

    def burdens(self) -> list[Burden]:
        """Return how much the work weighs on each person."""
        return self._recent("burdens", KEPT_LONG_SECONDS, self._burdens)

    def trust(self) -> list[TrustLine]:
        """Return the trust of everybody, as it went."""
        with self._project.lock:
            return trust_lines(self._project.state.people.values())

    def forget(self) -> None:
        """Compute everything anew: the owner has just changed something and wants to see it."""
        with self._lock:
            self._kept.clear()

    def _progress(self) -> tuple[StepProgress, ...]:
        total: tuple[StepProgress, ...] = ()
        for part in self._parts():
            here = progress(self._project.state, part)
            total = tuple(a + b for a, b in zip(total, here, strict=True)) if total else here
        return total or progress(self._project.state, ())

    def _table(self, step: Step) -> StepTable:
        rows: dict[str, list[Row]] = {question.id: [] for question in step.questions}
        texts: dict[str, str] = {}
        for part in self._parts():
            for name, found in judgements(self._project.state, step, part).items():
                rows[name] += found
            texts.update((item.id, item.text) for item in part)
        seen = {question.id: views(question, rows[question.id]) for question in step.questions}
        accords = step_agreement(step, rows, seen, texts)
        judged = [view for each in seen.values() for view in each if len(view.ratings)]
        return StepTable(step, accords, judged)

    def _disputes(self) -> list[Dispute]:
        return [one for part in self._parts() for one in disputes(self._project.state, part)]

    def _tests(self) -> list[GoldFigures]:
        found = [one for part in self._parts() for one in gold_figures(self._project.state, part)]
        return sorted(found, key=lambda one: (-(one.share or 0.0), -one.people))

    def _burdens(self) -> list[Burden]:
        times: dict[str, list[float]] = {}
        for part in self._parts():
            for person, found in answer_times(self._project.state, part).items():
                times.setdefault(person, []).extend(found)
        with self._project.lock:
            state = self._project.state
            care = state.protocol.wellbeing
            return burdens(state.people.values(), times, care.most_per_day, care.break_after)

    def _parts(self) -> Iterator[list[Item]]:
        """Yield the items in parts; the project is locked while one is looked at."""
        with self._project.lock:
            items = list(self._project.state.items.values())
        for at in range(0, len(items), PART):
            with self._project.lock:
                yield items[at : at + PART]
            # A lock that is taken again at once would never be given to anybody else.
            time.sleep(0.001)

    def _recent(self, key: Any, seconds: float, make: Callable[[], T]) -> T:
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            kept = self._kept.get(key)
            if kept is not None and time.monotonic() - kept[0] < seconds:
                found: T = kept[1]
                return found
            found = make()
            self._kept[key] = (time.monotonic(), found)
            return found
