"""State and store together: operations that wait at the same time share one transaction.

The thread with the lock does the work of all that wait: each operation reads the state and records
its events, and the next one sees them. Then all events are written together, and only then do the
operations return. So nobody sees what is not on disk, one wait for the disk serves many people,
and the log has the order in which things happened.
"""

import gc
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State, paused_collection
from tactful.annotation.store.events import Event
from tactful.annotation.store.log import Store
from tactful.annotation.store.snapshots import Derived, load_snapshot, write_snapshot
from tactful.errors import OutputError, TactfulError

T = TypeVar("T")
_LOGGER = logging.getLogger(__name__)
_AT_ONCE = 256
"""Maximum number of operations that share a transaction."""
WORTH_IT = 5_000
"""Number of events after a snapshot from which a new one is written."""
_LONG_LOG = 2_000
"""Number of events from which a garbage collection is noticeable."""


class _Ticket:
    """A waiting operation and its result."""

    __slots__ = ("done", "error", "operation", "result")

    def __init__(self, operation: Callable[[], Any]):
        self.operation = operation
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class Journal:
    """The log of a project with its state."""

    def __init__(self, protocol: Protocol, store: Store, snapshot: Path):
        self.lock = threading.RLock()
        self.store = store
        self.snapshot_number = 0
        """The number of the last event in the snapshot; 0 without one that can be used."""
        self._derived = Derived(State(protocol))
        self._protocol = protocol
        self._snapshot = snapshot
        self._waiting: deque[_Ticket] = deque()
        self._pending: list[Event] = []
        self._stale = False
        self.listeners: list[Callable[[Sequence[Event]], None]] = []
        """Called with events when they are on disk, with the lock held; they must be quick."""
        self._derive()

    @property
    def state(self) -> State:
        """The state derived from the log."""
        return self._derived.state

    def run(self, operation: Callable[[], T]) -> T:
        """Run an operation that reads the state and may record events; return when all is on disk.

        An error of the operation is raised here, and its events are dropped.
        """
        ticket = _Ticket(operation)
        self._waiting.append(ticket)
        with self.lock:
            while not ticket.done:
                self._serve()
        if ticket.error is not None:
            raise ticket.error
        return cast(T, ticket.result)

    def record(self, events: Sequence[Event]) -> list[Event]:
        """Record events, inside an operation only; events with a known key are dropped."""
        kept = []
        for event in events:
            if event.key is not None and event.key in self._derived.keys:
                continue
            numbered = replace(event, number=self.state.number + 1)
            self._pending.append(numbered)
            self.state.apply(numbered)
            self._derived.note(numbered)
            kept.append(numbered)
        return kept

    def has(self, key: str) -> bool:
        """Say whether an event with this key exists."""
        return key in self._derived.keys

    def shown_to(self, person: str) -> dict[tuple[str, str], float]:
        """Return everything that somebody was ever given: item and step -> end of the lease."""
        return self._derived.shown.setdefault(person, {})

    def _serve(self) -> None:
        """Run the waiting operations, write their events, and mark them as done."""
        tickets = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
        try:
            if self._stale:
                self._derive()
            begun: list[_Ticket] = []
            for ticket in tickets:
                begun.append(ticket)
                if self._broke(ticket):
                    self._write(begun)
                    self._derive()
                    begun = []
            self._write(begun)
        except TactfulError as error:
            for ticket in tickets:
                ticket.error = ticket.error or error
        finally:
            for ticket in tickets:
                ticket.done = True

    def _broke(self, ticket: _Ticket) -> bool:
        """Run an operation; say whether it failed after it had changed the state."""
        before = len(self._pending)
        try:
            ticket.result = ticket.operation()
        except BaseException as error:  # raised in the thread that waits for this ticket
            ticket.error = error
            changed = len(self._pending) > before
            del self._pending[before:]
            return changed
        return False

    def _write(self, tickets: Sequence[_Ticket]) -> None:
        pending, self._pending = self._pending, []
        if not pending:
            return
        try:
            kept = self.store.append(pending)
            if [event.number for event in kept] != [event.number for event in pending]:
                raise OutputError(
                    f"{self.store.where}: another program has written to the log; expected one "
                    "writer; stop all servers of this project and start one."
                )
        except TactfulError as error:
            for ticket in tickets:
                ticket.error = ticket.error or error
            self._stale = True
            # Unwritten events must not be seen; if the store is away, the next call tries again.
            with suppress(TactfulError):
                self._derive()
            return
        for listener in self.listeners:
            try:
                listener(pending)
            except Exception as error:  # the events are on disk already
                _LOGGER.error("A listener failed (%s)", type(error).__name__)

    def save_snapshot(self) -> bool:
        """Write the state beside the log and say whether it was possible; a failure is logged."""
        with self.lock:
            if self._stale:
                return False
            try:
                write_snapshot(self._snapshot, self._derived, self._protocol, self.store)
            except (TactfulError, OSError, ValueError, LookupError) as error:
                _LOGGER.warning("%s: no snapshot was written (%s)", self._snapshot, error)
                return False
            self.snapshot_number = self.state.number
            return True

    def close(self) -> None:
        """Write a snapshot if it would save time, and close the store."""
        if not self.store.read_only and self.state.number - self.snapshot_number >= WORTH_IT:
            self.save_snapshot()
        self.store.close()
        gc.unfreeze()

    def _derive(self) -> None:
        """Derive the state from the log, or from a snapshot and the rest of the log."""
        self._stale = True
        self._pending = []
        # If reading fails, nothing of the old state may be seen.
        self._derived = Derived(State(self._protocol))
        gc.unfreeze()
        with paused_collection():
            found = load_snapshot(self._snapshot, self._protocol, self.store)
            self.snapshot_number = 0 if found is None else found.state.number
            derived = found or Derived(State(self._protocol))
            derived.extend(self.store.read(self.snapshot_number))
            self._derived = derived
            if self.state.number > _LONG_LOG:
                # The collector would look at everything while somebody waits for a page.
                gc.freeze()
        self._stale = False
