"""Connections to a store: engines, migrations, the writer lock, and errors."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from tactful.annotation.store.tables import HEAD
from tactful.errors import InputError, MissingExtraError, UsageError

_WAIT = 10
"""Seconds that SQLite waits for a lock, and that connecting to a server may take."""
_QUIET = "tactful"
FAILURES = (SQLAlchemyError, OSError)
"""Exceptions of a failing database; drivers do not always wrap a lost connection."""


@contextmanager
def reading(engine: sa.Engine, where: str) -> Iterator[sa.Connection]:
    """Open a connection for reading; a database failure becomes an :class:`InputError`."""
    try:
        with engine.connect() as connection:
            yield connection
    except FAILURES as error:
        raise unreachable(where, error) from error


def make_engine(url: sa.URL, read_only: bool) -> sa.Engine:
    """Return an engine whose commits are on disk when they return."""
    if url.get_backend_name() == "sqlite":
        return _sqlite_engine(url, read_only)
    # Detects connections that the server closed meanwhile.
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=2,
        pool_logging_name=_QUIET,
        connect_args={"timeout": _WAIT},
    )
    # A failure to close a lost connection needs no message; the loss was reported.
    logging.getLogger(f"sqlalchemy.pool.impl.QueuePool.{_QUIET}").setLevel(logging.CRITICAL)

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # Independent of the server's default.
        cursor.execute("SET synchronous_commit = on")
        if read_only:
            cursor.execute("SET default_transaction_read_only = on")
        connection.commit()

    return engine


def _sqlite_engine(url: sa.URL, read_only: bool) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"check_same_thread": False, "timeout": _WAIT})

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _: Any) -> None:
        # Otherwise the driver starts transactions only before some statements.
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
    """Refuse a database whose tables this version cannot read."""
    revision = _revision(connection)
    if revision is None:
        raise InputError(
            f"{where}: found a database without events; expected the store of a project."
        )
    _refuse_newer(revision, where)
    if revision != HEAD:
        raise InputError(
            f"{where}: the store was made by an older Tactful; open it for writing once (for "
            "example with 'tactful annotate serve') to update it."
        )


def _refuse_newer(revision: str | None, where: str) -> None:
    if revision is not None and revision > HEAD:
        raise InputError(
            f"{where}: the store was made by a newer Tactful (table version {revision}; "
            f"expected {HEAD} at most); update Tactful."
        )


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if found is None else str(found)


def unreachable(where: str, error: Exception) -> InputError:
    """Build the error for a store that cannot be reached."""
    return InputError(
        f"{where}: cannot open the store ({reason(error)}); expected a reachable database; check "
        "that the server runs, and the name and password."
    )


def reason(error: Exception) -> str:
    """Shorten the message of a database driver."""
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
"""Our number among the advisory locks of a PostgreSQL database."""
_PATIENCE = 3.0
"""Seconds to wait: the server needs a moment to notice that a process was killed."""
_PAUSE = 0.05


class _FileLock:
    """An SQLite lock on a file beside the store: it works the same on every system."""

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
    """A PostgreSQL advisory lock, held by the writing connection until it closes."""

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
        """Do nothing: closing the connection releases the lock."""


class BusyStoreError(InputError):
    """Another process is writing to the store."""


def _refusal(where: str, error: sqlite3.Error | None = None) -> InputError:
    if error is not None and "locked" not in str(error):
        return InputError(f"{where}: cannot lock the store for writing ({error}).")
    return BusyStoreError(
        f"{where}: another process is writing to this project, probably 'tactful annotate serve'; "
        "only one can write at a time. Use the owner's pages, or stop it with Ctrl-C, run this "
        "command again, then restart it: answers that people give meanwhile wait in their browsers."
    )


def is_database(path: Path) -> bool:
    """Say whether a file is an SQLite database; an empty one is new."""
    with path.open("rb") as file:
        start = file.read(16)
    return not start or start == b"SQLite format 3\x00"


WriterLock = _FileLock | _AdvisoryLock


def writer_lock(url: sa.URL) -> WriterLock:
    """Return the lock that gives one process the right to write to a store."""
    return _FileLock(url) if url.get_backend_name() == "sqlite" else _AdvisoryLock(url)


DEFAULT_URL = "sqlite:///events.db"
EXPECTED = "sqlite:///events.db or postgresql+pg8000://user@host:5432/database"
_POSTGRES = ("postgres", "postgresql", "postgresql+pg8000")


def parse_url(url: str, base: Path | None = None, password: str | None = None) -> sa.URL:
    """Parse a URL; a relative path is relative to ``base``.

    Without a password in the URL, ``password`` or ``$PGPASSWORD`` is used.
    """
    try:
        found = sa.make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError(f"Found the store '{_hidden(url)}'; expected {EXPECTED}.") from None
    if found.drivername in ("sqlite", "sqlite+pysqlite"):
        return _of_file(found, base)
    if found.drivername not in _POSTGRES:
        raise UsageError(f"Found a store of the kind '{found.drivername}'; expected {EXPECTED}.")
    if not found.database:
        raise UsageError(
            f"Found the store '{shown(found)}' without the name of a database; expected {EXPECTED}."
        )
    if find_spec("pg8000") is None:
        raise MissingExtraError("postgres", "A store on PostgreSQL")
    found = found.set(drivername="postgresql+pg8000")
    if found.password is None:
        found = found.set(password=password or os.environ.get("PGPASSWORD"))
    return found


def _of_file(url: sa.URL, base: Path | None) -> sa.URL:
    if not url.database or url.database == ":memory:" or url.host:
        raise UsageError(
            f"Found the store '{shown(url)}', which names no file; expected {DEFAULT_URL} (three "
            "slashes) or sqlite:////home/me/events.db (four)."
        )
    path = Path(url.database).expanduser()
    return url.set(drivername="sqlite", database=str(path if base is None else base / path))


def without_password(url: str) -> tuple[str, str | None]:
    """Return a URL without its password, and the password."""
    found = parse_url(url)
    if found.get_backend_name() == "sqlite":
        return url, None
    asked = sa.make_url(url).password
    # Setting a password to None would leave it unchanged.
    plain = sa.URL.create(
        found.drivername, found.username, None, found.host, found.port, found.database, found.query
    )
    return plain.render_as_string(), None if asked is None else str(asked)


def shown(url: sa.URL) -> str:
    """Return a URL for messages, without its password."""
    return url.render_as_string(hide_password=True)


def database_file(url: sa.URL) -> Path:
    """Return the file of an SQLite store; its folder must exist."""
    path = Path(url.database or "")
    if not path.parent.is_dir():
        raise InputError(
            f"{path}: found no folder '{path.parent}'; expected one for the store; create it."
        )
    if path.is_dir():
        raise InputError(f"{path}: found a folder; expected the file of a store.")
    return path


def _hidden(url: str) -> str:
    """Remove what may be a password from an invalid URL."""
    scheme, mark, rest = url.partition("://")
    return scheme + mark + rest.rpartition("@")[2]
