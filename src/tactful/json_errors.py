"""The one JSON shape of errors, for every server of ours; it is that of Google's APIs::

{"error": {"code": 400, "message": "...", "status": "INVALID_ARGUMENT",
           "details": [{"errorType": "TEXT_EMPTY"}]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    413: "INVALID_ARGUMENT",
    415: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    431: "INVALID_ARGUMENT",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""The names that Google's APIs give to the codes of HTTP."""


def error_body(
    code: int,
    message: str,
    error_type: str | None = None,
    details: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the body of an error.

    Every error has a type, so that a program need not read the sentence.

    >>> error_body(404, "There is no such page.")["error"]["status"]
    'NOT_FOUND'
    """
    status = STATUSES.get(code, "INVALID_ARGUMENT" if code < 500 else "INTERNAL")
    found = [dict(each) for each in details] or [{}]
    found[0] = {"errorType": error_type or status, **found[0]}
    return {"error": {"code": code, "message": message, "status": status, "details": found}}
