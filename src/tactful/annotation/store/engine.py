"""Connections to a store: how they are made, and what is said where they fail."""

import logging
import sqlite3
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from tactful.annotation.store.tables import HEAD
from tactful.annotation.store.url import database_file, shown
from tactful.errors import InputError

_WAIT = 10
"""Seconds that SQLite waits for a reader, and that connecting to a server may take."""
_QUIET = "tactful"
FAILURES = (SQLAlchemyError, OSError)
"""What a database that fails raises; a lost connection is not always wrapped by its driver."""


class Reading:
    """A connection for one look, whose failure is one sentence."""

    def __init__(self, engine: sa.Engine, where: str):
        self._engine, self._where = engine, where

    def __enter__(self) -> sa.Connection:
        try:
            self._connection = self._engine.connect()
        except FAILURES as error:
            raise unreachable(self._where, error) from error
        return self._connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        if isinstance(value, FAILURES):
            raise unreachable(self._where, value) from value


def make_engine(url: sa.URL, read_only: bool) -> sa.Engine:
    """Return what makes connections that keep a promise: a commit is on disk when it returns."""
    if url.get_backend_name() == "sqlite":
        return _sqlite_engine(url, read_only)
    # A connection that the server closed meanwhile is noticed before it is used.
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=2,
        pool_logging_name=_QUIET,
        connect_args={"timeout": _WAIT},
    )
    # That closing a lost connection fails is no news; the sentence of the loss was said.
    logging.getLogger(f"sqlalchemy.pool.impl.QueuePool.{_QUIET}").setLevel(logging.CRITICAL)

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # Whatever the server's own default is.
        cursor.execute("SET synchronous_commit = on")
        if read_only:
            cursor.execute("SET default_transaction_read_only = on")
        connection.commit()

    return engine


def _sqlite_engine(url: sa.URL, read_only: bool) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"check_same_thread": False, "timeout": _WAIT})

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _: Any) -> None:
        # Without this the driver begins a transaction only before some statements.
        connection.isolation_level = None
        if read_only:
            connection.execute("PRAGMA query_only = ON")
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def _on_begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def migrate(connection: sa.Connection, where: str) -> None:
    """Bring the tables up to date, in the transaction of the connection."""
    revision = _revision(connection)
    if revision == HEAD:
        return
    _refuse_newer(revision, where)
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def refuse_unknown(connection: sa.Connection, where: str) -> None:
    """Refuse a database whose tables are not those that this Tactful reads."""
    revision = _revision(connection)
    if revision is None:
        raise InputError(
            f"{where}: found a database without events; expected the store of a project."
        )
    _refuse_newer(revision, where)
    if revision != HEAD:
        raise InputError(
            f"{where}: the store was made by an older Tactful; open it for writing once (such as "
            "with 'tactful annotate serve'), which brings it up to date."
        )


def _refuse_newer(revision: str | None, where: str) -> None:
    if revision is not None and revision > HEAD:
        raise InputError(
            f"{where}: the store was made by a newer Tactful (its tables are of version "
            f"{revision}; expected {HEAD} at most); install that one."
        )


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if found is None else str(found)


def unreachable(where: str, error: Exception) -> InputError:
    """Build the error of a store that does not answer."""
    return InputError(
        f"{where}: the store cannot be opened ({reason(error)}); expected a database that can be "
        "reached; is the server running, and are name and password right?"
    )


def reason(error: Exception) -> str:
    """Say in a few words what a driver says in many."""
    cause: BaseException = error
    if isinstance(error, DBAPIError) and error.orig is not None:
        cause = error.orig
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    first = cause.args[0] if cause.args else cause
    if isinstance(first, dict):  # PostgreSQL's own fields
        first = first.get("M", first)
    return " ".join(str(first).split()).rstrip(".") or type(cause).__name__


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
