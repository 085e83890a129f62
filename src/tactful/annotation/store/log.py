"""The log on disk: events are appended in transactions and read in order.

The store is SQLite (in WAL mode, with each commit on disk before it returns) or PostgreSQL. One
process writes; any number may read at the same time.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tactful.annotation.store.engine import (
    FAILURES,
    WriterLock,
    database_file,
    is_database,
    make_engine,
    migrate,
    parse_url,
    reading,
    reason,
    refuse_unknown,
    shown,
    unreachable,
    writer_lock,
)
from tactful.annotation.store.events import Event
from tactful.annotation.store.tables import as_events, as_row, fresh_rows, last_number
from tactful.errors import InputError, OutputError, TactfulError

_CHUNK = 10_000
"""Rows that are read together."""
_COLUMNS = "number, kind, at, item, annotator, step, key"
_READ_SQLITE = (
    f"SELECT {_COLUMNS}, data FROM events WHERE number > ? ORDER BY number LIMIT {_CHUNK}"  # noqa: S608
)
# The PostgreSQL driver handles rows in Python, cell by cell; one JSON text is faster.
_READ_POSTGRES = (
    f"SELECT json_agg(json_build_array({_COLUMNS}, data::json) ORDER BY number) FROM "  # noqa: S608
    f"(SELECT {_COLUMNS}, data FROM events WHERE number > %s ORDER BY number LIMIT {_CHUNK}) AS p"
)
# Rows as texts that differ whenever the rows do.
_RAW_SQLITE = (
    f"SELECT printf('%d,%Q,%!.17g,%Q,%Q,%Q,%Q,%s', {_COLUMNS.replace('key', 'key, data')}) "  # noqa: S608
    "FROM events WHERE number > ? AND number <= ? ORDER BY number"
)
_RAW_POSTGRES = (
    f"SELECT string_agg(json_build_array({_COLUMNS}, data)::text, E'\\n' ORDER BY number) "  # noqa: S608
    "FROM events WHERE number > %s AND number <= %s"
)
_WRITE_SQLITE = (
    f"INSERT INTO events ({_COLUMNS}, data) "  # noqa: S608
    "VALUES (:number, :kind, :at, :item, :annotator, :step, :key, :data)"
)
_WRITE_POSTGRES = (
    f"INSERT INTO events ({_COLUMNS}, data) SELECT {_COLUMNS}, data FROM "  # noqa: S608
    "json_to_recordset(CAST(%s AS json)) AS part(number bigint, kind text, at double precision, "
    "item text, annotator text, step text, key text, data text)"
)


class Store:
    """A log of events; use :func:`open_store` to open one."""

    def __init__(self, url: sa.URL, *, read_only: bool = False):
        self.where = shown(url)
        self.read_only = read_only
        self._sqlite = url.get_backend_name() == "sqlite"
        self._lock = threading.Lock()
        self._engine = make_engine(url, read_only)
        self._right: WriterLock | None = None if read_only else writer_lock(url)
        self._connection: sa.Connection | None = None
        self._last = 0

    @property
    def last(self) -> int:
        """The number of the last event; 0 if there is none."""
        with self._lock:
            if not self.read_only:
                self._writer()
                return self._last
        with reading(self._engine, self.where) as connection:
            return last_number(connection)

    def append(self, new: Sequence[Event]) -> list[Event]:
        """Append events, all or none; return those that were kept, with their numbers.

        They are on disk when this returns. Events with a known key are dropped.
        """
        if self.read_only:
            raise OutputError(f"{self.where}: the store was opened for reading only.")
        rows = [as_row(event) for event in new]
        with self._lock:
            connection = self._writer()
            try:
                fresh = self._write(connection, rows)
            except FAILURES as error:
                self._let_go()
                raise OutputError(
                    f"{self.where}: the events could not be written ({reason(error)}); either all "
                    "or none of them are stored; send them again."
                ) from error
            self._last += len(fresh)
        return [_numbered(new[at], rows[at]["number"]) for at in fresh]

    def read(self, after: int = 0) -> Iterator[Event]:
        """Yield the events after a number, in order."""
        while True:
            # Each chunk is a transaction of its own, so that a slow reader blocks nobody.
            with reading(self._engine, self.where) as connection:
                chunk = self._chunk(connection, after)
            yield from chunk
            if len(chunk) < _CHUNK:
                return
            after = cast(int, chunk[-1].number)

    def read_raw(self, after: int, last: int) -> Iterator[bytes]:
        """Yield the rows after a number, up to another, as bytes that identify their content."""
        for start in range(after, last, _CHUNK):
            end = min(start + _CHUNK, last)
            with reading(self._engine, self.where) as connection:
                statement = _RAW_SQLITE if self._sqlite else _RAW_POSTGRES
                cursor = connection.exec_driver_sql(statement, (start, end)).cursor
                rows = cursor.fetchall() if cursor is not None else []
            text = "\n".join([row or "" for (row,) in rows])
            yield f"{text}\n".encode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Close the store, so that another process can write."""
        with self._lock:
            self._let_go()
            if self._right is not None:
                self._right.release()
        self._engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prepare(self) -> None:
        """Take the writer lock and update the tables; a reader only checks them."""
        with self._lock:
            if not self.read_only:
                self._writer()
                return
        with reading(self._engine, self.where) as connection:
            refuse_unknown(connection, self.where)

    def _writer(self) -> sa.Connection:
        """Return the writing connection; open it again after a failure."""
        if self._connection is None:
            try:
                connection = self._engine.connect()
            except FAILURES as error:
                raise unreachable(self.where, error) from error
            try:
                cast(WriterLock, self._right).take(connection)
                with connection.begin():
                    migrate(connection, self.where)
                    self._last = last_number(connection)
                if not self._sqlite:
                    # One statement is a transaction by itself, with three round trips to the
                    # server instead of seven.
                    connection.execution_options(isolation_level="AUTOCOMMIT")
            except (*FAILURES, TactfulError) as error:
                _end(connection)
                if isinstance(error, TactfulError):
                    raise
                raise unreachable(self.where, error) from error
            self._connection = connection
        return self._connection

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            _end(connection)

    def _write(self, connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> Sequence[int]:
        """Write rows, all or none; return the places of those that were kept."""
        # Known keys are rare: looking up each key before writing would cost time.
        with suppress(IntegrityError), self._transaction(connection, len(rows)):
            return self._insert(connection, rows, range(len(rows)))
        with self._transaction(connection, len(rows)):
            return self._insert(connection, rows, fresh_rows(connection, rows))

    def _transaction(self, connection: sa.Connection, rows: int) -> AbstractContextManager[Any]:
        if self._sqlite:
            return connection.begin()
        return nullcontext() if rows <= _CHUNK else _whole(connection)

    def _insert(
        self, connection: sa.Connection, all_rows: Sequence[dict[str, Any]], fresh: Sequence[int]
    ) -> Sequence[int]:
        for number, at in enumerate(fresh, self._last + 1):
            all_rows[at]["number"] = number
        rows = [all_rows[at] for at in fresh]
        if self._sqlite and rows:
            connection.exec_driver_sql(_WRITE_SQLITE, rows)
            return fresh
        for start in range(0, len(rows), _CHUNK):
            part = json.dumps(rows[start : start + _CHUNK])
            connection.exec_driver_sql(_WRITE_POSTGRES, (part,))
        return fresh

    def _chunk(self, connection: sa.Connection, after: int) -> list[Event]:
        if self._sqlite:
            cursor = connection.exec_driver_sql(_READ_SQLITE, (after,)).cursor
            rows = cursor.fetchall() if cursor is not None else []
            # Parsing one text is much faster than parsing one for each row.
            data = json.loads(f"[{','.join([row[7] for row in rows])}]")
            return as_events(rows, data)
        found = connection.exec_driver_sql(_READ_POSTGRES, (after,)).scalar() or []
        return as_events(found, [row[7] for row in found])


def open_store(
    url: str, *, base: Path | None = None, read_only: bool = False, password: str | None = None
) -> Store:
    """Open a log by its URL; create or update its tables if needed.

    A relative path is relative to ``base``. With ``read_only`` nothing is created or changed, and
    another process may be writing.
    """
    parsed = parse_url(url, base, password)
    if parsed.get_backend_name() == "sqlite":
        path = database_file(parsed)
        if read_only and not path.exists():
            raise InputError(f"{path}: found no store; expected the events of a project.")
        if path.exists() and not is_database(path):
            raise InputError(f"{path}: found a file that is not an SQLite database; expected one.")
    store = Store(parsed, read_only=read_only)
    try:
        store.prepare()
    except BaseException:  # an interrupt, too, must not leave the lock behind
        store.close()
        raise
    return store


def _numbered(event: Event, number: int) -> Event:
    # The journal has numbered them; a copy of each takes a second for a large import.
    return event if event.number == number else replace(event, number=number)


@contextmanager
def _whole(connection: sa.Connection) -> Iterator[None]:
    """Run several statements of an auto-committing connection as one transaction."""
    connection.exec_driver_sql("BEGIN")
    try:
        yield
    except BaseException:  # an interrupt, too, must not leave the transaction open
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")


def _end(connection: sa.Connection) -> None:
    """Close a connection instead of returning it to the pool, which ends its PostgreSQL locks."""
    with suppress(*FAILURES):
        connection.invalidate()
    with suppress(*FAILURES):
        connection.close()
