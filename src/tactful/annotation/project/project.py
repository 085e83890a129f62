"""A project: a folder with a protocol, a log of events, and the state derived from them."""

import math
import random
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from tactful.annotation.answers.answers import check_answers, check_traits
from tactful.annotation.project.exchange import (
    Invitation,
    NewAnswer,
    NewItem,
    NewSuggestion,
    Page,
    PageItem,
    letter_at,
)
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
from tactful.annotation.project.importing import (
    Added,
    arriving,
    check_test,
    new_ones,
    suggested,
    with_own_ids,
)
from tactful.annotation.protocol.changes import CROWD, check_settings
from tactful.annotation.protocol.records import Protocol, Role, Step, WellBeing
from tactful.annotation.protocol.versions import version_of, wording_of
from tactful.annotation.state.assignment import (
    QUOTA_DONE,
    SHARE_DONE,
    Given,
    allowance,
    day_of,
    items_ahead,
    next_page,
)
from tactful.annotation.state.crowd import SCREENED_SHARE, is_participant, read_crowd
from tactful.annotation.state.discussion import discussed
from tactful.annotation.state.items import Answer, Item, ItemStep
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State
from tactful.annotation.state.roles import ROLES, may
from tactful.annotation.state.teams import check_teams
from tactful.annotation.store.events import Event, Kind
from tactful.errors import InputError, MissingExtraError, UsageError
from tactful.files import atomic_folder
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.annotation.store.log import Store

__all__ = ["Invitation", "NewAnswer", "NewItem", "NewSuggestion", "Page", "PageItem", "Project"]

P = ParamSpec("P")
T = TypeVar("T")

MOST_NOTE = 2_000
"""Maximum length of a note or a reason; the rest is cut."""
MOST_AT_ONCE = 1_000
"""Maximum number of items that are closed, reopened or extended at once."""
MOST_MORE = 20
_MOST_LEASED = 60
"""How many items one person can hold at a time, at most, when they are given ahead."""
CROWD_CLOSED = "This study is closed; return to the platform that sent you."
_PART = 250
"""Items that are imported together while people annotate: a few milliseconds."""
_PAUSE = 0.002
"""Seconds between two parts; without a pause other threads would never get the lock."""
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
        from tactful.annotation.store.snapshots import SNAPSHOT_FILE

        self.secret = read_secret(folder)
        """The key that signs handles and sessions."""
        self.rng: random.Random = random.SystemRandom()
        """Places hidden tests, unpredictably."""
        self.folder = folder
        self.name = plan.name
        self.protocol = protocol
        """The protocol without changed settings; ``state.protocol`` has the current ones."""
        self._journal = Journal(protocol, store, folder / SNAPSHOT_FILE)
        self._importing = threading.Lock()
        self._handles: dict[str, dict[str, tuple[str, str]]] = {}

    @classmethod
    def create(
        cls,
        folder: str | Path,
        protocol: str | Path,
        *,
        name: str | None = None,
        store: str | None = None,
        secret: bytes | None = None,
    ) -> "Project":
        """Create the folder of a project and open it; a failure leaves nothing behind.

        ``protocol`` is a name, or the path of a YAML file; a file that does not come with Tactful
        is copied. ``store`` is a URL (see :mod:`tactful.annotation.store.engine`); without it the
        log is a file in the folder. ``secret``, 32 bytes that nobody can guess, is generated unless
        given; pass it only for a reproducible project, such as a demonstration.
        """
        from tactful.annotation.protocol.load import PROTOCOLS, copy_protocol, load_protocol

        _need_database()
        from tactful.annotation.store.engine import DEFAULT_URL, without_password
        from tactful.annotation.store.log import open_store

        folder = Path(folder)
        if folder.exists():
            raise UsageError(f"{folder}: it exists already; expected a new folder; name another.")
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
            write_secret(temporary, secret)
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
        self._journal.close()

    @property
    def unsaved(self) -> int:
        """How many events came after the snapshot."""
        return self.state.number - self._journal.snapshot_number

    def save_snapshot(self) -> bool:
        """Write the state beside the log, so that the project opens faster; it is optional."""
        return self._journal.save_snapshot()

    def take_snapshot(self, number: int) -> None:
        """Note that another process wrote a snapshot of the first ``number`` events."""
        self._journal.snapshot_number = number

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
    def listeners(self) -> list[Callable[[Sequence[Event]], None]]:
        """Functions that are called with events when they are on disk; they must be quick."""
        return self._journal.listeners

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
        return self._page(person, self._lease(person, at), at)

    @_operation
    def page_ahead(
        self,
        person: str,
        held: Collection[str] = (),
        sent: Collection[str] = (),
        now: float | None = None,
    ) -> Page:
        """Lease somebody enough pages that their browser does not wait for the network.

        Parameters
        ----------
        person : str
            Their id.
        held : collection of str
            The handles of items that the browser has and that are not answered: the one on the
            screen, and those to come. They are not given again, and their leases are prolonged.
        sent : collection of str
            The handles of items that are answered or skipped, if the server may not know it yet.
        now : float, optional
            The time, in seconds since 1970.
        """
        at = moment(now)
        self._person(person)
        self._follow(at)
        here = self._places(person, held)
        known = here | self._places(person, sent)
        live = {*self.state.leased(person, at)}
        self._prolong(person, [Given(*place) for place in here & live], at)
        ahead = items_ahead(self.state, person, at)
        given: list[Given] = []
        while len(here) + len(given) <= ahead:
            # A browser that reports many sent answers gets no more items until they arrive.
            if len(self.state.leased(person, at)) > _MOST_LEASED:
                break
            page = self._lease(person, at, known)
            if not page:
                break
            given += page
            known |= {(each.item, each.step) for each in page}
        return self._page(person, given, at, ahead)

    def _places(self, person: str, handles: Collection[str]) -> set[tuple[str, str]]:
        """Return the items and steps of handles; unknown ones are ignored."""
        known = self._handles_of(person, handles)
        return {known[handle] for handle in handles if handle in known}

    def _lease(self, person: str, at: float, held: Collection[tuple[str, str]] = ()) -> list[Given]:
        given = next_page(self.state, person, at, self.rng, held, self.secret)
        self._prolong(person, given, at)
        return given

    def _prolong(self, person: str, given: Sequence[Given], at: float) -> None:
        """Lease items for the full time, unless half of their lease is left."""
        lease = self.state.protocol.lease_minutes * 60
        shown = []
        for each in given:
            until = self.state.items[each.item].steps[each.step].leases.get(person, 0.0)
            if until - at < lease / 2:
                data = {"until": at + lease, "page": len(given), **self._shows(person, each)}
                shown.append(Event("shown", at, each.item, person, each.step, data))
        self._journal.record(shown)

    def _page(self, person: str, given: Sequence[Given], at: float, ahead: int = 0) -> Page:
        allowed = allowance(self.state, person, at)
        items = tuple(self._page_item(person, each.item, each.step) for each in given)
        why = None if items else allowed.why or self._nothing_left()
        today = self.state.people[person].days[day_of(at)]
        return Page(items, allowed.left, why, allowed.break_due, today, ahead)

    def resolve(self, person: str, handle: str) -> tuple[str, str]:
        """Return the item and the step of a person's handle."""
        # A handle never changes its meaning: a known one needs no lock, and no wait for the disk.
        place = self._handles.get(person, {}).get(handle)
        if place is not None:
            return place
        with self.lock:
            known = self._handles_of(person, (handle,))
            if handle not in known:
                raise InputError(_NOT_GIVEN)
            return known[handle]

    def _handles_of(self, person: str, wanted: Collection[str]) -> Mapping[str, tuple[str, str]]:
        """Return the known handles of a person; all of them are made if a wanted one is unknown."""
        known = self._handles.setdefault(person, {})
        if not known.keys() >= {*wanted}:
            known.update(
                (handle_of(self.secret, person, item, step), (item, step))
                for item, step in self._journal.shown_to(person)
            )
        return known

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

        It comes back to them once, when no other item is left. An answer cancels the skip.
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
        added = self.import_items(items, now=now)
        return added.items + added.tests

    def import_items(
        self,
        items: Iterable[NewItem],
        *,
        skip_existing: bool = False,
        check_only: bool = False,
        in_parts: bool = False,
        now: float | None = None,
    ) -> Added:
        """Add items, all or none, and return what was added. All problems are one error.

        Parameters
        ----------
        items
            Texts, hidden tests, and judgements with their texts.
        skip_existing
            Leave out items whose ids the project has, even if their texts differ.
        check_only
            Only return what would be added.
        in_parts
            Check all items first and then add some at a time, so that people who annotate do not
            wait. If this is interrupted, only the first ones are there; import all of them again.
        now
            The time; the current one by default.

        """
        given = list(items)
        if in_parts and not check_only:
            return self._import_in_parts(given, skip_existing, moment(now))

        def operation() -> Added:
            at = moment(now)
            events, added = arriving(self.state, given, at, skip_existing=skip_existing)
            if not check_only:
                self._journal.record(events)
            return added

        return self._journal.run(operation)

    def _import_in_parts(self, items: list[NewItem], skip_existing: bool, at: float) -> Added:
        with self._importing:
            # Without the lock: what changes meanwhile is found when a part is added.
            _, added = arriving(self.state, items, at, skip_existing=skip_existing)
            given = with_own_ids(self.state, items)
            kept = new_ones(self.state, given) if skip_existing else given

            def add(part: list[NewItem]) -> None:
                self._journal.record(arriving(self.state, part, at)[0])

            for start in range(0, len(kept), _PART):
                self._journal.run(partial(add, kept[start : start + _PART]))
                time.sleep(_PAUSE)
        return added

    @_operation
    def suggest(
        self, suggestions: Mapping[str, Iterable[NewSuggestion]], now: float | None = None
    ) -> int:
        """Record suggested answers by item, and return how many are new.

        A suggestion replaces the one before it, for people who have not been given the item yet.
        """
        at = moment(now)
        events = [
            event
            for item, given in suggestions.items()
            for event in suggested(self.state, self._item(item), given, at)
        ]
        self._journal.record(events)
        return len(events)

    @_operation
    def rank(
        self,
        first: Sequence[str],
        by: str,
        measured: Mapping[str, Any] | None = None,
        now: float | None = None,
    ) -> None:
        """Put items before all others, in this order, instead of those ranked before.

        Hidden tests have no place in the order, and everything else about who gets which item
        stays as it is. ``measured`` is what the ranking found out, as JSON data.
        """
        for item in first:
            self._item(item)
        if len({*first}) != len(first):
            raise InputError("Found an item twice in a ranking; expected each item once.")
        data = {"first": list(first), "by": by, **(measured or {})}
        self._record(Event("ranked", moment(now), data=data))

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
        if not may(who.role, "decide") or who.status != "active":
            raise InputError(
                f"{who.name} ({who.role}, {who.status}) cannot decide; expected an active "
                "referee, lead or owner."
            )
        found = self._item(item)
        if found.is_test:
            raise InputError(f"The item '{item}' is a test; edit its right answers instead.")
        cleaned = check_answers(self._step(step), answers, found.text)
        data = {"answers": cleaned, "note": note[:MOST_NOTE]}
        self._record(Event("adjudicated", moment(now), item, person, step, data))
        return cast(Answer, found.steps[step].decision)

    @_operation
    def discussions(self, person: str, most: int) -> list[PageItem]:
        """Return up to ``most`` disputed items that somebody may discuss, newest remarks first.

        The handles of the items are good for :meth:`remark`.
        """
        found = list(discussed(self.state, person))

        def latest(place: tuple[str, str]) -> float:
            return max((each.at for each in self.state.remarks.get(place, ())), default=0.0)

        found.sort(key=latest, reverse=True)
        return [self._discussed_item(person, item, step) for item, step in found[:most]]

    @_operation
    def remark(self, person: str, handle: str, text: str, now: float | None = None) -> None:
        """Say something about a disputed item before a referee decides it."""
        said = text.strip()[:MOST_NOTE]
        if not said:
            raise InputError("Write something first.")
        for item, step in discussed(self.state, person):
            if handle_of(self.secret, person, item, step) == handle:
                self._record(Event("remarked", moment(now), item, person, step, {"text": said}))
                return
        raise InputError("This text is not discussed any more; load the page again.")

    def close_items(self, items: Collection[str], now: float | None = None) -> int:
        """End the collection of judgements where they are still collected.

        What has enough judgements keeps its label; the rest gets none. Hidden tests stay.

        Parameters
        ----------
        items : collection of str
            The ids; at most 1,000 at once.
        now : float, optional
            The time, in seconds since 1970.

        Returns
        -------
        int
            How many items were changed.
        """
        return self._steer("closed", items, now, lambda part, _: part.status == "open")

    def reopen_items(self, items: Collection[str], now: float | None = None) -> int:
        """Undo :meth:`close_items`; return how many items were changed."""
        return self._steer("reopened", items, now, lambda part, _: part.closed)

    def ask_for_more(self, items: Collection[str], more: int = 1, now: float | None = None) -> int:
        """Ask for more judgements of items than the protocol does; return how many were changed.

        Items that a referee decided, and steps that need an exact number of judgements, stay.
        """
        if not 1 <= more <= MOST_MORE:
            raise InputError(f"Found {more} judgements more; expected 1 to {MOST_MORE}.")

        def is_meant(part: ItemStep, step: Step) -> bool:
            is_fixed = step.combine == "dpm_scale" or step.role != "annotator"
            return part.status != "waiting" and part.decision is None and not is_fixed

        return self._steer("extended", items, now, is_meant, {"more": more})

    @_operation
    def _steer(
        self,
        kind: Kind,
        items: Collection[str],
        now: float | None,
        is_meant: Callable[[ItemStep, Step], bool],
        data: Mapping[str, Any] | None = None,
    ) -> int:
        if len(items) > MOST_AT_ONCE:
            raise InputError(
                f"Found {len(items):,} items; expected at most {MOST_AT_ONCE:,} at once."
            )
        at = moment(now)
        found = [item for item in map(self._item, items) if not item.is_test]
        events = [
            Event(kind, at, item.id, step=step.id, data=data or {})
            for item in found
            for step in self.state.protocol.steps
            if is_meant(item.steps[step.id], step)
        ]
        self._journal.record(events)
        self._follow(at)
        return len({event.item for event in events})

    # ---- people -----------------------------------------------------------------------------

    @_operation
    def invite(
        self, role: Role, name: str, *, person: str | None = None, now: float | None = None
    ) -> Invitation:
        """Invite somebody and return their token; ``person`` gets a new token instead."""
        if role not in ROLES:
            raise unknown_name("role", role, list(ROLES))
        plain = check_name(name)
        if person is not None:
            self._person(person)
        who = person or new_person(role, self.state.people)
        token = new_token()
        data = {"role": role, "name": plain, "token": hashed(token)}
        self._record(Event("invited", moment(now), None, who, data=data))
        return Invitation(who, token)

    @_operation
    def take_in(
        self, participant: str, country: str = "", language: str = "", now: float | None = None
    ) -> Invitation | None:
        """Invite somebody whom a crowd platform sent; None if they are screened out.

        Who comes again is the same person, with a new token; the first answers to the questions
        for screening count.

        Parameters
        ----------
        participant
            Their id on the platform.
        country
            What they answered to the question for their country.
        language
            What they answered to the question for their first language.
        now
            The time; the current one by default.

        """
        crowd, at = self.state.crowd, moment(now)
        if crowd is None or not is_participant(participant):
            raise InputError(CROWD_CLOSED)
        sent = [each for each in self.state.people.values() if each.crowd is not None]
        known = next((each for each in sent if each.crowd == participant), None)
        if known is not None and known.status == "revoked":
            return None
        accepted = known is not None or crowd.accepts(country, language)
        inside = sum(each.status != "revoked" for each in sent)
        is_full = inside >= crowd.most or len(sent) >= SCREENED_SHARE * crowd.most
        if known is None and is_full:
            raise InputError(CROWD_CLOSED)
        who = known.id if known is not None else new_person("annotator", self.state.people)
        token = new_token()
        data: dict[str, Any] = {"role": "annotator", "name": participant, "crowd": participant}
        if known is None:
            data["screening"] = {"country": country, "language": language}
        if accepted:
            data["token"] = hashed(token)
        self._record(Event("invited", at, None, who, data=data))
        if not accepted:
            self._record(Event("revoked", at, None, who, data={"why": "screening"}))
            return None
        return Invitation(who, token)

    def completion_code(self, person: str, now: float | None = None) -> str:
        """Return the code that somebody takes back to their crowd platform; empty before the end.

        They have finished when they have answered something and their quota, their share or what
        they can take is done; not when it is only enough for today.
        """
        with self.lock:
            crowd, who = self.state.crowd, self._person(person)
            if crowd is None or who.crowd is None or who.status != "active" or not who.answered:
                return ""
            allowed = allowance(self.state, person, moment(now))
            is_over = allowed.left != 0 or allowed.why in (QUOTA_DONE, SHARE_DONE)
            return crowd.code if is_over else ""

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
        if not may(self._person(person).role, "work"):
            raise InputError("There is nothing for you to judge; you need not agree to anything.")
        data = {"traits": check_traits(self.protocol.traits, traits)}
        self._about(Event("consented", moment(now), None, person, data=data), ("active",))

    @_operation
    def change(self, settings: Mapping[str, Any], now: float | None = None) -> None:
        """Change settings while a project runs."""
        # Together with earlier changes: each may be valid alone, and both together ask for a
        # maximum below the minimum.
        merged = {**self.state.settings, **settings}
        check_settings(self.protocol, merged)
        check_teams(self.protocol, merged, self.state.people)
        read_crowd(merged.get(CROWD))
        self._record(Event("settings-changed", moment(now), data=dict(settings)))

    @_operation
    def record_wording(self, now: float | None = None) -> None:
        """Record the questions and the guideline, if they are others than before."""
        wording = wording_of(self.protocol)
        version = version_of(wording)
        known = self.state.wordings
        if not known or known[-1].version != version:
            data = {"version": version, "wording": wording}
            self._record(Event("worded", moment(now), data=data))

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
        others: tuple[Mapping[str, Any], ...] = ()
        remarks: tuple[tuple[str, str], ...] = ()
        if self._sees_others(person, rule):
            given = self._others(item, rule)
            others = tuple(dict(answer.answers) for answer in given)
            remarks = self._remarks(item, rule, given)
        again = self.state.may_come_back(person, item, step)
        seen = self.state.suggestions.seen(item, step, person)
        suggestion = seen.suggestion.answers if seen is not None and seen.shown else None
        return PageItem(
            handle, item, step, found.text, context, others, None, remarks, again, suggestion
        )

    def _discussed_item(self, person: str, item: str, step: str) -> PageItem:
        """Return an item as those see it who discuss it."""
        found, rule = self.state.items[item], self._step(step)
        given = self._others(item, rule)
        people = [answer.annotator for answer in given]
        return PageItem(
            handle_of(self.secret, person, item, step),
            item,
            step,
            found.text,
            {name: found.context[name] for name in rule.context if name in found.context},
            tuple(dict(answer.answers) for answer in given),
            people.index(person) if person in people else None,
            self._remarks(item, rule, given),
        )

    def _shows(self, person: str, given: Given) -> dict[str, str]:
        """Say in the event ``shown`` whether somebody sees the suggestion of an item, if any.

        They do not while a hidden test has none, which would reveal it, or if they were given
        the item before: their browser may still have it without the suggestion.
        """
        suggestions, share = self.state.suggestions, self.state.settings["blind_share"]
        is_known = (given.item, given.step) in self._journal.shown_to(person)
        if is_known or suggestions.of(given.item, given.step) is None:
            return {}
        tests = self.state.tests(given.step)
        if any(suggestions.of(test, given.step) is None for test in tests):
            return {}
        lot = int(handle_of(self.secret, person, given.item, f"{given.step} blind")[:8], 16)
        return {"suggestion": "blind" if lot < share * 16**8 else "shown"}

    def _sees_others(self, person: str, step: Step) -> bool:
        """Say whether somebody who judges in a step sees the answers that it decides between."""
        return step.entry is not None and "annotator" not in (
            step.role,
            self.state.people[person].role,
        )

    def _others(self, item: str, step: Step) -> list[Answer]:
        """Return the answers that a referee decides between."""
        given = [] if step.entry is None else self.state.counted(item, step.entry.step)

        # A fixed order that differs between items, so that nobody is always "A".
        def place(answer: Answer) -> str:
            return handle_of(self.secret, answer.annotator, item, f"{step.id} others")

        return sorted(given, key=place)

    def _remarks(
        self, item: str, step: Step, given: Sequence[Answer]
    ) -> tuple[tuple[str, str], ...]:
        """Return what was said, with the letters that the answers have."""
        letters = {answer.annotator: letter_at(at) for at, answer in enumerate(given)}
        said = self.state.remarks.get((item, step.id), ())
        return tuple((letters.get(each.annotator, ""), each.text) for each in said)

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
