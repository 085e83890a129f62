"""The table of a store, with a row for each event, and how events become rows.

:data:`HEAD` is the newest migration; a test compares both.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from tactful.annotation.store.events import Event
from tactful.errors import InputError

HEAD = "0001"

metadata = sa.MetaData()
events = sa.Table(
    "events",
    metadata,
    # Assigned by the writer instead of the database: a rollback leaves no gap.
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("item", sa.Text),
    sa.Column("annotator", sa.Text),
    sa.Column("step", sa.Text),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("key", sa.Text, unique=True),
)


_KEYS_AT_ONCE = 500
_CANNOT_BE_STORED = re.compile("[\x00\ud800-\udfff]")


def as_row(event: Event) -> dict[str, Any]:
    """Return an event as a row without a number; refuse what a database cannot store."""
    row: dict[str, Any] = {
        "kind": event.kind,
        "at": float(event.at),
        "item": event.item,
        "annotator": event.annotator,
        "step": event.step,
        "key": event.key,
    }
    for name, value in row.items():
        if isinstance(value, str) and not value.isprintable() and _CANNOT_BE_STORED.search(value):
            raise InputError(
                f"Found the {name} {value!r}; expected characters that every database can store."
            )
    try:
        # ASCII only: JSON escapes zero bytes and lone surrogates, which PostgreSQL cannot store.
        row["data"] = json.dumps(dict(event.data), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Found data that JSON cannot hold in an event '{event.kind}' ({error}); expected "
            "texts, numbers, lists and mappings."
        ) from None
    return row


def as_events(rows: Iterable[Sequence[Any]], data: Iterable[dict[str, Any]]) -> list[Event]:
    """Return the events of rows; ``data`` has their parsed last cells."""
    return [
        Event(kind, at, item, annotator, step, each, key, number)
        for (number, kind, at, item, annotator, step, key, _), each in zip(rows, data, strict=True)
    ]


def last_number(connection: sa.Connection) -> int:
    """Return the number of the last event; 0 if there is none."""
    return int(connection.scalar(sa.select(sa.func.max(events.c.number))) or 0)


def fresh_rows(connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Return the indices of the rows whose key is new."""
    keys = [row["key"] for row in rows if row["key"] is not None]
    seen: set[str] = set()
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        asked = keys[start : start + _KEYS_AT_ONCE]
        seen.update(connection.scalars(sa.select(events.c.key).where(events.c.key.in_(asked))))
    fresh = []
    for at, row in enumerate(rows):
        if row["key"] is None or row["key"] not in seen:
            fresh.append(at)
            seen.add(row["key"])
    return fresh
