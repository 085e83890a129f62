"""The state of a project, derived from its events: items, people, trust, labels and open work.

Nothing here is stored. :meth:`State.derive` reads a whole log, :meth:`State.apply` one more event;
both lead to the same state. ``docs/annotation-rules.md`` explains the rules.
"""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tactful.annotation.protocol.changes import DEFAULTS, changed
from tactful.annotation.protocol.records import Protocol, Step
from tactful.annotation.state.crowd import Crowd, read_crowd
from tactful.annotation.state.items import STATUSES, Answer, Item, ItemStep, Remark, Status, Wording
from tactful.annotation.state.labels import Label, combine, enters, referee_answers
from tactful.annotation.state.people import Person
from tactful.annotation.state.queue import Leases, Queue
from tactful.annotation.state.roles import works_on
from tactful.annotation.state.suggestions import Suggestions
from tactful.annotation.state.teams import Teams
from tactful.annotation.state.trust import is_right, is_tested
from tactful.annotation.state.votes import StoppingRule, is_closed
from tactful.annotation.store.events import Event
from tactful.errors import InputError

__all__ = ["Answer", "Item", "ItemStep", "Label", "Person", "State", "Status"]

_DAY = 86_400


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause Python's garbage collection around work that makes many objects and no cycles.

    The collector would look through the whole project again and again: a quarter of the time of
    reading a log, and up to half a second in which the server answers nobody.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class State:
    """The current state of a project.

    ``items`` and ``people`` are by id; ``protocol`` is the protocol with the current ``settings``.
    """

    def __init__(self, protocol: Protocol):
        self.items: dict[str, Item] = {}
        """In the order of import."""
        self.people: dict[str, Person] = {}
        self.judgements: Counter[str] = Counter()
        """How many judgements count, by step."""
        self.settings: dict[str, Any] = dict(DEFAULTS)
        self.suggestions = Suggestions()
        self.ranking: Event | None = None
        """The latest ranking."""
        self.crowd: Crowd | None = None
        """The study on a crowd platform, if there is one."""
        self.teams = Teams({})
        """Who may take what."""
        self.remarks: dict[tuple[str, str], list[Remark]] = {}
        """What was said about disputed items, by item and step of the referee."""
        self.wordings: list[Wording] = []
        """What people were asked, in order of time; each answer belongs to the last one before."""
        self.unworded = 0
        """How many answers were given before the first wording was recorded."""
        self.number = 0
        """The number of the last event that has one."""
        self._given_protocol = protocol
        self._ids: list[str] = []
        self._queues = {step.id: Queue() for step in protocol.steps}
        self._counts: dict[str, Counter[Status]] = {step.id: Counter() for step in protocol.steps}
        self._missed: Counter[str] = Counter()
        self._tests: dict[str, list[str]] = {step.id: [] for step in protocol.steps}
        self._leases = Leases()
        self._take_protocol(protocol)
        self._answered_by: dict[str, list[tuple[str, str]]] = {}
        self._touched: set[int] = set()
        """The places of the items that somebody answered, skipped or decided."""
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
            "remarked": self._remarked,
            "closed": self._closed,
            "reopened": self._closed,
            "extended": self._extended,
            "worded": self._worded,
            "settings-changed": self._settings_changed,
            "suggested": self._suggested,
            "ranked": self._ranked,
        }

    @classmethod
    def derive(cls, protocol: Protocol, events: Iterable[Event]) -> "State":
        """Return the state after all events of a log."""
        state = cls(protocol)
        state.extend(events)
        return state

    def extend(self, events: Iterable[Event]) -> None:
        """Apply the rest of a log."""
        with paused_collection():
            self._take(events)
        # Now, instead of when the first person asks for a page.
        self._leases.tidy()
        for queue in self._queues.values():
            queue.tidy()

    def apply(self, event: Event) -> None:
        """Apply one more event of the log."""
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

    def counted(self, item: str, step: str) -> list[Answer]:
        """Return the judgements that count, in order.

        These are the first ones by people who were not removed: as many as the step asks for, then
        one more at a time, up to its maximum, until the labels are sure enough. A hidden test has
        none.
        """
        return list(self.items[item].steps[step].counting)

    def needed(self, item: str, step: str, now: float, person: str | None = None) -> int:
        """Return how many more people are needed, not counting those with a lease.

        For a ``person``, also without the places of those who judge everything.
        """
        part = self.items[item].steps[step]
        if part.status != "open":
            return 0
        live = sum(until > now for until in part.leases.values())
        missing = self._missing(part, self._rule(part, step)) - live
        if person is not None and self.teams.everything and person not in self.teams.everything:
            missing -= self._kept_places(self.items[item], step, now)
        return max(0, missing)

    def _kept_places(self, item: Item, step: str, now: float) -> int:
        """Return how many people who judge everything will still take an item."""
        part, rule = item.steps[step], self._steps[step]
        return sum(
            person.status == "active"
            and works_on(person.role, rule.role)
            and name not in part.answers
            and name not in part.declined
            and part.leases.get(name, 0.0) <= now
            and self.teams.quota_left(person) != 0
            and self.teams.admits(name, item)
            for name in self.teams.everything
            if (person := self.people.get(name)) is not None
        )

    def labels(self, item: str, step: str) -> dict[str, Label]:
        """Return the label of each question, with the current trust of people."""
        part = self.items[item].steps[step]
        weights: tuple[float, ...] = ()
        if self._steps[step].combine == "trust_weighted":
            weights = tuple(self.people[answer.annotator].weight for answer in part.counting)
        others = tuple(self.items[item].steps[other].version for other in self._referees[step])
        basis = (part.version, weights, others)
        if part.known is None or part.known[0] != basis:
            trust = {
                answer.annotator: weight
                for answer, weight in zip(part.counting, weights, strict=False)
            }
            part.known = (basis, self._labels(self.items[item], step, trust))
        return dict(part.known[1])

    def counts(self, step: str) -> dict[Status, int]:
        """Return the number of items of a step by status, without tests."""
        return {status: self._counts[step][status] for status in STATUSES}

    def finished(self) -> bool:
        """Say whether no item is open or disputed in any step."""
        return not any(each["open"] or each["disputed"] for each in self._counts.values())

    def ordinary(self) -> Iterator[Item]:
        """Yield the items that are not hidden tests."""
        return (item for item in self.items.values() if item.gold is None)

    def touched(self) -> list[int]:
        """Return the places of the items that somebody answered, skipped or decided, in order.

        Most items of a large project have only a text, so this is much faster than to read all.
        """
        return sorted(self._touched.copy())

    def touched_items(self) -> Iterator[Item]:
        """Yield these items, in the order of import."""
        return map(self.item_at, self.touched())

    def item_at(self, place: int) -> Item:
        """Return the item at a place in the order of import."""
        return self.items[self._ids[place]]

    def answered_by(self, person: str) -> Sequence[tuple[str, str]]:
        """Return the items and steps that somebody answered, in order."""
        return self._answered_by.get(person, ())

    def items_from(self, place: int) -> Iterator[Item]:
        """Yield the items from a place in the order of import."""
        return map(self.item_at, range(place, len(self._ids)))

    def tests(self, step: str) -> Sequence[str]:
        """Return the hidden tests of a step."""
        return self._tests[step]

    def all_tests(self) -> list[Item]:
        """Return the hidden tests of all steps."""
        names = dict.fromkeys(name for tests in self._tests.values() for name in tests)
        return [self.items[name] for name in names]

    def is_known_to(self, person: str, item: str, step: str) -> bool:
        """Say whether somebody answered or skipped an item of a step."""
        part = self.items[item].steps[step]
        return person in part.answers or person in part.skipped

    def may_come_back(self, person: str, item: str, step: str) -> bool:
        """Say whether somebody skipped an item of a step once and can be asked again."""
        part = self.items[item].steps[step]
        return person in part.skipped and person not in part.declined

    def wanted(self, step: str) -> int:
        """Return how many judgements a step needs, as far as known: collected and missing."""
        return self.judgements[step] + self._missed[step]

    def leased(self, person: str, now: float) -> list[tuple[str, str]]:
        """Return the leases of a person, item and step, in the order they were shown."""
        return self._leases.live(person, now)

    def untaken_tests(self, person: str, step: str) -> list[str]:
        """Return tests of a step that somebody was shown and has not answered or skipped."""
        return [
            item
            for item, of_step in self._leases.untaken.get(person, ())
            if of_step == step and self.items[item].is_test
        ]

    def seen_by(self, test: str, step: str) -> int:
        """Return how many people whose judgements count were shown or answered a hidden test."""
        shown = self._leases.seen.get((test, step), set())
        people = shown | self.items[test].steps[step].answers.keys()
        return sum(self.people[name].counts for name in people)

    def queue(self, step: str, now: float) -> Iterator[str]:
        """Yield the items of a step that need somebody now, in the order of priority."""
        for item, of_step in self._leases.expire(now):
            self._requeue(self.items[item], of_step)
        names = (self._ids[place] for _, place in self._queues[step])
        if not self.teams.has_deadlines:
            return names
        return (name for name in names if not self.teams.is_over(self.items[name], now))

    def is_queued_at_first(self, item: Item, step: str) -> bool:
        """Say whether an item needs somebody, before the clock ends any lease."""
        part = item.steps[step]
        return part.status == "open" and self._missing(part, self._rule(part, step)) > len(
            part.leases
        )

    def wording(self, answer: Answer) -> "Wording | None":
        """Return what somebody was asked when they answered; None if it was not recorded."""
        found = None
        for each in self.wordings:
            if (each.number or 0) < (answer.number or 0):
                found = each
        return found

    def to_remove(self) -> list[str]:
        """Return the people whose trust is too low and whose judgements still count."""
        return sorted(self._failing)

    def to_readmit(self) -> list[str]:
        """Return the people who were removed for low trust that is no longer low."""
        return sorted(self._redeemed)

    # What can happen

    def _imported(self, event: Event) -> None:
        data, name = event.data, event.item or ""
        if name in self.items:
            raise InputError(f"{_place(event)}: the item '{name}' was already imported.")
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
            # A new link for an existing person: their work and their trust stay.
            person = self.people[name]
            person.token, person.role = data.get("token"), data["role"]
            person.name = data.get("name") or person.name
            person.status = "active" if person.counts else "removed"
            return
        self.people[name] = Person(
            id=name,
            name=data.get("name") or name,
            role=data["role"],
            token=data.get("token"),
            crowd=data.get("crowd"),
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
        self.suggestions.give(event)
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
        self._touched.add(item.place)
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
        day = self._days.get(int(at // _DAY)) or self._day(at)
        if before is None:
            self._answered_by[name].append((item.id, step))
            self._touched.add(item.place)
            person.answered += 1
            person.days[day] += 1
        elif self._is_harmful(before):
            person.harmful[self._day(before.at)] -= 1
        if self._is_harmful(answer):
            person.harmful[day] += 1
        if self.wordings:
            self.wordings[-1].answers += 1
        else:
            self.unworded += 1
        person.spent[day] = person.spent.get(day, 0.0) + (seconds or 0.0)
        person.add_time(at, seconds)
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
            person.add_test((item.id, step), right, answer.at)
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
        # Otherwise the trust that the owner overruled would remove them immediately.
        person.kept = event.data.get("why") != "trust"
        self._let_count(person, True)

    def _adjudicated(self, event: Event) -> None:
        item, data = self.items[event.item or ""], event.data
        answer = Answer(
            event.annotator or "", data["answers"], event.at, data.get("seconds"), event.number
        )
        self._decide(item, event.step or "", answer)

    def _remarked(self, event: Event) -> None:
        place = self.items[event.item or ""].id, event.step or ""
        remark = Remark(event.annotator or "", event.at, event.data["text"])
        self.remarks.setdefault(place, []).append(remark)

    def _closed(self, event: Event) -> None:
        item, step = self.items[event.item or ""], event.step or ""
        item.steps[step].closed = event.kind == "closed"
        if item.gold is None:
            self._count_again(item, step)

    def _extended(self, event: Event) -> None:
        item, step = self.items[event.item or ""], event.step or ""
        part = item.steps[step]
        if item.gold is None:
            # What was missing by the old rule is taken back before the new one applies.
            self._missed[step] -= self._missing(part, self._rule(part, step))
        part.extra += int(event.data["more"])
        part.finalized = False
        if item.gold is None:
            self._missed[step] += self._missing(part, self._rule(part, step))
            self._count_again(item, step)

    def _worded(self, event: Event) -> None:
        version, wording = event.data["version"], event.data["wording"]
        self.wordings.append(Wording(version, event.at, event.number, wording))

    def _settings_changed(self, event: Event) -> None:
        self.settings.update(event.data)
        if changed(self._given_protocol, self.settings).steps == self.protocol.steps:
            self.take_settings()
        else:
            # Items are taken out by the old rules and put in again by the new ones.
            for item in self.ordinary():
                self._take_out(item)
            self.take_settings()
            for item in self.ordinary():
                self._put_in(item)
        for person in self.people.values():
            self._watch(person)

    def take_settings(self) -> None:
        """Follow the current settings from now on; items stay as they are."""
        self.teams = Teams(self.settings)
        self.crowd = read_crowd(self.settings.get("crowd"))
        self._take_protocol(changed(self._given_protocol, self.settings))

    def _suggested(self, event: Event) -> None:
        if (event.step or "") not in self.items[event.item or ""].steps:
            raise KeyError(event.step)
        self.suggestions.add(event)

    def _ranked(self, event: Event) -> None:
        before = self.ranking.data["first"] if self.ranking is not None else ()
        # Together: an item may be in both rankings.
        ranks: dict[str, int | None] = {
            **dict.fromkeys(before),
            **{name: at for at, name in enumerate(event.data["first"])},
        }
        for name, rank in ranks.items():
            item = self.items[name]
            for step in item.steps:
                self._queues[step].discard(item.key)
            item.set_rank(rank)
            for step in item.steps if item.gold is None else ():
                self._requeue(item, step)
        self.ranking = event

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
        """Compute the trust of somebody again, from all their answers to tests."""
        tests = []
        for name, step in self._answered_by[person.id]:
            item, rule = self.items[name], self._steps[step]
            if item.gold is not None and is_tested(rule, item.gold):
                answer = item.steps[step].answers[person.id]
                right = is_right(rule, item.gold, answer.answers)
                tests.append(((name, step), right, answer.at))
        person.set_tests(tests)
        self._watch(person)

    def _watch(self, person: Person) -> None:
        """Note whether the trust of somebody should remove or readmit them."""
        fails = person.role == "annotator" and person.fails(self.protocol.quality)
        _put(self._failing, person.id, fails and person.counts and not person.kept)
        by_trust = not person.counts and person.removed_for == "trust"
        _put(self._redeemed, person.id, by_trust and not fails)

    def _about(self, event: Event) -> tuple[Item, str, Person]:
        item, step = self.items[event.item or ""], event.step or ""
        if step not in item.steps:
            raise KeyError(step)
        return item, step, self.people[event.annotator or ""]

    def _is_harmful(self, answer: Answer) -> bool:
        return any(answer.answers.get(name) in values for name, values in self._harmful)

    def _day(self, at: float) -> str:
        number = int(at // _DAY)
        self._days[number] = datetime.fromtimestamp(number * _DAY, UTC).date().isoformat()
        return self._days[number]

    # Counting, status and labels

    def _take_protocol(self, protocol: Protocol) -> None:
        self.protocol = protocol
        """The protocol with the current settings."""
        self._steps: dict[str, Step] = {step.id: step for step in protocol.steps}
        harmful: dict[str, set[str]] = {}
        for each in protocol.wellbeing.harmful:
            question, _, value = each.rpartition("=")
            harmful.setdefault(question, set()).add(value)
        self._harmful = tuple(harmful.items())
        self._stopping = {step.id: StoppingRule(step) for step in protocol.steps}
        self._after: dict[str, list[str]] = {step.id: [] for step in protocol.steps}
        self._referees: dict[str, list[str]] = {step.id: [] for step in protocol.steps}
        for step in protocol.steps:
            if step.entry is not None:
                self._after[step.entry.step].append(step.id)
                if step.entry.rule == "disputed":
                    self._referees[step.entry.step].append(step.id)

    def _put_in(self, item: Item) -> None:
        """Start collecting judgements of an item."""
        for step, part in item.steps.items():
            part.status, part.complete, part.counting = "waiting", False, []
            self._counts[step]["waiting"] += 1
        for step in item.steps:
            self._count_again(item, step)

    def _put_in_new(self, item: Item) -> None:
        """Do the same as :meth:`_put_in`, faster, for an item without answers."""
        for step, part in item.steps.items():
            rule = self._steps[step]
            part.status = "open" if rule.entry is None else "waiting"
            self._counts[step][part.status] += 1
            if rule.entry is None:
                self._missed[step] += rule.judgements
                self._queues[step].add(item.key)

    def _take_out(self, item: Item) -> None:
        for step, part in item.steps.items():
            self._counts[step][part.status] -= 1
            self.judgements[step] -= len(part.counting)
            self._missed[step] -= self._missing(part, self._rule(part, step))
            self._queues[step].discard(item.key)

    def _hide(self, item: Item) -> None:
        """Make an item that is not being collected a hidden test."""
        for step, part in item.steps.items():
            part.status, part.complete, part.counting = "done", True, []
            part.finalized = False
            part.version += 1
            if is_tested(self._steps[step], item.gold or {}):
                self._tests[step].append(item.id)

    def _unhide(self, item: Item) -> None:
        for tests in self._tests.values():
            if item.id in tests:
                tests.remove(item.id)

    def _rule(self, part: ItemStep, step: str) -> Step:
        """Return the rules of a step for one item, for which the owner may want more judgements."""
        rule = self._steps[step]
        if not part.extra:
            return rule
        most = None if rule.most is None else rule.most + part.extra
        return replace(rule, judgements=rule.judgements + part.extra, most=most)

    def _missing(self, part: ItemStep, rule: Step) -> int:
        """Return how many judgements are missing: all of the first ones, then one at a time."""
        if part.status == "waiting" or part.complete or part.decision is not None:
            return 0
        return max(rule.judgements - len(part.counting), 1)

    def is_enough(self, answers: Sequence[Answer], rule: Step) -> bool:
        """Say whether these judgements are enough for a label."""
        count = len(answers)
        if count < rule.judgements:
            return False
        if rule.confidence is None or count >= (rule.most or rule.judgements):
            return True
        return self._stopping[rule.id](answers, rule.confidence)

    def first_enough(
        self, answers: Iterable[Answer], rule: Step, counts: Mapping[str, bool]
    ) -> list[Answer]:
        """Return the first answers of people who count, until they are enough."""
        found: list[Answer] = []
        for answer in answers:
            if counts[answer.annotator]:
                found.append(answer)
                if self.is_enough(found, rule):
                    break
        return found

    def _count_too(self, item: Item, step: str, answer: Answer) -> None:
        """Count one more judgement: :meth:`_count_again`, without looking at the others."""
        part = item.steps[step]
        rule = self._rule(part, step)
        missing = rule.judgements - len(part.counting)
        part.counting.append(answer)
        part.version += 1
        self.judgements[step] += 1
        part.complete = missing <= 1 and self.is_enough(part.counting, rule)
        if part.complete or missing > 1:
            # Each of the first judgements reduces what is missing, of the others only the last.
            self._missed[step] -= 1
        if part.complete:
            self._settle(item, step)
        elif part.leases:
            self._requeue(item, step)
        else:
            self._queues[step].add(item.key)

    def _count_again(self, item: Item, step: str) -> None:
        """Recompute which answers count."""
        part = item.steps[step]
        rule = self._rule(part, step)
        missed, before = self._missing(part, rule), len(part.counting)
        counts = {name: self.people[name].counts for name in part.answers}
        part.counting = self.first_enough(part.answers.values(), rule, counts)
        part.complete = self.is_enough(part.counting, rule)
        if part.complete:
            part.finalized = False
        elif part.finalized and part.counting:
            part.complete = True
        part.version += 1
        self.judgements[step] += len(part.counting) - before
        self._missed[step] += self._missing(part, rule) - missed
        self._settle(item, step)

    def _decide(self, item: Item, step: str, answer: Answer) -> None:
        part = item.steps[step]
        rule = self._rule(part, step)
        missed = self._missing(part, rule)
        part.decision = answer
        self._touched.add(item.place)
        part.version += 1
        if item.gold is None:
            self._missed[step] += self._missing(part, rule) - missed
            self._settle(item, step)

    def _settle(self, item: Item, step: str) -> None:
        """Update the status of an item in a step, and in the steps that depend on it."""
        part = item.steps[step]
        rule = self._rule(part, step)
        status = self._status(item, step)
        moved = status != part.status
        if moved:
            missed = self._missing(part, rule)
            self._counts[step][part.status] -= 1
            self._counts[step][status] += 1
            part.status = status
            self._missed[step] += self._missing(part, rule) - missed
        self._requeue(item, step)
        for other in self._after[step]:
            self._settle(item, other)
        if moved and rule.entry is not None and rule.entry.rule == "disputed":
            # The decision of the referee settles the disputed step.
            self._settle(item, rule.entry.step)

    def _status(self, item: Item, step: str) -> Status:
        part, rule = item.steps[step], self._steps[step]
        if rule.entry is not None and not self._enters(item, rule):
            return "waiting"
        if part.decision is not None:
            return "done"
        if not part.complete:
            return "waiting" if part.closed else "open"
        return "done" if self._is_clear(item, step) else "disputed"

    def _is_clear(self, item: Item, step: str) -> bool:
        part = item.steps[step]
        rule = self._rule(part, step)
        if rule.combine != "dpm_scale" and not self._referees[step]:
            if rule.confidence and len(part.counting) < (rule.most or rule.judgements):
                return True  # it is complete because it is sure
            return self._stopping[step](part.counting, 0.0)
        labels = self._settled_labels(item, step)
        return all(
            labels[each.id].is_clear for each in rule.questions if each.required and is_closed(each)
        )

    def _enters(self, item: Item, rule: Step) -> bool:
        entry = rule.entry
        if entry is None:
            return True
        source = item.steps[entry.step]
        if source.status == "waiting" or not (source.complete or source.decision):
            return False
        return enters(entry, source, lambda: self._settled_labels(item, entry.step))

    def _settled_labels(self, item: Item, step: str) -> dict[str, Label]:
        """Return the labels that decide the status of an item.

        They use the trust that people had when they answered: otherwise each new test could reopen
        and close items that were done long ago.
        """
        trust = {answer.annotator: answer.trust for answer in item.steps[step].counting}
        return self._labels(item, step, trust)

    def _labels(self, item: Item, step: str, trust: Mapping[str, float]) -> dict[str, Label]:
        part, rule = item.steps[step], self._steps[step]
        referee: dict[str, Any] = {}
        for other in self._referees[step]:
            referee |= referee_answers(rule, self._steps[other], item.steps[other])
        decision = part.decision.answers if part.decision else None
        return combine(rule, part.counting, trust, referee=referee, decision=decision)

    def _requeue(self, item: Item, step: str) -> None:
        part = item.steps[step]
        missing = self._missing(part, self._rule(part, step)) if part.status == "open" else 0
        if missing and part.leases:
            clock = self._leases.clock
            missing -= sum(until > clock for until in part.leases.values())
        if missing > 0:
            self._queues[step].add(item.key)
        else:
            self._queues[step].discard(item.key)

    def _release(self, item: Item, step: str, person: Person) -> None:
        self._leases.end(person.id, item.id, step)
        if item.steps[step].leases.pop(person.id, None) is not None:
            self._requeue(item, step)


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
        f"{_place(event)} ({event.kind}) needs {found}, which neither the event, an earlier one "
        "nor the protocol has; the log is incomplete, or belongs to another protocol."
    )
