"""A snapshot: a file with the state after some event, so that a project opens faster.

The log is the truth, and a snapshot can be deleted at any time. It is used only if its content is
complete, if the same code and protocol made it, and if the log still begins with the same events;
otherwise the log is read from its first event.

The first line of the file says all this; the rest is the state as JSON
(:mod:`tactful.annotation.state.snapshot`).
"""

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tactful import __version__
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State, paused_collection
from tactful.annotation.state.snapshot import data_of, numbering_of, state_of
from tactful.annotation.store.events import Event
from tactful.annotation.store.log import Store
from tactful.errors import InputError
from tactful.files import atomic_path

SNAPSHOT_FILE = "snapshot.json"
FORMAT = 1
_LOGGER = logging.getLogger(__name__)
_CODE = ("state", "protocol", "store")
"""The packages whose code decides what a state is."""


class LogDigest:
    """The SHA-256 of the first events of a log."""

    def __init__(self) -> None:
        self.number = 0
        """The last event in it."""
        self._sha = sha256()

    def extend(self, store: Store, number: int) -> str:
        """Add the events up to a number; return the digest."""
        for part in store.read_raw(self.number, number):
            self._sha.update(part)
        self.number = number
        return self._sha.hexdigest()


@dataclass(slots=True)
class Derived:
    """What is derived from a log: the state, and what the journal remembers of it."""

    state: State
    keys: set[str] = field(default_factory=set)
    """The keys of all events."""
    shown: dict[str, dict[tuple[str, str], float]] = field(default_factory=dict)
    """Everything that people were ever given: person -> item and step -> end of the lease."""
    digest: LogDigest = field(default_factory=LogDigest)

    def note(self, event: Event) -> None:
        """Remember an event."""
        if event.key is not None:
            self.keys.add(event.key)
        if event.kind == "shown":
            place = (event.item or "", event.step or "")
            self.shown.setdefault(event.annotator or "", {})[place] = event.data["until"]

    def extend(self, events: Iterable[Event]) -> None:
        """Apply the rest of the log."""
        self.state.extend(self._noted(events))

    def _noted(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            self.note(event)
            yield event


def load_snapshot(path: Path, protocol: Protocol, store: Store) -> Derived | None:
    """Return what a snapshot holds; None if there is none that can be used."""
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline())
            content = file.read()
        problem = _problem(head, content, protocol)
        if problem is None:
            data, digest = json.loads(content), LogDigest()
            if digest.extend(store, data["state"]["number"]) == head["log"]:
                return _derived(data, protocol, digest)
            problem = "the log has other events"
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        problem = f"it cannot be read: {type(error).__name__}"
    _LOGGER.info("%s: this snapshot is not used (%s); the whole log is read.", path, problem)
    return None


def _problem(head: Any, content: bytes, protocol: Protocol) -> str | None:
    """Say why a snapshot cannot be used, as far as it tells itself."""
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        return "another format"
    if head.get("made_by") != made_by(protocol):
        return "made by another version of Tactful or of the protocol"
    if head.get("content") != sha256(content).hexdigest():
        return "it is damaged"
    return None


def _derived(data: dict[str, Any], protocol: Protocol, digest: LogDigest) -> Derived:
    with paused_collection():
        state = state_of(protocol, data["state"])
        places = numbering_of(state).places()
        shown = {
            name: {places[at]: until for at, until in zip(numbers, ends, strict=True)}
            for name, (numbers, ends) in data["shown"].items()
        }
        return Derived(state, set(data["keys"]), shown, digest)


def write_snapshot(path: Path, derived: Derived, protocol: Protocol, store: Store) -> None:
    """Write a snapshot; all its events must be on disk."""
    state = derived.state
    number = numbering_of(state).number
    shown = {
        name: ([number(place) for place in places], list(places.values()))
        for name, places in derived.shown.items()
    }
    whole = {"state": data_of(state), "keys": sorted(derived.keys), "shown": shown}
    content = json.dumps(whole, allow_nan=False, separators=(",", ":")).encode("ascii")
    head = {
        "format": FORMAT,
        "made_by": made_by(protocol),
        "log": derived.digest.extend(store, state.number),
        "content": sha256(content).hexdigest(),
    }
    if store.last < state.number:
        raise InputError(f"{store.where}: found fewer events than the state has; read it again.")
    # What a process that was killed left behind.
    for left in path.parent.glob(f".{path.name}.*"):
        left.unlink(missing_ok=True)
    with atomic_path(path, force=True) as temporary, temporary.open("wb") as file:
        file.write(json.dumps(head).encode("ascii") + b"\n")
        file.write(content)


def made_by(protocol: Protocol) -> str:
    """Return a digest of the code and the protocol that make a state of a log."""
    return sha256(f"{_code()} {protocol!r}".encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code() -> str:
    found = sha256(__version__.encode("ascii"))
    room = Path(__file__).parents[1]
    for path in sorted(path for name in _CODE for path in (room / name).glob("*.py")):
        found.update(path.name.encode("utf-8") + b"\0" + path.read_bytes())
    return found.hexdigest()
