"""A project: a folder with a protocol, a log of events, and the state derived from them."""

import math
import random
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast, get_args

from tactful.annotation.answers.answers import check_answers, check_traits
from tactful.annotation.project.exchange import Invitation, NewAnswer, NewItem, Page, PageItem
from tactful.annotation.project.files import (
    PASSWORD_FILE,
    PROTOCOL_FILE,
    Plan,
    check_name,
    find_person,
    handle_of,
    hashed,
    load_plan_protocol,
    new_person,
    new_token,
    read_password,
    read_plan,
    read_secret,
    write_plan,
    write_private,
    write_secret,
)
from tactful.annotation.project.importing import check_test, events_of
from tactful.annotation.protocol.changes import check_settings
from tactful.annotation.protocol.records import Protocol, Role, Step, WellBeing
from tactful.annotation.state.assignment import allowance, next_page
from tactful.annotation.state.items import Answer, Item
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event
from tactful.errors import InputError, MissingExtraError, UsageError
from tactful.files import atomic_folder
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.annotation.store.log import Store

__all__ = ["Invitation", "NewAnswer", "NewItem", "Page", "PageItem", "Project"]

P = ParamSpec("P")
T = TypeVar("T")

_DECIDERS = ("referee", "owner")
MOST_NOTE = 2_000
"""Maximum length of a note or a reason; the rest is cut."""
_NOT_GIVEN = "This item was not given to you; load the page again."


def _operation(
    method: "Callable[Concatenate[Project, P], T]",
) -> "Callable[Concatenate[Project, P], T]":
    """Run a method as one operation of the journal: its events are on disk when it returns."""

    @wraps(method)
    def run(self: "Project", /, *arguments: P.args, **options: P.kwargs) -> T:
        return self._journal.run(lambda: method(self, *arguments, **options))

    return run


class Project:
    """An open project; use :meth:`create` or :meth:`open` to get one.

    Every method may be called from any thread. Its changes are on disk when it returns. Hold
    :attr:`lock` to read :attr:`state` while other threads may write.
    """

    def __init__(self, folder: Path, plan: Plan, protocol: Protocol, store: "Store"):
        from tactful.annotation.store.journal import Journal

        self.secret = read_secret(folder)
        """The key that signs handles and sessions."""
        self.rng: random.Random = random.SystemRandom()
        """Places hidden tests, unpredictably."""
        self.folder = folder
        self.name = plan.name
        self.protocol = protocol
        """The protocol without changed settings; ``state.protocol`` has the current ones."""
        self._journal = Journal(protocol, store)
        self._handles: dict[str, dict[str, tuple[str, str]]] = {}

    @classmethod
    def create(
        cls,
        folder: str | Path,
        protocol: str | Path,
        *,
        name: str | None = None,
        store: str | None = None,
    ) -> "Project":
        """Create the folder of a project and open it; a failure leaves nothing behind.

        ``protocol`` is a name, or the path of a YAML file; a file that does not come with Tactful
        is copied. ``store`` is a URL (see :mod:`tactful.annotation.store.engine`); without it the
        log is a file in the folder.
        """
        from tactful.annotation.protocol.load import PROTOCOLS, copy_protocol, load_protocol

        _need_database()
        from tactful.annotation.store.engine import DEFAULT_URL, without_password
        from tactful.annotation.store.log import open_store

        folder = Path(folder)
        load_protocol(protocol)
        # A project keeps a copy of the protocol of a plug-in, which may change or go away.
        built_in = str(protocol) in PROTOCOLS.built_in
        url, password = without_password(store or DEFAULT_URL)
        plan = Plan(
            check_name(name or folder.resolve().name),
            str(protocol) if built_in else PROTOCOL_FILE,
            url,
        )
        with atomic_folder(folder) as temporary:
            write_plan(temporary, plan)
            write_secret(temporary)
            if password is not None:
                write_private(temporary / PASSWORD_FILE, password)
            if not built_in:
                copy_protocol(protocol, temporary / PROTOCOL_FILE)
            with open_store(url, base=temporary, password=password) as made:
                if made.last:
                    raise UsageError(
                        f"{made.where}: found a store with {made.last:,} events; expected an empty "
                        "one; name another, or open the project that it belongs to."
                    )
        return cls.open(folder)

    @classmethod
    def open(cls, folder: str | Path, *, read_only: bool = False) -> "Project":
        """Open a project; ``read_only`` works while a server has it open for writing."""
        _need_database()
        from tactful.annotation.store.log import open_store

        folder = Path(folder)
        plan = read_plan(folder)
        protocol = load_plan_protocol(folder, plan)
        store = open_store(
            plan.store, base=folder, read_only=read_only, password=read_password(folder)
        )
        try:
            return cls(folder, plan, protocol, store)
        except BaseException:  # an interrupt, too, must not leave the store locked
            store.close()
            raise

    def close(self) -> None:
        """Close the project, so that another process can open it."""
        self.store.close()

    def __enter__(self) -> "Project":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while the state changes; reentrant (an RLock)."""
        return self._journal.lock

    @property
    def state(self) -> State:
        """The state derived from the log."""
        return self._journal.state

    @property
    def store(self) -> "Store":
        """The log."""
        return self._journal.store

    @property
    def wellbeing(self) -> WellBeing:
        """The current well-being settings."""
        return self.state.protocol.wellbeing

    # ---- annotating -----------------------------------------------------------------------------

    @_operation
    def page(self, person: str, now: float | None = None) -> Page:
        """Lease somebody their next page of items."""
        at = moment(now)
        self._person(person)
        self._follow(at)
        allowed = allowance(self.state, person, at)
        given = next_page(self.state, person, at, self.rng)
        lease = self.state.protocol.lease_minutes * 60
        shown = []
        for each in given:
            until = self.state.items[each.item].steps[each.step].leases.get(person, 0.0)
            # A page whose lease is half over is leased for the full time again.
            if until - at < lease / 2:
                data = {"until": at + lease, "page": len(given)}
                shown.append(Event("shown", at, each.item, person, each.step, data))
        self._journal.record(shown)
        items = tuple(self._page_item(person, each.item, each.step) for each in given)
        why = None if items else allowed.why or self._nothing_left()
        return Page(items, allowed.left, why, allowed.break_due)

    def resolve(self, person: str, handle: str) -> tuple[str, str]:
        """Return the item and the step of a person's handle."""
        # A handle never changes its meaning: a known one needs no lock, and no wait for the disk.
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

    @_operation
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
        """Record an answer; sending the same key again changes nothing.

        Until the lease of the page ends, a new answer replaces the old one. This holds for every
        item, so that it does not reveal which ones are tests.
        """
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
                    "The time to change this answer is over; your first answer is kept."
                )
        elif (allowed := allowance(self.state, person, at)).left == 0:
            raise InputError(allowed.why or "You have done enough for today; come back tomorrow.")
        if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
            raise InputError(f"Found {seconds!r} seconds; expected a number of 0 or more.")
        cleaned = check_answers(rule, answers, found.text)
        data = {"answers": cleaned, "seconds": seconds}
        self._record(Event("answered", at, item, who.id, step, data, key))
        return self.state.items[item].steps[step].answers[person]

    @_operation
    def skip(
        self,
        person: str,
        item: str,
        step: str,
        reason: str = "",
        key: str | None = None,
        now: float | None = None,
    ) -> None:
        """Skip an item for a person; it goes to others, and no reason is needed.

        It comes back to them once, when nothing else is left. An answer cancels the skip.
        """
        who = self._worker(person)
        part = self._item(item).steps[self._step(step).id]
        self._need_shown(person, item, step)
        if person in part.answers or (person in part.skipped and person not in part.leases):
            return
        data = {"reason": reason[:MOST_NOTE]}
        self._record(Event("skipped", moment(now), item, who.id, step, data, key))

    @_operation
    def give_back(self, person: str, now: float | None = None) -> None:
        """End the leases of a person, so that others can get the items."""
        at = moment(now)
        held = self.state.leased(self._person(person).id, at)
        self._journal.record([Event("returned", at, item, person, step) for item, step in held])
        self._follow(at)

    # ---- items ------------------------------------------------------------------------------

    def add_items(self, items: Iterable[NewItem], now: float | None = None) -> int:
        """Add items, all or none; return how many are new. All problems are one error."""
        given = list(items)

        def operation() -> int:
            before = len(self.state.items)
            self._journal.record(events_of(self.state, given, moment(now)))
            return len(self.state.items) - before

        return self._journal.run(operation)

    @_operation
    def edit_gold(
        self, item: str, gold: Mapping[str, Any] | None, now: float | None = None
    ) -> None:
        """Change or remove the right answers of a test, or make an item a test."""
        found = self._item(item)
        kind = "gold-edited" if found.is_test else "tested"
        if gold is None and not found.is_test:
            raise InputError(f"The item '{item}' is not a test; there is nothing to remove.")
        cleaned = None if gold is None else check_test(self.state.protocol, gold, found.text)
        self._record(Event(kind, moment(now), item, data={"gold": cleaned}))  # type: ignore[arg-type]

    @_operation
    def adjudicate(
        self,
        person: str,
        item: str,
        step: str,
        answers: Mapping[str, Any],
        note: str = "",
        now: float | None = None,
    ) -> Answer:
        """Record a decision of a referee or an owner, which overrules the judgements."""
        who = self._person(person)
        if who.role not in _DECIDERS or who.status != "active":
            raise InputError(
                f"{who.name} ({who.role}, {who.status}) cannot decide; expected an active "
                "referee or owner."
            )
        found = self._item(item)
        if found.is_test:
            raise InputError(f"The item '{item}' is a test; edit its right answers instead.")
        cleaned = check_answers(self._step(step), answers, found.text)
        data = {"answers": cleaned, "note": note[:MOST_NOTE]}
        self._record(Event("adjudicated", moment(now), item, person, step, data))
        return cast(Answer, found.steps[step].decision)

    # ---- people -----------------------------------------------------------------------------

    @_operation
    def invite(
        self, role: Role, name: str, *, person: str | None = None, now: float | None = None
    ) -> Invitation:
        """Invite somebody and return their token; ``person`` gets a new token instead."""
        if role not in get_args(Role):
            raise unknown_name("role", role, list(get_args(Role)))
        plain = check_name(name)
        if person is not None:
            self._person(person)
        who = person or new_person(role, self.state.people)
        token = new_token()
        data = {"role": role, "name": plain, "token": hashed(token)}
        self._record(Event("invited", moment(now), None, who, data=data))
        return Invitation(who, token)

    def revoke(self, person: str, now: float | None = None) -> None:
        """Revoke an invitation immediately; the person's judgements still count."""
        self._about(Event("revoked", moment(now), None, person), ("active", "removed"))

    def remove(self, person: str, reason: str = "", now: float | None = None) -> None:
        """Remove somebody: their judgements no longer count, and they get no more items."""
        data = {"why": "owner", "reason": reason[:MOST_NOTE]}
        self._about(Event("removed", moment(now), None, person, data=data), ("active",))

    def readmit(self, person: str, reason: str = "", now: float | None = None) -> None:
        """Count the judgements of a removed person again."""
        data = {"why": "owner", "reason": reason[:MOST_NOTE]}
        self._about(Event("re-admitted", moment(now), None, person, data=data), ("removed",))

    def who(self, token: str) -> Person | None:
        """Return the person of a token; None if it is unknown or revoked."""
        with self.lock:
            return find_person(self.state.people.values(), token)

    def consent(self, person: str, traits: Mapping[str, Any], now: float | None = None) -> None:
        """Record the consent and the traits of a person."""
        data = {"traits": check_traits(self.protocol.traits, traits)}
        self._about(Event("consented", moment(now), None, person, data=data), ("active",))

    @_operation
    def change(self, settings: Mapping[str, Any], now: float | None = None) -> None:
        """Change settings while a project runs."""
        # Together with earlier changes: each may be valid alone, and both together ask for a
        # maximum below the minimum.
        check_settings(self.protocol, {**self.state.settings, **settings})
        self._record(Event("settings-changed", moment(now), data=dict(settings)))

    # ---- inside an operation ----------------------------------------------------------------

    def _record(self, event: Event) -> None:
        """Record an event, and then the removals that the trust rules demand."""
        self._journal.record([event])
        self._follow(event.at)

    def _follow(self, at: float) -> None:
        """Remove and readmit people by the trust rules.

        Nobody is removed in the middle of a page: a refusal right after an answer would reveal
        which item was the test.
        """
        failing = [name for name in self.state.to_remove() if not self.state.leased(name, at)]
        why = {"why": "trust"}
        self._journal.record([Event("removed", at, None, name, data=why) for name in failing])
        redeemed = self.state.to_readmit()
        self._journal.record([Event("re-admitted", at, None, name, data=why) for name in redeemed])

    @_operation
    def _about(self, event: Event, statuses: tuple[str, ...]) -> None:
        """Record an event about a person whose status allows it."""
        who = self._person(event.annotator or "")
        if who.status not in statuses:
            raise InputError(f"{who.name} is {who.status}; expected {' or '.join(statuses)}.")
        self._record(event)

    def _person(self, name: str) -> Person:
        if name not in self.state.people:
            raise unknown_name("person", name, list(self.state.people))
        return self.state.people[name]

    def _worker(self, name: str) -> Person:
        """Return a person who may work now, or raise an error."""
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
        """Return the answers that a referee decides between; nobody else sees any."""
        if step.entry is None or "annotator" in (step.role, self.state.people[person].role):
            return ()
        given = self.state.counted(item, step.entry.step)

        # A fixed order that differs between items, so that nobody is always "A".
        def place(answer: Answer) -> str:
            return handle_of(self.secret, answer.annotator, item, f"{step.id} others")

        return tuple(dict(answer.answers) for answer in sorted(given, key=place))

    def _nothing_left(self) -> str:
        if self.state.finished():
            return "Everything has been judged; thank you."
        return "There is nothing for you at the moment; others are working on the rest."


def moment(now: float | None) -> float:
    """Return the given time, or the current one."""
    return time.time() if now is None else now


def _need_database() -> None:
    if find_spec("sqlalchemy") is None or find_spec("alembic") is None:
        raise MissingExtraError("annotate", "An annotation project")
