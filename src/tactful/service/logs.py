"""The log of the service: one line per request, as text or JSON, and never a text or a key.

Errors are logged by their class and their place in the code, without their message, which may quote
the request.
"""

import json
import logging
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tactful.errors import place_of
from tactful.service.settings import LogFormat

LOGGER = logging.getLogger("tactful.service")


@dataclass(slots=True)
class Note:
    """What the parts of the service record about a request."""

    request: str = ""
    texts: int = 0
    batch: int = 0
    """The largest batch that one of its texts was read in."""
    model: str | None = None
    key: str | None = None
    """The id of the API key, which is not secret."""
    tokens: int = 0
    """What reading cost."""
    caller: str | None = None
    """The caller whose rate is limited: the id of the key, or the address; not logged."""
    rate: int | None = None
    """The requests a minute that the caller may make."""
    token_rate: int | None = None
    """The tokens a minute that may be read for the caller."""
    charged: int = 0
    """The tokens that were counted to the rate already."""
    review: str | None = None
    """Why the answer is "needs review" where the service fails closed; a type of error."""


NOTE: ContextVar[Note | None] = ContextVar("tactful_note", default=None)


def key_in_use() -> str | None:
    """Return the id of the API key of the request that is answered now."""
    note = NOTE.get()
    return None if note is None else note.key


def note_review(reason: str) -> None:
    """Note that the request that is answered now is answered with "needs review"."""
    note = NOTE.get()
    if note is not None:
        note.review = reason


def log_request(method: str, route: str, status: int, ms: float, note: Note) -> None:
    """Write the line of one request."""
    fields = {
        "id": note.request,
        "method": method,
        "route": route,
        "status": status,
        "ms": round(ms, 1),
        "texts": note.texts or None,
        "tokens": note.tokens or None,
        "batch": note.batch or None,
        "model": note.model,
        "key": note.key,
        "review": note.review,
    }
    LOGGER.info("request", extra={"fields": fields})


def log_failure(what: str, error: BaseException, request: str | None = None) -> None:
    """Log a failure, without the message of the error."""
    LOGGER.error(what, extra={"fields": {"id": request, "error": place_of(error)}})


class _Lines(logging.Formatter):
    """Lines for people: ``2026-01-31T12:00:00Z request id=… route=/v1/score status=200``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        told = " ".join(
            f"{name}={value!r}" if " " in str(value) else f"{name}={value}"
            for name, value in _fields(record).items()
        )
        level = "" if record.levelno <= logging.INFO else f" {record.levelname.lower()}:"
        message = " ".join(record.getMessage().split())
        return f"{_time(record)}{level} {message}{' ' if told else ''}{told}"


class _Json(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **_fields(record),
        }
        return json.dumps(line, ensure_ascii=True)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    found = dict(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[1] is not None:
        found["error"] = place_of(record.exc_info[1])
    return {name: value for name, value in found.items() if value is not None}


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def set_up_logs(log_format: LogFormat) -> None:
    """Send the log of the service, and what uvicorn has to say, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if log_format == "json" else _Lines())
    # uvicorn's own line for each request would hold the key of ``?key=``.
    for name, level in (("tactful.service", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
