"""The table of feedback, in SQLite or PostgreSQL: written durably, and deleted by policy.

Unlike the log of an annotation project it may lose rows, because people may ask for that, and
several processes write to it at once. What a write acknowledged is on disk.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tactful.annotation.store.engine import (
    FAILURES,
    database_file,
    is_database,
    make_engine,
    parse_url,
    reason,
    shown,
    unreachable,
)
from tactful.errors import InputError, OutputError, UsageError
from tactful.service.feedback.records import ASKING, Kind, Record, Secret, read_secret

VERSION = "1"
_DAY = 24 * 3600.0
_IDS_AT_ONCE = 500

_metadata = sa.MetaData()
_rows = sa.Table(
    "feedback",
    _metadata,
    # SQLite numbers rows only if the type is INTEGER.
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False, index=True),
    sa.Column("item", sa.Text, nullable=False, index=True),
    sa.Column("text", sa.Text),
    sa.Column("lang", sa.Text),
    sa.Column("author", sa.Text, index=True),
    sa.Column("key", sa.Text, index=True),
    sa.Column("data", sa.Text, nullable=False),
)
_facts = sa.Table(
    "feedback_store",
    _metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text in the queue."""

    item: str
    text: str
    lang: str | None
    since: float
    reports: int
    """How many pieces of feedback ask for a decision on it."""


class FeedbackStore:
    """All feedback; use :func:`open_feedback` to open one."""

    def __init__(self, url: sa.URL, secret: Secret):
        self.where, self.secret = shown(url), secret
        self._sqlite = url.get_backend_name() == "sqlite"
        self._engine = make_engine(url, read_only=False)
        if self._sqlite:

            @sa.event.listens_for(self._engine, "connect")
            def _on_connect(connection: Any, _: Any) -> None:
                # What is deleted is overwritten, instead of only being marked as free.
                connection.execute("PRAGMA secure_delete = ON")

    def prepare(self) -> None:
        """Create the tables of a new store; refuse one of another version or another secret."""
        facts = {"version": VERSION, "secret": self.secret.mark}
        found = self._found()
        if found is None:
            with self._writing() as connection:
                _metadata.create_all(connection)
                rows = [{"name": name, "value": value} for name, value in facts.items()]
                connection.execute(self._insert(_facts), rows)
            found = self._found() or facts
        if found["version"] != VERSION:
            raise InputError(
                f"{self.where}: found feedback of version {found['version']}; expected {VERSION}; "
                "update Tactful."
            )
        if found["secret"] != self.secret.mark:
            raise InputError(
                f"{self.where}: the store was made with another secret; expected the same one, "
                "because texts and authors are found by their keyed hashes; restore it."
            )

    def add(self, records: Sequence[Record]) -> None:
        """Store records, all or none; they are on disk when this returns.

        A record whose id is known is not stored again.
        """
        if not records:
            return
        with self._writing() as connection:
            connection.execute(self._insert(_rows), [_as_row(each) for each in records])

    def queue(self, most: int = 50) -> list[Waiting]:
        """Return texts without a decision: those with most reports first, then the oldest."""
        decided = _rows.alias("decided")
        count, since = sa.func.count(), sa.func.min(_rows.c.at)
        asked = (
            sa.select(
                _rows.c.item,
                sa.func.max(_rows.c.text).label("text"),
                sa.func.max(_rows.c.lang).label("lang"),
                since.label("since"),
                count.label("reports"),
            )
            .where(_rows.c.kind.in_(ASKING), _rows.c.text.is_not(None))
            .where(~sa.exists().where(decided.c.item == _rows.c.item, decided.c.kind == "decided"))
            .group_by(_rows.c.item)
            .order_by(count.desc(), since, _rows.c.item)
            .limit(most)
        )
        with self._reading() as connection:
            return [Waiting(*row) for row in connection.execute(asked)]

    def records(
        self, *, item: str | None = None, kind: Kind | None = None, newest: int | None = None
    ) -> list[Record]:
        """Return records in the order in which they were stored.

        Parameters
        ----------
        item
            Only those about this text.
        kind
            Only those of this kind.
        newest
            Only as many as this, the newest ones.

        """
        asked = sa.select(_rows)
        if item is not None:
            asked = asked.where(_rows.c.item == item)
        if kind is not None:
            asked = asked.where(_rows.c.kind == kind)
        if newest is None:
            with self._reading() as connection:
                return [_as_record(row) for row in connection.execute(asked.order_by("number"))]
        asked = asked.order_by(_rows.c.number.desc()).limit(newest)
        with self._reading() as connection:
            return [_as_record(row) for row in connection.execute(asked)][::-1]

    def known(self, ids: Sequence[str]) -> set[str]:
        """Return which of these ids are stored."""
        found: set[str] = set()
        with self._reading() as connection:
            for start in range(0, len(ids), _IDS_AT_ONCE):
                part = ids[start : start + _IDS_AT_ONCE]
                found.update(connection.scalars(sa.select(_rows.c.id).where(_rows.c.id.in_(part))))
        return found

    def count(self) -> dict[str, int]:
        """Return the number of records of each kind."""
        asked = sa.select(_rows.c.kind, sa.func.count()).group_by(_rows.c.kind)
        with self._reading() as connection:
            return {kind: int(number) for kind, number in connection.execute(asked)}

    def delete(
        self,
        *,
        id: str | None = None,
        author: str | None = None,
        key: str | None = None,
        text: str | None = None,
        before: float | None = None,
        kind: Kind | None = None,
    ) -> int:
        """Delete the records that fit all that is given; return how many there were.

        Parameters
        ----------
        id
            The id of one record.
        author
            The token by which callers named the author; the store has only its hash.
        key
            The id of the API key that sent them.
        text
            A text: all that was said about it.
        before
            A time: all that is older.
        kind
            Only records of this kind.

        """
        given = {
            "id": id,
            "author": None if author is None else self.secret.author(author),
            "key": key,
            "item": None if text is None else self.secret.item(text),
            "kind": kind,
        }
        wanted = [_rows.c[name] == value for name, value in given.items() if value is not None]
        if before is not None:
            wanted.append(_rows.c.at < before)
        if not wanted:
            raise UsageError("Found no author, key, text or time to delete by; expected one.")
        with self._writing() as connection:
            gone = int(connection.execute(sa.delete(_rows).where(*wanted)).rowcount)
        if gone and self._sqlite:
            self._forget()
        return gone

    def expire(self, days: int, now: float) -> int:
        """Delete what is older than this many days; return how many records there were."""
        return self.delete(before=now - days * _DAY)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> "FeedbackStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _found(self) -> dict[str, str] | None:
        """Return what the store says of itself; None for a new one."""
        with self._reading() as connection:
            # Reading first: SQLite does not let a transaction that has read become a writer
            # after another process has written.
            if not sa.inspect(connection).has_table(_facts.name):
                return None
            found = {row.name: row.value for row in connection.execute(sa.select(_facts))}
        return found or None

    def _insert(self, table: sa.Table) -> Any:
        from sqlalchemy.dialects import postgresql, sqlite

        insert: Any = (sqlite if self._sqlite else postgresql).insert
        return insert(table).on_conflict_do_nothing()

    def _forget(self) -> None:
        """Empty the journal of SQLite, which still has the old pages."""
        with self._reading() as connection:
            cursor = connection.connection.cursor()
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.close()

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except FAILURES as error:
            raise OutputError(
                f"{self.where}: the feedback could not be written ({reason(error)}); nothing of it "
                "is stored; send it again."
            ) from error

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except FAILURES as error:
            raise unreachable(self.where, error) from error


def open_feedback(url: str, *, create: bool = True) -> FeedbackStore:
    """Open the store of a URL; with ``create`` a missing one is made.

    Parameters
    ----------
    url
        ``sqlite:///feedback.db`` or ``postgresql://user@host:5432/database``.
    create
        Whether a missing SQLite file is made; without it, that is an error.

    Returns
    -------
    FeedbackStore
        The open store.

    """
    parsed = parse_url(url)
    path: Path | None = None
    if parsed.get_backend_name() == "sqlite":
        path = database_file(parsed)
        if path.exists() and not is_database(path):
            raise InputError(f"{path}: found a file that is not an SQLite database; expected one.")
        if not create and not path.exists():
            raise InputError(
                f"{path}: found no feedback; expected the store of 'tactful serve --feedback'."
            )
    store = FeedbackStore(parsed, read_secret(path, create=create))
    try:
        store.prepare()
    except BaseException:  # an interrupt, too, must not leave connections open
        store.close()
        raise
    return store


def _as_row(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "at": record.at,
        "item": record.item,
        "text": record.text,
        "lang": record.lang,
        "author": record.author,
        "key": record.key,
        "data": json.dumps(dict(record.data), allow_nan=False, separators=(",", ":")),
    }


def _as_record(row: Any) -> Record:
    return Record(
        row.id, row.kind, row.at, row.item, row.text, row.lang, row.author, row.key,
        json.loads(row.data),
    )  # fmt: skip
