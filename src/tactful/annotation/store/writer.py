"""One writer at a time: who holds a store for writing, and what a second one is told.

Both locks are the operating system's or the server's own: a process that is killed holds none.
"""

import sqlite3
import time
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from tactful.annotation.store.url import database_file, shown
from tactful.errors import InputError

_NUMBER = 0x7AC7_F01E
"""Ours among the advisory locks of a database of PostgreSQL."""
_PATIENCE = 3.0
"""Seconds: the server needs a moment to see that a killed process has gone."""
_PAUSE = 0.05


class WriterLock(Protocol):
    """What says that this process may write."""

    def take(self, connection: sa.Connection) -> None:
        """Take it, or raise a sentence; ``connection`` is the one that will write."""

    def release(self) -> None:
        """Let others write."""


def writer_lock(url: sa.URL) -> WriterLock:
    """Return the lock that suits a store."""
    return _FileLock(url) if url.get_backend_name() == "sqlite" else _AdvisoryLock(url)


class _FileLock:
    """A lock of SQLite on a file beside the store: the same on every system."""

    def __init__(self, url: sa.URL):
        path = database_file(url)
        self._path = path.with_name(path.name + ".lock")
        self._held: sqlite3.Connection | None = None

    def take(self, connection: sa.Connection) -> None:
        if self._held is not None:
            return
        held = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            held.close()
            raise _refusal(str(self._path.with_suffix("")), error) from None
        self._held = held

    def release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None


class _AdvisoryLock:
    """A lock of PostgreSQL that the writing connection itself holds: it ends with it."""

    def __init__(self, url: sa.URL):
        self._where = shown(url)

    def take(self, connection: sa.Connection) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            with connection.begin():
                got = connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_NUMBER)))
            if got:
                return
            if time.monotonic() > end:
                raise _refusal(self._where)
            time.sleep(_PAUSE)

    def release(self) -> None:
        """Do nothing: closing the connection releases it."""


def _refusal(where: str, error: sqlite3.Error | None = None) -> InputError:
    if error is not None and "locked" not in str(error):
        return InputError(f"{where}: the store cannot be held for writing ({error}).")
    return InputError(
        f"{where}: another process is writing to this project, probably 'tactful annotate serve'; "
        "only one can write at a time. Stop it with Ctrl-C, run this command again, then start it "
        "again: answers that people give meanwhile wait in their browsers. Invitations, removals "
        "and decisions need no stop: make them on the owner's pages."
    )


def is_database(path: Path) -> bool:
    """Say whether a file begins as one of SQLite does; an empty one is new."""
    with path.open("rb") as file:
        start = file.read(16)
    return not start or start == b"SQLite format 3\x00"
