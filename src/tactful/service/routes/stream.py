"""``POST /v1/score:stream``: texts as JSON lines, answered line by line while they arrive.

Neither side is held as a whole: the service reads on only when the lines before are answered and
taken, so that a slow reader slows the sender down, and the memory of a stream is bounded.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter
from pydantic import Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tactful.checking.findings import choose_ids
from tactful.checking.reports.json_report import dump
from tactful.errors import TactfulError
from tactful.service.engine.engine import Engine
from tactful.service.http.body import check_length
from tactful.service.http.callers import Callers
from tactful.service.http.errors import ServiceError, answer_to, invalid
from tactful.service.http.gate import STREAM
from tactful.service.logs import NOTE
from tactful.service.models import ERRORS, MOST_ENTRIES, Id, Lang, Sent
from tactful.service.routes.score import answer_for, score_texts
from tactful.service.settings import ServiceSettings

MEDIA_TYPE = "application/x-ndjson"
_TYPE = re.compile(r"application/(x-ndjson|jsonl|x-jsonlines)\s*(;|\Z)", re.IGNORECASE)
_BYTES_OF_A_CHARACTER = 6
"""The most that JSON needs for one: a backslash, u and four digits."""
_BEYOND_TEXT = 2_000
"""Bytes of a line beside its text: an id and options."""
_GIVEN_UP = 100
"""A stream with this many bad lines in a row is not JSON lines."""


class LineRequest(Sent):
    """One line: a text to score."""

    text: str
    id: str | int | None = Field(None, description="Sent back with the answer.")
    lang: Lang = "auto"
    only: list[Id] = Field([], max_length=MOST_ENTRIES, fail_fast=True)


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Native API"])

    @routes.post(
        STREAM,
        summary="Score a stream of texts",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {MEDIA_TYPE: {"schema": LineRequest.model_json_schema()}},
            }
        },
        responses={
            **{code: ERRORS[code] for code in (400, 401, 408, 415, 429, 503)},
            200: {"content": {MEDIA_TYPE: {}}, "description": "One line for each line."},
        },
        response_class=Response,
    )
    async def stream(request: Request) -> Response:
        """Answer each line with a line, in their order; a bad line gets an error on its line.

        A line is an object with ``text`` and optionally ``id``, ``lang`` and ``only``. Read the
        answer while you send: the service does not read on while its answers are not taken.
        """
        if not _TYPE.match(request.headers.get("content-type", "")):
            raise invalid(
                f"The body is not said to be JSON lines; expected 'Content-Type: {MEDIA_TYPE}'.",
                "UNSUPPORTED_MEDIA_TYPE",
                415,
            )
        return _Streamed(engine, settings, request.scope.get("tactful_callers"))

    return routes


class _Streamed(Response):
    """Reads lines and writes their answers, a few at a time."""

    def __init__(self, engine: Engine, settings: ServiceSettings, callers: Callers | None):
        self.status_code, self.background = 200, None
        self._engine, self._settings, self._callers = engine, settings, callers
        self._longest = settings.max_text_chars * _BYTES_OF_A_CHARACTER + _BEYOND_TEXT
        self._bad = 0
        self._is_gone = self._is_late = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run as an ASGI app."""
        headers = [(b"content-type", MEDIA_TYPE.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        number = 0
        async for batch in self._batches(receive):
            answers = await self._answers(batch, number)
            number += len(batch)
            body = "".join(map(dump, answers)).encode("utf-8")
            try:
                # uvicorn waits here until the caller has taken what was sent before.
                async with asyncio.timeout(self._settings.timeout_seconds):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            except TimeoutError:
                return  # the caller takes nothing: uvicorn closes the connection
            if self._bad >= _GIVEN_UP:
                break
        if not self._is_gone:
            await send({"type": "http.response.body", "body": self._end(), "more_body": False})

    def _end(self) -> bytes:
        """Return the last line, where the stream ends before its time."""
        if self._bad >= _GIVEN_UP:
            error = invalid(f"{_GIVEN_UP} lines in a row were bad.", "TOO_MANY_BAD_LINES")
        elif self._is_late:
            seconds = self._settings.receive_seconds
            error = ServiceError(408, f"No line arrived within {seconds:g} s.", "BODY_TOO_SLOW")
        else:
            return b""
        return dump(error.body()).encode("utf-8")

    async def _batches(self, receive: Receive) -> AsyncIterator[list[bytes]]:
        """Yield the lines that have arrived, at most a batch of the detector."""
        size = self._settings.max_batch
        rest, more = b"", True
        while more:
            try:
                async with asyncio.timeout(self._settings.receive_seconds):
                    message = await receive()
            except TimeoutError:
                self._is_late = True
                return
            if message["type"] == "http.disconnect":
                self._is_gone = True
                return
            rest += message.get("body", b"")
            more = message.get("more_body", False)
            *lines, rest = rest.split(b"\n")
            if not more and rest.strip():
                lines, rest = [*lines, rest], b""
            lines = [line for line in lines if line.strip()]
            for start in range(0, len(lines), size):
                yield lines[start : start + size]
            if len(rest) > self._longest:
                yield [
                    rest[: self._longest + 1]
                ]  # answered with what is wrong, and the stream ends
                return

    async def _answers(self, lines: list[bytes], first: int) -> list[dict[str, Any]]:
        """Score lines; those that can be are scored together."""
        wanted: list[LineRequest | Exception] = [self._read(line) for line in lines]
        found: list[dict[str, Any]] = [{}] * len(lines)
        groups: dict[str, list[int]] = {}
        for at, each in enumerate(wanted):
            if isinstance(each, LineRequest):
                groups.setdefault(each.lang, []).append(at)
            else:
                found[at] = answer_to(each).body()
        for lang, places in groups.items():
            for at, answer in zip(places, await self._scored(lang, places, wanted), strict=True):
                found[at] = answer
        for at, each in enumerate(wanted):
            own = {"id": each.id} if isinstance(each, LineRequest) and each.id is not None else {}
            found[at] = {"line": first + at + 1, **own, **found[at]}
            # A line above the rate is no bad line: the caller sends it again.
            self._bad = self._bad + 1 if isinstance(each, Exception) else 0
        return found

    async def _scored(
        self, lang: str, places: list[int], wanted: list[LineRequest | Exception]
    ) -> list[dict[str, Any]]:
        lines = [each for at in places if isinstance(each := wanted[at], LineRequest)]
        try:
            self._pay()
            answers = await score_texts(
                self._engine, [each.text for each in lines], None if lang == "auto" else lang
            )
        except (ServiceError, TactfulError) as error:
            return [answer_to(error).body()] * len(lines)
        return [
            answer_for(answer, choose_ids(each.only, self._engine.ids) if each.only else None)
            for each, answer in zip(lines, answers, strict=True)
        ]

    def _pay(self) -> None:
        """Count what was read so far to the rate of the caller; refuse where it is used up."""
        note = NOTE.get()
        if self._callers is not None and note is not None:
            self._callers.settle(note)

    def _read(self, line: bytes) -> LineRequest | Exception:
        try:
            if len(line) > self._longest:
                raise invalid(f"A line is longer than {self._longest:,} bytes.", "LINE_TOO_LONG")
            found = LineRequest.model_validate_json(line)
            if "\0" in found.text:
                raise invalid("The text holds the character NUL (U+0000).", "NUL_IN_TEXT")
            check_length(found.text, self._settings)
            if found.only:
                choose_ids(found.only, self._engine.ids)
        except (ValidationError, ServiceError, TactfulError) as error:
            return error
        return found
