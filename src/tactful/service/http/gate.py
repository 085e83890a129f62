"""What happens to every request around its route: limits, keys, timing, log and metrics.

One plain ASGI layer does it all, because each layer costs time at every request.
"""

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from itertools import count

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tactful.errors import TactfulError
from tactful.service.http.batch import PATHS, query_of_first
from tactful.service.http.callers import Callers, secret_of
from tactful.service.http.direct import Direct, call_at_once
from tactful.service.http.errors import INTERNAL, ServiceError, answer_to, invalid
from tactful.service.logs import NOTE, Note, log_failure, log_request
from tactful.service.metrics import Metrics
from tactful.service.settings import ServiceSettings

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of all answers that a browser may show, unless the answer has its own."""
HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
"""Headers of every answer, unless it has its own."""

_FEW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_ALL = [*_FEW, *((name.lower().encode(), value.encode()) for name, value in PAGE_HEADERS.items())]
_JSON = (b"content-type", b"application/json")
_WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")
_REQUEST_ID = re.compile(rb"[\w-]{1,64}")
_PROCESS = secrets.token_hex(4)
_NUMBERS = count(1)
_GONE = 499
"""The status in the log if the caller disconnects before the answer; the number is nginx's."""
STREAM = "/v1/score:stream"
"""Its route reads the body by itself, while it answers."""
_QUIET = ("/healthz", "/readyz", "/metrics")
"""Asked for every few seconds by machines; logged only when they fail."""


class Gate:
    """Reads the body within its limits, runs the route, and turns all errors into answers."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        metrics: Metrics,
        direct: Direct,
        reviews: Mapping[str, bytes],
    ):
        self._app, self._settings, self._metrics = app, settings, metrics
        self._callers = Callers(settings)
        self._direct, self._reviews = direct, reviews

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        review = self._reviews.get(self._path(scope)) if scope["method"] == "POST" else None
        passage = _Passage(scope, receive, send, self._settings, review)
        await passage.run(self._through, self._tell)

    async def _through(self, passage: "_Passage") -> None:
        path = self._path(passage.scope)
        if path in PATHS:
            # Google's clients show their key only in the parts of a batch.
            await passage.read_body()
            passage.take_key_of_batch()
        self._callers.admit(passage.scope, path, passage.note)
        method = passage.scope["method"]
        if path == STREAM:
            passage.scope["tactful_callers"] = self._callers
        elif method in _WITH_BODY and path not in PATHS:
            await passage.read_body()
        route = self._direct.get((method, path))
        if route is None:
            await passage.call(self._app)
        else:
            passage.scope["route"] = route
            await passage.call(partial(call_at_once, route.endpoint))

    def _path(self, scope: Scope) -> str:
        return str(scope["path"].removeprefix(self._settings.root_path))

    def _tell(self, passage: "_Passage") -> None:
        seconds = time.perf_counter() - passage.began
        route = passage.route
        self._metrics.requests.labels(route, passage.status).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        self._callers.charge(passage.note)
        if passage.note.review is not None:
            self._metrics.reviews.labels(passage.note.review).inc()
        if passage.note.tokens:
            self._metrics.tokens.labels(passage.note.key or "none").inc(passage.note.tokens)
        if route not in _QUIET or passage.status >= 400:
            method = passage.scope["method"]
            log_request(method, route, passage.status, seconds * 1000, passage.note)


class _Passage:
    """One request on its way through the gate."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        settings: ServiceSettings,
        review: bytes | None,
    ):
        self.scope, self._receive, self._send = scope, receive, send
        self._settings, self._review = settings, review
        self.note = Note(_request_id(scope))
        self.began = time.perf_counter()
        self.status = 0
        self._body: bytes | None = None
        self._is_gone = False
        self._watch: asyncio.Future[Message] | None = None

    @property
    def route(self) -> str:
        """The pattern of the path, so that requested values are in no metric and no log."""
        found = self.scope.get("route")
        return str(getattr(found, "path", "other"))

    async def run(
        self,
        through: "Callable[[_Passage], Awaitable[None]]",
        tell: "Callable[[_Passage], None]",
    ) -> None:
        """Handle the request; every exception becomes an answer in the same format."""
        NOTE.set(self.note)
        try:
            await through(self)
        except (ServiceError, TactfulError, HTTPException, ValidationError) as error:
            await self._answer(answer_to(error))
        except asyncio.CancelledError:
            if not self._is_gone:
                raise
            self.status = _GONE
        except Exception as error:
            log_failure("A request failed", error, self.note.request)
            await self._answer(ServiceError(500, INTERNAL))
        finally:
            if self._watch is not None:
                self._watch.cancel()
            tell(self)

    async def read_body(self) -> None:
        """Read the body, within the limits of size and time."""
        most, seconds = self._settings.max_body_bytes, self._settings.receive_seconds
        for name, value in self.scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > most:
                raise _too_large(most)
        pieces: list[bytes] = []
        length, more = 0, True
        try:
            async with asyncio.timeout(seconds):
                while more:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":
                        self._is_gone = True
                        raise asyncio.CancelledError
                    pieces.append(message.get("body", b""))
                    length += len(pieces[-1])
                    if length > most:
                        raise _too_large(most)
                    more = message.get("more_body", False)
        except TimeoutError:
            raise ServiceError(
                408,
                f"The body did not arrive within {seconds:g} s.",
                "BODY_TOO_SLOW",
                headers={"Connection": "close"},
            ) from None
        self._body = b"".join(pieces)

    def take_key_of_batch(self) -> None:
        """Treat the key in the first part of a batch as that of the request, if it has none."""
        if secret_of(self.scope) is None and self._body is not None:
            self.scope["query_string"] = query_of_first(self._body)

    async def call(self, app: ASGIApp) -> None:
        """Run the app; cancel it if the caller disconnects."""
        if self._body is not None:
            self._watch = asyncio.ensure_future(self._receive())
            task = asyncio.current_task()
            self._watch.add_done_callback(lambda done: self._caller_left(done, task))
        await app(self.scope, self._next_message, self.send)

    def _caller_left(
        self, done: "asyncio.Future[Message]", task: "asyncio.Task[object] | None"
    ) -> None:
        # After the answer has begun, the end of the connection is normal.
        if not done.cancelled() and not self.status and task is not None:
            self._is_gone = True
            task.cancel()

    async def _next_message(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        if self._watch is not None:
            return await asyncio.shield(self._watch)
        return await self._receive()

    async def send(self, message: Message) -> None:
        """Send a part of the answer; the first gets our headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = message.get("headers", [])
            own = {name for name, _ in given}
            # Each header costs time, and browsers do not show JSON as a page.
            ours = _FEW if _JSON in given else _ALL
            message["headers"] = [
                *given,
                *(pair for pair in ours if pair[0] not in own),
                (b"x-request-id", self.note.request.encode()),
            ]
        await self._send(message)

    async def _answer(self, error: ServiceError) -> None:
        if self.status:  # a part of the answer was sent; uvicorn closes the connection
            return
        answer = error.response()
        if self._review is not None and error.code != HTTPStatus.UNAUTHORIZED:
            # Where comments are not to pass unseen, no error is an answer, except of a wrong key.
            self.note.review = error.kind
            answer = Response(self._review, headers=error.headers, media_type="application/json")
        await answer(self.scope, self._next_message, self.send)


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return str(value.decode("ascii"))
    return f"{_PROCESS}-{next(_NUMBERS):x}"


def _too_large(most: int) -> ServiceError:
    error = invalid(f"The request is longer than {most:,} bytes.", "REQUEST_TOO_LARGE", 413)
    # The rest of the body is not read: the connection cannot be used again.
    error.headers["Connection"] = "close"
    return error
