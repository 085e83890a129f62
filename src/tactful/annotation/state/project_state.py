"""What follows from the events of a project: items, people, trust, labels and what is left to do.

Nothing here is stored. :meth:`State.derive` reads a log from its start, :meth:`State.apply` takes
one more event; both come to the same state. What the rules are is told in
``docs/annotation-rules.md``.
"""

import gc
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from tactful.annotation.protocol.changes import DEFAULTS, changed
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.board import Board
from tactful.annotation.state.items import Answer, Item, ItemStep, Status
from tactful.annotation.state.labels import Label
from tactful.annotation.state.people import Person
from tactful.annotation.state.trust import is_right, is_tested
from tactful.annotation.store.events import Event
from tactful.errors import InputError

__all__ = ["Answer", "Item", "ItemStep", "Label", "Person", "State", "Status"]

_DAY = 86_400


class State(Board):
    """A project as its events have made it.

    ``items`` and ``people`` are found by id; ``protocol`` is the protocol with the ``settings``
    that are in force.
    """

    def __init__(self, protocol: Protocol):
        super().__init__(protocol)
        self.settings: dict[str, Any] = dict(DEFAULTS)
        self.number = 0
        """The number of the last event that has one."""
        self._given_protocol = protocol
        self._answered_by: dict[str, list[tuple[str, str]]] = {}
        self._failing: set[str] = set()
        self._redeemed: set[str] = set()
        self._days: dict[int, str] = {}
        self._handlers = {
            "imported": self._imported,
            "tested": self._gold_edited,
            "gold-edited": self._gold_edited,
            "invited": self._invited,
            "revoked": self._revoked,
            "consented": self._consented,
            "shown": self._shown,
            "returned": self._returned,
            "answered": self._answered,
            "skipped": self._skipped,
            "removed": self._removed,
            "re-admitted": self._readmitted,
            "adjudicated": self._adjudicated,
            "settings-changed": self._settings_changed,
        }

    @classmethod
    def derive(cls, protocol: Protocol, events: Iterable[Event]) -> "State":
        """Return the state that a log leads to."""
        state = cls(protocol)
        # All that is made here stays: looking through it for garbage again and again costs a
        # quarter of the time.
        paused = gc.isenabled()
        gc.disable()
        try:
            state._take(events)
        finally:
            if paused:
                gc.enable()
        # Now rather than when the first person asks for a page.
        state._leases.tidy()
        for queue in state._queues.values():
            queue.tidy()
        return state

    def apply(self, event: Event) -> None:
        """Take one more event of the log."""
        self._take((event,))

    def _take(self, events: Iterable[Event]) -> None:
        handlers = self._handlers
        for event in events:
            try:
                handlers[event.kind](event)
            except KeyError as missing:
                raise InputError(_unknown(event, missing.args[0])) from missing
            if event.number is not None:
                self.number = event.number

    # What can be asked

    def judged(self, person: str) -> int:
        """Return how many items somebody answered that are no tests."""
        found = self.people[person]
        return found.answered - found.tests

    def leased(self, person: str, now: float) -> list[tuple[str, str]]:
        """Return what somebody has before them now, item and step, in the order it was shown."""
        return self._leases.live(person, now)

    def untaken_tests(self, person: str, step: str) -> list[str]:
        """Return tests of a step that somebody was shown once and has not answered or skipped."""
        return [
            item
            for item, of_step in self._leases.untaken.get(person, ())
            if of_step == step and self.items[item].is_test
        ]

    def queue(self, step: str, now: float) -> Iterator[str]:
        """Yield the items of a step that need somebody now, in the order of priority."""
        for item, of_step in self._leases.expire(now):
            self._requeue(self.items[item], of_step)
        return (self._ids[place] for _, place in self._queues[step])

    def to_remove(self) -> list[str]:
        """Name the people whose trust is too low and whose judgements still count."""
        return sorted(self._failing)

    def to_readmit(self) -> list[str]:
        """Name the people who were removed for their trust, which is no longer too low."""
        return sorted(self._redeemed)

    # What can happen

    def _imported(self, event: Event) -> None:
        data, name = event.data, event.item or ""
        if name in self.items:
            raise InputError(f"{_place(event)}: the item '{name}' was imported before.")
        gold = data.get("gold")
        item = Item(
            id=name,
            text=data["text"],
            context=dict(data.get("context") or {}),
            meta=dict(data.get("meta") or {}),
            gold=dict(gold) if gold is not None else None,
            priority=float(data.get("priority") or 0.0),
            steps={each: ItemStep() for each in self._steps},
            place=len(self._ids),
        )
        self.items[name] = item
        self._ids.append(name)
        if item.gold is None:
            self._put_in_new(item)
        else:
            self._hide(item)

    def _gold_edited(self, event: Event) -> None:
        item = self.items[event.item or ""]
        gold = event.data["gold"]
        if item.is_test:
            self._unhide(item)
        else:
            self._take_out(item)
        item.gold = dict(gold) if gold is not None else None
        if item.is_test:
            self._hide(item)
        else:
            self._put_in(item)
        people = {name for part in item.steps.values() for name in part.answers}
        for name in people:
            self._trust_again(self.people[name])

    def _invited(self, event: Event) -> None:
        data, name = event.data, event.annotator or ""
        if name in self.people:
            # A new link for somebody who is there: their work and their trust stay.
            person = self.people[name]
            person.token, person.role = data.get("token"), data["role"]
            person.name = data.get("name") or person.name
            person.status = "active" if person.counts else "removed"
            return
        self.people[name] = Person(
            id=name, name=data.get("name") or name, role=data["role"], token=data.get("token")
        )
        self._answered_by[name] = []

    def _revoked(self, event: Event) -> None:
        person = self.people[event.annotator or ""]
        person.status, person.token = "revoked", None
        self._give_back(person)

    def _consented(self, event: Event) -> None:
        person = self.people[event.annotator or ""]
        person.consented = event.at
        person.traits = dict(event.data.get("traits") or {})

    def _shown(self, event: Event) -> None:
        item, step, person = self._about(event)
        part, until = item.steps[step], float(event.data["until"])
        part.leases[person.id] = until
        self._leases.give(person.id, item.id, step, until, item.is_test)
        if part.status == "open":
            self._requeue(item, step)

    def _returned(self, event: Event) -> None:
        item, step, person = self._about(event)
        self._release(item, step, person)

    def _skipped(self, event: Event) -> None:
        item, step, person = self._about(event)
        part = item.steps[step]
        if person.id not in part.skipped:
            part.skipped.add(person.id)
            person.skipped += 1
        elif person.id in part.leases:
            part.declined.add(person.id)
        self._leases.take_up(person.id, item.id, step)
        self._release(item, step, person)

    def _answered(self, event: Event) -> None:
        item, step = self.items[event.item or ""], event.step or ""
        part, person = item.steps[step], self.people[event.annotator or ""]
        data, at, name = event.data, event.at, person.id
        seconds = data.get("seconds")
        before = part.answers.get(name)
        trust = person.weight if before is None else before.trust
        answer = Answer(name, data["answers"], at, seconds, event.number, trust)
        part.answers[name] = answer
        if name in part.skipped:
            part.skipped.remove(name)
            part.declined.discard(name)
            person.skipped -= 1
        self._leases.take_up(name, item.id, step)
        if part.leases:
            part.leases.pop(name, None)
        if before is None:
            self._answered_by[name].append((item.id, step))
            person.answered += 1
            person.days[self._days.get(int(at // _DAY)) or self._day(at)] += 1
        person.spends(at, seconds)
        if item.gold is not None:
            self._test_answered(item, step, person, answer, before)
        elif before is not None or part.status != "open":
            self._count_again(item, step)
        elif person.counts:
            self._count_too(item, step, answer)
        else:
            self._requeue(item, step)

    def _test_answered(
        self, item: Item, step: str, person: Person, answer: Answer, before: Answer | None
    ) -> None:
        rule, gold = self._steps[step], item.gold or {}
        if not is_tested(rule, gold):
            return
        if before is None:
            right = is_right(rule, gold, answer.answers)
            person.takes((item.id, step), right, answer.at)
            self._watch(person)
        else:
            self._trust_again(person)

    def _removed(self, event: Event) -> None:
        person = self.people[event.annotator or ""]
        person.removed_for = str(event.data.get("why") or "owner")
        person.kept = False
        if person.status == "active":
            person.status = "removed"
        self._let_count(person, False)
        self._give_back(person)

    def _readmitted(self, event: Event) -> None:
        person = self.people[event.annotator or ""]
        if person.status == "removed":
            person.status = "active"
        person.removed_for = None
        # Otherwise the trust that the owner has overruled would remove them at once.
        person.kept = event.data.get("why") != "trust"
        self._let_count(person, True)

    def _adjudicated(self, event: Event) -> None:
        item, data = self.items[event.item or ""], event.data
        answer = Answer(
            event.annotator or "", data["answers"], event.at, data.get("seconds"), event.number
        )
        self._decide(item, event.step or "", answer)

    def _settings_changed(self, event: Event) -> None:
        self.settings.update(event.data)
        protocol = changed(self._given_protocol, self.settings)
        if protocol.steps == self.protocol.steps:
            self._take_protocol(protocol)
        else:
            # What is missing is counted by the old rules on the way out, by the new ones again.
            for item in self.ordinary():
                self._take_out(item)
            self._take_protocol(protocol)
            for item in self.ordinary():
                self._put_in(item)
        for person in self.people.values():
            self._watch(person)

    # What follows

    def _give_back(self, person: Person) -> None:
        for item, step in self._leases.all_of(person.id):
            self._release(self.items[item], step, person)

    def _let_count(self, person: Person, counts: bool) -> None:
        if person.counts != counts:
            person.counts = counts
            stay = self.protocol.quality.rows_remain_finalized and not counts
            for name, step in self._answered_by[person.id]:
                item = self.items[name]
                if item.gold is None:
                    part = item.steps[step]
                    part.finalized = part.finalized or (stay and part.status == "done")
                    self._count_again(item, step)
        self._watch(person)

    def _trust_again(self, person: Person) -> None:
        """Work out the trust of somebody anew, from all their answers to tests."""
        tests = []
        for name, step in self._answered_by[person.id]:
            item, rule = self.items[name], self._steps[step]
            if item.gold is not None and is_tested(rule, item.gold):
                answer = item.steps[step].answers[person.id]
                right = is_right(rule, item.gold, answer.answers)
                tests.append(((name, step), right, answer.at))
        person.took(tests)
        self._watch(person)

    def _watch(self, person: Person) -> None:
        """Note whether the trust of somebody should remove them, or let them in again."""
        fails = person.role == "annotator" and person.fails(self.protocol.quality)
        _put(self._failing, person.id, fails and person.counts and not person.kept)
        by_trust = not person.counts and person.removed_for == "trust"
        _put(self._redeemed, person.id, by_trust and not fails)

    def _about(self, event: Event) -> tuple[Item, str, Person]:
        item, step = self.items[event.item or ""], event.step or ""
        if step not in item.steps:
            raise KeyError(step)
        return item, step, self.people[event.annotator or ""]

    def _day(self, at: float) -> str:
        number = int(at // _DAY)
        self._days[number] = datetime.fromtimestamp(number * _DAY, UTC).date().isoformat()
        return self._days[number]


def _put(names: set[str], name: str, belongs: bool) -> None:
    if belongs:
        names.add(name)
    else:
        names.discard(name)


def _place(event: Event) -> str:
    return "An event" if event.number is None else f"Event {event.number}"


def _unknown(event: Event, name: Any) -> str:
    found = f"'{name}'" if name else "an item, a step or a person"
    return (
        f"{_place(event)} ({event.kind}) needs {found}, which neither the event itself nor any "
        "before it nor the protocol has; the log is not whole, or belongs to another protocol."
    )
