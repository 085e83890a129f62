"""Batches of requests in one body, as Google's clients send them: multipart/mixed of HTTP.

Every part is a request with its own path, headers and body, and is answered with a part that has
the same Content-ID.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import Response

from tactful.service.http.errors import ServiceError, invalid

PATHS = ("/batch", "/batch/commentanalyzer/v1alpha1")
MOST_PARTS = 100
_BOUNDARY = re.compile(
    r"multipart/mixed\s*;.{0,200}?boundary=(\"[^\"]{1,200}\"|[^\s;]{1,200})", re.I
)
_REQUEST_LINE = re.compile(r"([A-Z]{1,20}) (\S{1,4000}) HTTP/1\.[01]")
_CONTENT_ID = re.compile(r"^content-id:\s*<([\x21-\x3d\x3f-\x7e ]{1,200})>\s*$", re.I | re.M)
_QUERY = re.compile(rb"^POST [^\s?]{1,1000}\?(\S{1,4000}) HTTP/1", re.M)
_EMPTY_LINE = re.compile(rb"\r\n\r\n|\n\n")
_LONGEST_HEAD = 10_000
_OUR_BOUNDARY = "batch_tactful"


@dataclass(frozen=True, slots=True)
class Part:
    """One request of a batch."""

    method: str
    path: str
    query: str
    body: bytes
    content_id: str
    """Empty where the client sent none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one part is answered with."""

    code: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]


def read_batch(content_type: str | None, body: bytes) -> list[Part]:
    """Return the requests of a batch; what is no batch, or too large a one, is refused."""
    found = _BOUNDARY.match(content_type or "")
    if found is None:
        raise invalid(
            "The body is no batch; expected 'Content-Type: multipart/mixed; boundary=…'.",
            "UNSUPPORTED_MEDIA_TYPE",
            415,
        )
    mark = b"--" + found[1].strip('"').encode("latin-1", "replace")
    pieces = (b"\n" + body).split(b"\n" + mark, MOST_PARTS + 2)[1:]
    ends = [at for at, piece in enumerate(pieces) if piece.startswith(b"--")]
    pieces = pieces[: ends[0]] if ends else pieces
    if not 1 <= len(pieces) <= MOST_PARTS:
        number = "no" if not pieces else f"more than {MOST_PARTS}"
        raise invalid(
            f"Found {number} parts in the batch; expected 1 to {MOST_PARTS}.", "INVALID_BATCH"
        )
    return [_part(piece) for piece in pieces]


def query_of_first(body: bytes) -> bytes:
    """Return the query of the first request of a batch, where Google's clients show their key."""
    found = _QUERY.search(body[:_LONGEST_HEAD])
    return found[1] if found else b""


def write_batch(parts: Sequence[Part], answers: Sequence[Answer]) -> Response:
    """Return the answers of all parts in one."""
    lines = []
    for part, answer in zip(parts, answers, strict=True):
        body = json.dumps(answer.body)
        head = {
            "Content-Type": "application/json; charset=UTF-8",
            **answer.headers,
            "Content-Length": str(len(body)),
        }
        said = [f"Content-ID: <response-{part.content_id}>"] if part.content_id else []
        lines += [
            f"--{_OUR_BOUNDARY}", "Content-Type: application/http", *said, "",
            f"HTTP/1.1 {answer.code} {HTTPStatus(answer.code).phrase}",
            *(f"{name}: {value}" for name, value in head.items()), "", body,
        ]  # fmt: skip
    lines += [f"--{_OUR_BOUNDARY}--", ""]
    return Response(
        "\r\n".join(lines).encode("ascii"),
        media_type=f"multipart/mixed; boundary={_OUR_BOUNDARY}",
    )


def refused(error: ServiceError) -> Answer:
    """Return the answer to a part that is refused."""
    return Answer(error.code, error.body(), error.headers)


def _part(piece: bytes) -> Part:
    head, request = _cut(piece)
    if not head.strip():  # a part without headers of its own
        head, request = b"", piece.lstrip(b"\r\n")
    start, body = _cut(request)
    line = start.partition(b"\n")[0].strip().decode("latin-1")
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise invalid(
            "Found a part of the batch that is no HTTP request; expected one such as "
            "'POST /v1alpha1/comments:analyze HTTP/1.1'.",
            "INVALID_BATCH",
        )
    try:
        target = urlsplit(match[2])
    except ValueError:
        raise invalid("Found a part of the batch with an invalid path.", "INVALID_BATCH") from None
    named = _CONTENT_ID.search(head.decode("latin-1"))
    body = body.removesuffix(b"\r")
    return Part(match[1], target.path, target.query, body, named[1] if named else "")


def _cut(data: bytes) -> tuple[bytes, bytes]:
    """Return what is before and behind the first empty line, whichever way lines end."""
    before, *behind = _EMPTY_LINE.split(data, 1)
    return before, behind[0] if behind else b""
