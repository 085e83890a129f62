"""Runs a protocol in virtual time, with the rules of a real project.

Nothing is stored and nothing waits: the next action of anybody comes from a queue. Counting,
removals and labels are those of :mod:`tactful.annotation.state.project_state`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random
from typing import Any

from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.assignment import Given, allowance, next_page
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event, Kind
from tactful_lab.simulation.annotators import Annotator, Answering, pace
from tactful_lab.simulation.cases import Case, Rates, random_for

START = 1_704_096_000.0
"""2024-01-01, 8:00 UTC."""
DAY = 86_400.0
_SESSION = 45 * 60.0
"""Seconds after which people rest."""
_REST = 4 * 3600.0
_BREAK = 15 * 60.0
_ARRIVAL = 4 * 3600.0
"""Everybody arrives within the first hours."""
_JITTER = 0.5
"""Spread of the time per item."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The input of a simulation."""

    protocol: Protocol
    cases: Sequence[Case]
    people: Sequence[Annotator]
    rates: Rates
    seed: int
    price: float | None = None
    curve: bool = False
    """Whether to compute the plain majority at several costs."""
    by_kind: bool = False
    """Whether the time for an item depends on its questions."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of a person."""

    annotator: str
    at: float
    judgements: int
    """Paid judgements until then."""
    tests: int


@dataclass(slots=True)
class Record:
    """What happened in a simulation."""

    state: State
    judgements: Counter[str] = field(default_factory=Counter)
    """Paid answers by step, including tests and uncounted ones."""
    tests: int = 0
    decisions: int = 0
    """Decisions of referees about disputed items."""
    seconds: float = 0.0
    removals: list[Removal] = field(default_factory=list)
    reopened: int = 0
    """Finished items that were reopened because somebody was removed."""
    left: set[str] = field(default_factory=set)
    """People who dropped out."""
    ended: float = START
    finished: bool = False

    @property
    def total(self) -> int:
        """All paid judgements."""
        return self.judgements.total()


@dataclass(slots=True)
class _Worker:
    person: Annotator
    rng: Random
    page: list[Given] = field(default_factory=list)
    session: float | None = None
    """Start of the session; None during a rest."""
    in_session: int = 0
    answered: list[Given] = field(default_factory=list)


class Run:
    """One simulation; call :meth:`carry_out`."""

    def __init__(self, setting: Setting):
        self.protocol = setting.protocol
        self.cases = {case.id: case for case in setting.cases}
        self.answering = Answering(setting.protocol, setting.rates)
        self.by_kind = setting.by_kind
        self.pages = random_for(setting.seed, "pages")
        self.key = b"simulation %d" % setting.seed
        self.workers = {
            person.id: _Worker(person, random_for(setting.seed, person.id))
            for person in setting.people
        }
        self.state = State(setting.protocol)
        self.record = Record(self.state)
        self.queue: list[tuple[float, int, str]] = []
        self.now = START
        self.turns = 0
        self.events = 0
        self.idle = 0
        """Empty pages in a row, to detect the end."""

    def carry_out(self) -> Record:
        """Let everybody work until all items are labelled, or nobody can continue."""
        self._begin()
        done = -1
        # People who found nothing to do have left. A decision or a late removal may have reopened
        # items, so they are called again until nothing changes.
        while done < self.record.total and not self.state.finished():
            done = self.record.total
            self._work()
            self._decide()
            self._call(self.now)
        self.record.finished = self.state.finished()
        return self.record

    def _begin(self) -> None:
        for case in self.cases.values():
            data = {"text": case.text, "context": {}, "meta": {}, "gold": case.gold, "priority": 0}
            self._apply("imported", START, item=case.id, data=data)
        for name, worker in self.workers.items():
            data = {"role": worker.person.role, "name": name, "token": None}
            self._apply("invited", START, annotator=name, data=data)
            self._apply("consented", START, annotator=name, data={"traits": {}})
        self._call(START, _ARRIVAL)

    def _work(self) -> None:
        self.idle = 0
        while self.queue:
            now, _, name = heappop(self.queue)
            self.now = now
            worker = self.workers[name]
            if self.state.people[name].status != "active" or name in self.record.left:
                continue
            if not worker.page:
                self._open_page(now, worker)
            else:
                self._answer(now, worker)

    def _open_page(self, now: float, worker: _Worker) -> None:
        """Give somebody their next page, or send them to rest."""
        name = worker.person.id
        if worker.session is not None and now - worker.session > _SESSION:
            self._rest(now + _REST, worker)
            return
        allowed = allowance(self.state, name, now)
        if allowed.left is not None and allowed.left <= 0:
            self._rest((now // DAY + 1) * DAY + START % DAY, worker)
            return
        if allowed.break_due and worker.session is not None:
            self._rest(now + _BREAK, worker)
            return
        page = next_page(self.state, name, now, self.pages, key=self.key)
        if not page:
            self._wait(now, worker)
            return
        self.idle = 0
        if worker.session is None:
            worker.session, worker.in_session = now, 0
        until = now + self.protocol.lease_minutes * 60
        for given in page:
            data = {"until": until, "page": self.turns}
            self._apply("shown", now, given.item, name, given.step, data)
        worker.page = list(reversed(page))
        self._turn(now + self._seconds(worker), name)

    def _wait(self, now: float, worker: _Worker) -> None:
        """Let somebody try again later, unless no item can come back."""
        self.idle += 1
        worker.session = None
        # Rounds are half a lease apart: all leases have ended by then.
        if self.idle <= 3 * len(self.workers) and not self.state.finished():
            self._turn(now + self.protocol.lease_minutes * 30 + 1, worker.person.id)

    def _rest(self, until: float, worker: _Worker) -> None:
        worker.session = None
        self._turn(until, worker.person.id)

    def _answer(self, now: float, worker: _Worker) -> None:
        """Answer the next item of the page."""
        person = worker.person
        if worker.rng.random() < person.leaves:
            # The page stays open, and its leases run out.
            self.record.left.add(person.id)
            return
        given = worker.page.pop()
        case = self.cases[given.item]
        step, tired = self.protocol.step(given.step), person.tired(worker.in_session)
        answers = self.answering.answer(person, step, case, tired, worker.rng)
        worker.in_session += 1
        share = pace(step, answers) if self.by_kind else 1.0
        self._judge("answered", now, worker, given, answers, share)
        worker.answered.append(given)
        if case.gold is not None:
            self.record.tests += 1
            self._remove_untrusted(now)
        self._turn(now + share * self._seconds(worker) if worker.page else now, person.id)

    def _judge(
        self,
        kind: Kind,
        now: float,
        worker: _Worker,
        given: Given,
        answers: Mapping[str, Any],
        share: float = 1.0,
    ) -> None:
        """Record a paid judgement or decision."""
        seconds = share * worker.person.seconds
        data = {"answers": answers, "seconds": seconds}
        self._apply(kind, now, given.item, worker.person.id, given.step, data)
        self.record.judgements[given.step] += 1
        self.record.seconds += seconds
        self.record.ended = now

    def _remove_untrusted(self, now: float) -> None:
        for name in list(self.state.to_remove()):
            person, worker = self.state.people[name], self.workers[name]
            self.record.removals.append(Removal(name, now, len(worker.answered), person.tests))
            done = [given for given in worker.answered if self._is_done(given)]
            self._apply("removed", now, annotator=name, data={"why": "trust"})
            self.record.reopened += sum(not self._is_done(given) for given in done)

    def _is_done(self, given: Given) -> bool:
        return self.state.items[given.item].steps[given.step].status in ("done", "disputed")

    def _decide(self) -> None:
        """Let referees decide the disputed items."""
        referees = [one for one in self.workers.values() if one.person.role == "referee"]
        for name, item in self.state.items.items():
            for step in self.protocol.steps:
                if referees and item.steps[step.id].status == "disputed":
                    worker = referees[self.record.decisions % len(referees)]
                    self._adjudicate(worker, Given(name, step.id))

    def _adjudicate(self, worker: _Worker, given: Given) -> None:
        person = worker.person
        step, case = self.protocol.step(given.step), self.cases[given.item]
        answers = self.answering.answer(person, step, case, 1.0, worker.rng)
        self.now += person.seconds
        self._judge("adjudicated", self.now, worker, given, answers)
        self.record.decisions += 1

    def _call(self, at: float, within: float = 0.0) -> None:
        """Queue everybody who has a step to work on."""
        roles = {step.role for step in self.protocol.steps}
        for name, worker in self.workers.items():
            if worker.person.role in roles:
                self._turn(at + worker.rng.random() * within, name)

    def _seconds(self, worker: _Worker) -> float:
        return worker.person.seconds * worker.rng.lognormvariate(0, _JITTER)

    def _turn(self, at: float, name: str) -> None:
        self.turns += 1
        heappush(self.queue, (at, self.turns, name))

    def _apply(
        self,
        kind: Kind,
        at: float,
        item: str | None = None,
        annotator: str | None = None,
        step: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        self.events += 1
        event = Event(kind, at, item, annotator, step, data or {}, None, self.events)
        self.state.apply(event)
