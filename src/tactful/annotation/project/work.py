"""The half of a project that annotators use: pages, answers, skips; and what all of it rests on."""

import math
import random
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from tactful.annotation.answers.answers import check_answers
from tactful.annotation.project.exchange import Page, PageItem
from tactful.annotation.project.tokens import handle_of
from tactful.annotation.protocol.records import Step, WellBeing
from tactful.annotation.state.assignment import allowance, next_page
from tactful.annotation.state.items import Answer, Item
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event
from tactful.errors import InputError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.annotation.store.journal import Journal
    from tactful.annotation.store.log import Store

MOST_NOTE = 2_000
"""Letters of a note or a reason that are kept."""
_NOT_GIVEN = "This item was never given to you; expected one of the page; load it again."


class Work:
    """A log with its state, and what annotators do with both."""

    def __init__(self, journal: "Journal", secret: bytes):
        self.secret = secret
        """What handles and sessions are signed with."""
        self.rng: random.Random = random.SystemRandom()
        """Where hidden tests stand; nobody can foretell it."""
        self._journal = journal
        self._handles: dict[str, dict[str, tuple[str, str]]] = {}

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while the state changes; the same thread may take it again (an RLock)."""
        return self._journal.lock

    @property
    def state(self) -> State:
        """What follows from the events."""
        return self._journal.state

    @property
    def store(self) -> "Store":
        """The log."""
        return self._journal.store

    @property
    def wellbeing(self) -> WellBeing:
        """What protects people, as it is in force now."""
        return self.state.protocol.wellbeing

    def page(self, person: str, now: float | None = None) -> Page:
        """Give somebody what they are to judge now; it is theirs for a while."""

        def operation() -> Page:
            at = moment(now)
            self._person(person)
            self._follow(at)
            allowed = allowance(self.state, person, at)
            given = next_page(self.state, person, at, self.rng)
            lease = self.state.protocol.lease_minutes * 60
            shown = []
            for each in given:
                until = self.state.items[each.item].steps[each.step].leases.get(person, 0.0)
                # Who comes back to a page that is half over gets the whole time again.
                if until - at < lease / 2:
                    data = {"until": at + lease, "page": len(given)}
                    shown.append(Event("shown", at, each.item, person, each.step, data))
            self._journal.record(shown)
            items = tuple(self._page_item(person, each.item, each.step) for each in given)
            why = None if items else allowed.why or self._nothing_left()
            return Page(items, allowed.left, why, allowed.break_due)

        return self._journal.run(operation)

    def resolve(self, person: str, handle: str) -> tuple[str, str]:
        """Return the item and the step that a handle stands for before this person."""
        # A handle never comes to mean something else: one that is known needs no lock, and so no
        # wait for the disk.
        place = self._handles.get(person, {}).get(handle)
        if place is not None:
            return place
        with self.lock:
            known = self._handles.setdefault(person, {})
            if handle not in known:
                known.update(
                    (handle_of(self.secret, person, item, step), (item, step))
                    for item, step in self._journal.shown_to(person)
                )
            if handle not in known:
                raise InputError(_NOT_GIVEN)
            return known[handle]

    def answer(
        self,
        person: str,
        item: str,
        step: str,
        answers: Mapping[str, Any],
        seconds: float | None = None,
        key: str | None = None,
        now: float | None = None,
    ) -> Answer:
        """Take an answer; the same key again is the same answer, and changes nothing.

        While the time of the page runs, it may be given anew, and the later one counts. That holds
        for every item alike, so that nobody learns from it which one is a test.
        """

        def operation() -> Answer:
            at = moment(now)
            found, rule = self._item(item), self._step(step)
            part = found.steps[step]
            if key is not None and self._journal.has(key) and person in part.answers:
                return part.answers[person]
            who = self._worker(person)
            self._need_shown(person, item, step)
            if person in part.answers:
                if at > self._journal.shown_to(person)[item, step]:
                    raise InputError(
                        "The time to change this answer is over; it is kept as you gave it."
                    )
            elif (allowed := allowance(self.state, person, at)).left == 0:
                raise InputError(allowed.why or "Enough for today; come back tomorrow.")
            if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
                raise InputError(f"Found {seconds!r} seconds; expected a number of 0 or more.")
            cleaned = check_answers(rule, answers, found.text)
            data = {"answers": cleaned, "seconds": seconds}
            self._record(Event("answered", at, item, who.id, step, data, key))
            return self.state.items[item].steps[step].answers[person]

        return self._journal.run(operation)

    def skip(
        self,
        person: str,
        item: str,
        step: str,
        reason: str = "",
        key: str | None = None,
        now: float | None = None,
    ) -> None:
        """Let somebody pass an item by; it goes to others, and nobody is asked why.

        It comes back to them once, when nothing else is left. An answer takes the skip back.
        """

        def operation() -> None:
            who = self._worker(person)
            part = self._item(item).steps[self._step(step).id]
            self._need_shown(person, item, step)
            if person in part.answers or (person in part.skipped and person not in part.leases):
                return
            data = {"reason": reason[:MOST_NOTE]}
            self._record(Event("skipped", moment(now), item, who.id, step, data, key))

        self._journal.run(operation)

    def give_back(self, person: str, now: float | None = None) -> None:
        """Give all that somebody has before them back, so that others can have it."""

        def operation() -> None:
            at = moment(now)
            held = self.state.leased(self._person(person).id, at)
            self._journal.record([Event("returned", at, item, person, step) for item, step in held])
            self._follow(at)

        self._journal.run(operation)

    # ---- inside an operation ----------------------------------------------------------------

    def _record(self, event: Event) -> None:
        """Let an event happen, and whatever follows from it by the rules of trust."""
        self._journal.record([event])
        self._follow(event.at)

    def _follow(self, at: float) -> None:
        """Remove and re-admit whom the rules of trust name.

        Nobody is removed in the middle of a page: whoever were refused right after one answer would
        know which item had been the test.
        """
        failing = [name for name in self.state.to_remove() if not self.state.leased(name, at)]
        why = {"why": "trust"}
        self._journal.record([Event("removed", at, None, name, data=why) for name in failing])
        redeemed = self.state.to_readmit()
        self._journal.record([Event("re-admitted", at, None, name, data=why) for name in redeemed])

    def _about(self, event: Event, statuses: tuple[str, ...]) -> None:
        """Record an event about a person whose status lets it happen."""

        def operation() -> None:
            who = self._person(event.annotator or "")
            if who.status not in statuses:
                raise InputError(
                    f"{who.name} is {who.status}; expected somebody who is {' or '.join(statuses)}."
                )
            self._record(event)

        self._journal.run(operation)

    def _person(self, name: str) -> Person:
        if name not in self.state.people:
            raise unknown_name("person", name, list(self.state.people))
        return self.state.people[name]

    def _worker(self, name: str) -> Person:
        """Return somebody who may work now."""
        who = self._person(name)
        if who.status == "removed":
            raise InputError("Your part in this project has ended. Thank you for your work.")
        if who.status == "revoked":
            raise InputError("This invitation has ended; ask the owner of the project.")
        if self.wellbeing.consent.strip() and who.consented is None:
            raise InputError("Read the first page and agree to it before you begin.")
        return who

    def _need_shown(self, person: str, item: str, step: str) -> None:
        if (item, step) not in self._journal.shown_to(person):
            raise InputError(_NOT_GIVEN)

    def _item(self, name: str) -> Item:
        if name not in self.state.items:
            raise InputError(f"There is no item '{name}' in this project.")
        return self.state.items[name]

    def _step(self, name: str) -> Step:
        for step in self.state.protocol.steps:
            if step.id == name:
                return step
        raise unknown_name("step", name, [step.id for step in self.state.protocol.steps])

    def _page_item(self, person: str, item: str, step: str) -> PageItem:
        found, rule = self.state.items[item], self._step(step)
        context = {name: found.context[name] for name in rule.context if name in found.context}
        handle = handle_of(self.secret, person, item, step)
        self._handles.setdefault(person, {})[handle] = (item, step)
        others = self._others(person, item, rule)
        again = self.state.may_come_back(person, item, step)
        return PageItem(handle, item, step, found.text, context, others, again)

    def _others(self, person: str, item: str, step: Step) -> tuple[Mapping[str, Any], ...]:
        """Return the answers that a referee decides between; nobody else is told of any."""
        if step.entry is None or "annotator" in (step.role, self.state.people[person].role):
            return ()
        given = self.state.counted(item, step.entry.step)

        # The same order each time, another for each item: nobody is "A" throughout.
        def place(answer: Answer) -> str:
            return handle_of(self.secret, answer.annotator, item, f"{step.id} others")

        return tuple(dict(answer.answers) for answer in sorted(given, key=place))

    def _nothing_left(self) -> str:
        if self.state.finished():
            return "Everything has been judged; thank you."
        return "There is nothing for you at the moment; what is left is with others."


def moment(now: float | None) -> float:
    """Return the time that was given, or that of the clock."""
    return time.time() if now is None else now
