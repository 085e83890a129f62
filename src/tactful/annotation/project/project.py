"""A project: a folder with a protocol, a log of events, and the state that follows from them."""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast, get_args

from tactful.annotation.answers.answers import check_answers, check_traits
from tactful.annotation.project.exchange import Invitation, NewAnswer, NewItem, Page, PageItem
from tactful.annotation.project.files import (
    PASSWORD_FILE,
    PROTOCOL_FILE,
    Plan,
    check_name,
    load_plan_protocol,
    read_password,
    read_plan,
    read_secret,
    write_plan,
    write_private,
    write_secret,
)
from tactful.annotation.project.importing import check_test, events_of
from tactful.annotation.project.tokens import find_person, hashed, new_person, new_token
from tactful.annotation.project.work import MOST_NOTE, Work, moment
from tactful.annotation.protocol.changes import check_settings
from tactful.annotation.protocol.records import Protocol, Role
from tactful.annotation.state.items import Answer
from tactful.annotation.state.people import Person
from tactful.annotation.store.events import Event
from tactful.errors import InputError, MissingExtraError, UsageError
from tactful.files import atomic_folder
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.annotation.store.log import Store

__all__ = ["Invitation", "NewAnswer", "NewItem", "Page", "PageItem", "Project"]

_DECIDERS = ("referee", "owner")


class Project(Work):
    """A project that is open; :meth:`create` makes one, :meth:`open` opens it.

    Every method may be called from any thread. What it changes is on disk when it returns. To look
    at :attr:`state` while others may write, hold :attr:`lock`.
    """

    def __init__(self, folder: Path, plan: Plan, protocol: Protocol, store: "Store"):
        from tactful.annotation.store.journal import Journal

        super().__init__(Journal(protocol, store), read_secret(folder))
        self.folder = folder
        self.name = plan.name
        self.protocol = protocol
        """As it was when the project began; ``state.protocol`` has the settings in force."""

    @classmethod
    def create(
        cls,
        folder: str | Path,
        protocol: str | Path,
        *,
        name: str | None = None,
        store: str | None = None,
    ) -> "Project":
        """Make the folder of a project and open it; nothing is left where that fails.

        ``protocol`` is the name of one that comes with Tactful, or the path of a YAML file, which
        is copied. ``store`` is a URL (:mod:`tactful.annotation.store.url`); without it the log is a
        file in the folder.
        """
        from tactful.annotation.protocol.load import PROTOCOLS, copy_protocol, load_protocol

        _need_database()
        from tactful.annotation.store.log import open_store
        from tactful.annotation.store.url import DEFAULT_URL, without_password

        folder = Path(folder)
        load_protocol(protocol)
        built_in = str(protocol) in PROTOCOLS
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
        """Open a project. With ``read_only`` it can be looked at while a server works on it."""
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
        except BaseException:  # also an interrupt: the store must not stay locked; raised again
            store.close()
            raise

    def close(self) -> None:
        """Let the project go, so that another process may open it."""
        self.store.close()

    def __enter__(self) -> "Project":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- items ------------------------------------------------------------------------------

    def add_items(self, items: Iterable[NewItem], now: float | None = None) -> int:
        """Bring items in, all or none; return how many are new. What is wrong is one error."""
        given = list(items)

        def operation() -> int:
            before = len(self.state.items)
            self._journal.record(events_of(self.state, given, moment(now)))
            return len(self.state.items) - before

        return self._journal.run(operation)

    def edit_gold(
        self, item: str, gold: Mapping[str, Any] | None, now: float | None = None
    ) -> None:
        """Give a test other right answers, or none, or make a test of an item."""

        def operation() -> None:
            found = self._item(item)
            kind = "gold-edited" if found.is_test else "tested"
            if gold is None and not found.is_test:
                raise InputError(f"The item '{item}' is no test; there is nothing to take away.")
            cleaned = None if gold is None else check_test(self.state.protocol, gold, found.text)
            self._record(Event(kind, moment(now), item, data={"gold": cleaned}))  # type: ignore[arg-type]

        self._journal.run(operation)

    def adjudicate(
        self,
        person: str,
        item: str,
        step: str,
        answers: Mapping[str, Any],
        note: str = "",
        now: float | None = None,
    ) -> Answer:
        """Decide what an item is in a step, whatever was judged; a referee or an owner may."""

        def operation() -> Answer:
            who = self._person(person)
            if who.role not in _DECIDERS or who.status != "active":
                raise InputError(
                    f"{who.name} ({who.role}, {who.status}) cannot decide; expected a referee or "
                    "an owner who is active."
                )
            found = self._item(item)
            if found.is_test:
                raise InputError(f"The item '{item}' is a test; edit its right answers instead.")
            cleaned = check_answers(self._step(step), answers, found.text)
            data = {"answers": cleaned, "note": note[:MOST_NOTE]}
            self._record(Event("adjudicated", moment(now), item, person, step, data))
            return cast(Answer, found.steps[step].decision)

        return self._journal.run(operation)

    # ---- people -----------------------------------------------------------------------------

    def invite(
        self, role: Role, name: str, *, person: str | None = None, now: float | None = None
    ) -> Invitation:
        """Let somebody in; the token is told only now. With ``person``: a new one for them."""
        if role not in get_args(Role):
            raise unknown_name("role", role, list(get_args(Role)))
        plain = check_name(name)

        def operation() -> Invitation:
            if person is not None:
                self._person(person)
            who = person or new_person(role, self.state.people)
            token = new_token()
            data = {"role": role, "name": plain, "token": hashed(token)}
            self._record(Event("invited", moment(now), None, who, data=data))
            return Invitation(who, token)

        return self._journal.run(operation)

    def revoke(self, person: str, now: float | None = None) -> None:
        """End the invitation of somebody at once; what they judged still counts."""
        self._about(Event("revoked", moment(now), None, person), ("active", "removed"))

    def remove(self, person: str, reason: str = "", now: float | None = None) -> None:
        """Let the judgements of somebody no longer count, and give them no more."""
        data = {"why": "owner", "reason": reason[:MOST_NOTE]}
        self._about(Event("removed", moment(now), None, person, data=data), ("active",))

    def readmit(self, person: str, reason: str = "", now: float | None = None) -> None:
        """Let the judgements of somebody who was removed count again."""
        data = {"why": "owner", "reason": reason[:MOST_NOTE]}
        self._about(Event("re-admitted", moment(now), None, person, data=data), ("removed",))

    def who(self, token: str) -> Person | None:
        """Return whom a token lets in; None for one that is unknown or was revoked."""
        with self.lock:
            return find_person(self.state.people.values(), token)

    def consent(self, person: str, traits: Mapping[str, Any], now: float | None = None) -> None:
        """Note that somebody agreed, and what they said of themselves."""
        data = {"traits": check_traits(self.protocol.traits, traits)}
        self._about(Event("consented", moment(now), None, person, data=data), ("active",))

    def change(self, settings: Mapping[str, Any], now: float | None = None) -> None:
        """Change what may be changed while a project runs."""

        def operation() -> None:
            # What is in force already is looked at, too: each change alone may be good, and both
            # together ask for fewer judgements at most than at least.
            check_settings(self.protocol, {**self.state.settings, **settings})
            self._record(Event("settings-changed", moment(now), data=dict(settings)))

        self._journal.run(operation)


def _need_database() -> None:
    if find_spec("sqlalchemy") is None or find_spec("alembic") is None:
        raise MissingExtraError("annotate", "A project of annotation")
