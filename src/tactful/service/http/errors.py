"""The errors of all routes, in one shape (:mod:`tactful.json_errors`).

A message never holds the text of a user, and no answer holds a traceback.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tactful.errors import TactfulError, UnknownNameError, UsageError
from tactful.json_errors import error_body

INTERNAL = "Something went wrong in the service; the text was not stored. Try again."
_MESSAGES = {
    404: "There is no such path; GET /openapi.json lists all of them.",
    405: "This path does not answer to this method; see the header Allow.",
}
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.@-]{0,39}")
_MOST_DETAILS = 10
WORDS_PER_TOKEN = 0.77
"""Of ordinary prose; for people, who count words."""


class ServiceError(Exception):
    """An error that is sent as the answer."""

    def __init__(
        self,
        code: int,
        message: str,
        error_type: str | None = None,
        details: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ):
        self.code, self.message = code, message
        self.error_type = error_type
        self.details = tuple(details)
        self.headers = dict(headers or {})
        super().__init__(message)

    @property
    def kind(self) -> str:
        """Its type, as the answer has it."""
        return str(self.body()["error"]["details"][0]["errorType"])

    def body(self) -> dict[str, Any]:
        """Return what is sent."""
        return error_body(self.code, self.message, self.error_type, self.details)

    def response(self) -> Response:
        """Return the answer."""
        content = json.dumps(self.body()).encode()
        return Response(content, self.code, self.headers, media_type="application/json")


class Busy(ServiceError):  # noqa: N818 (what happened, not what went wrong)
    """Too many texts are waiting; the caller should retry."""

    def __init__(self, retry_after: float):
        self.retry_after = max(1, math.ceil(retry_after))
        super().__init__(
            429,
            f"Too many texts are waiting; try again in {self.retry_after} s.",
            "QUEUE_FULL",
            headers={"Retry-After": str(self.retry_after)},
        )


class TimedOut(ServiceError):  # noqa: N818 (what happened, not what went wrong)
    """The answer took longer than a request may."""

    def __init__(self, seconds: float):
        super().__init__(
            504,
            f"The answer took longer than {seconds:g} s; send fewer or shorter texts.",
            "TIMED_OUT",
        )


class TooLong(ServiceError):  # noqa: N818 (what happened, not what went wrong)
    """More tokens than are read for one request."""

    def __init__(self, tokens: int, most: int, what: str = "The document has"):
        super().__init__(
            413,
            f"{what} {tokens:,} tokens; expected at most {most:,} in one request, which are about "
            f"{round(most * WORDS_PER_TOKEN, -2):,.0f} words; send less at a time.",
            "TOO_MANY_TOKENS",
            [{"tokens": tokens, "most": most}],
        )


class NotReady(ServiceError):  # noqa: N818 (what happened, not what went wrong)
    """The service is starting or stopping, or its model could not be opened."""

    def __init__(self, message: str, error_type: str = "NOT_READY"):
        super().__init__(503, message, error_type, headers={"Retry-After": "1"})


class Unscorable(ServiceError):  # noqa: N818 (what happened, not what went wrong)
    """A text that the detector failed on; its score is missing."""

    def __init__(self) -> None:
        super().__init__(500, "The detector could not read this text.", "TEXT_NOT_SCORED")


def invalid(message: str, error_type: str, code: int = 400, **detail: Any) -> ServiceError:
    """Return the error for a request that is wrong."""
    return ServiceError(code, message, error_type, [detail] if detail else ())


def from_tactful(error: TactfulError) -> ServiceError:
    """Return the answer to an error of the library: the caller's fault, or ours."""
    if isinstance(error, UnknownNameError):
        # What was sent is not sent back, as it may be anything; the known names are the help.
        known = ", ".join(error.known)
        return invalid(f"There is no {error.kind} of that name. Known: {known}.", "UNKNOWN_NAME")
    if isinstance(error, UsageError):
        return invalid(str(error), "INVALID_REQUEST")
    return ServiceError(500, INTERNAL)


def from_validation(errors: Iterable[Mapping[str, Any]]) -> ServiceError:
    """Return the answer to a body of the wrong shape; it names fields and repeats no value."""
    found = list(errors)
    if any(each["type"] == "json_invalid" for each in found):
        return not_json()
    details = [
        {"errorType": "FIELD_INVALID", "field": _field(each), "description": _said(each)}
        for each in found[:_MOST_DETAILS]
    ]
    first = details[0]
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    where = f"The field '{first['field']}'" if first["field"] else "The request"
    said = f"{where} is not as expected: {first['description']}{more}."
    return ServiceError(422, said, details=details)


def not_json() -> ServiceError:
    """Return the answer to a body that cannot be read as JSON."""
    return invalid(
        "The body is not JSON that can be read: expected an object in UTF-8, not nested more than "
        "200 levels deep and without half characters (lone surrogates).",
        "INVALID_JSON",
    )


def _field(error: Mapping[str, Any]) -> str:
    place = [part for part in error["loc"] if part != "body"]
    plain = (
        str(part) if isinstance(part, int) or _PLAIN_NAME.fullmatch(str(part)) else "…"
        for part in place
    )
    return ".".join(plain)


def _said(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such field"
    message = str(error["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def answer_to(error: Exception) -> ServiceError:
    """Return the answer to any error that is raised on purpose."""
    match error:
        case ServiceError():
            return error
        case TactfulError():
            return from_tactful(error)
        case ValidationError():
            return from_validation(error.errors())
        case HTTPException():
            return _from_http(error)
    return ServiceError(500, INTERNAL)


def install(app: Starlette) -> None:
    """Make the app answer to every error in the one shape."""
    # Imported here: 'tactful annotate serve' refuses in the same shape, without FastAPI.
    from fastapi.exceptions import RequestValidationError

    for kind in (ServiceError, TactfulError, ValidationError, HTTPException):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(RequestValidationError, _answer_validation)


async def _answer(request: Request, error: Exception) -> Response:
    return answer_to(error).response()


async def _answer_validation(request: Request, error: Any) -> Response:
    return from_validation(error.errors()).response()


def _from_http(error: HTTPException) -> ServiceError:
    code, phrase = error.status_code, HTTPStatus(error.status_code).phrase
    kind = phrase.upper().replace(" ", "_")
    return ServiceError(code, _MESSAGES.get(code, f"{phrase}."), kind, headers=error.headers)
