"""The URL of a store: an SQLite file or a PostgreSQL database."""

import os
from importlib.util import find_spec
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from tactful.errors import InputError, MissingExtraError, UsageError

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
    _require_driver()
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


def _require_driver() -> None:
    if find_spec("pg8000") is None:
        raise MissingExtraError("postgres", "A store on PostgreSQL")
