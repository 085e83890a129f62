"""The HTTP protocol of uvicorn, with limits on the head of a request and on parallel requests.

Connections with slow or endless heads are closed. Too many requests are refused here, before any
other work: a flood of short requests would fill the event loop long before the queue of texts.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import ClassVar, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tactful.service.http.errors import Busy, ServiceError, invalid

MOST_HEAD_BYTES = 64 * 1024
"""The request line and all headers together; a longer head is answered with 431."""
HEAD_SECONDS = 10.0
_FULL_BODY = json.dumps(Busy(1).body()).encode()
_FULL = (
    b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_FULL_BODY), _FULL_BODY)
)


class PatientProtocol(HttpToolsProtocol):
    """Closes connections whose head does not end, which uvicorn would keep open."""

    head_seconds: ClassVar[float] = HEAD_SECONDS
    most_at_once: ClassVar[int | None] = None
    """The most parallel requests of a process; further ones are answered with 429."""
    on_refused: ClassVar[Callable[[], None] | None] = None
    full_answers: ClassVar[Mapping[bytes, bytes]] = {}
    """Path -> what is answered there instead of 429, for a service that fails closed."""
    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _is_in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock for the first request."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._head_arrived()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Start the clock for a further request on the same connection."""
        super().on_message_begin()
        if not self._is_in_head:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Stop the clock: the service limits the time of the body."""
        self._head_arrived()
        if self.transport.is_closing():  # a request behind one that was refused
            self._step_over()
        elif self._head_length() > MOST_HEAD_BYTES:
            self._refuse(_too_long())
            self._step_over()
        elif self._is_full():
            self._turn_away()
        else:
            super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Count what belongs to a head that has not ended."""
        super().data_received(data)
        if self._is_in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._refuse(_too_long())

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP in the format of all other errors."""
        self._refuse(invalid("The request is not valid HTTP.", "INVALID_HTTP"))

    def _head_length(self) -> int:
        pairs = sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        return len(self.url) + pairs

    def _is_free(self) -> bool:
        """Say whether no answer is under way: answers stay in the order of their requests."""
        return self.cycle is None or self.cycle.response_complete

    def _step_over(self) -> None:
        """Let the parser skip the body of a request that is answered or dropped."""
        self.cycle = cast(RequestResponseCycle, _Answered())

    def _is_full(self) -> bool:
        return (
            self.most_at_once is not None
            and len(self.tasks) >= self.most_at_once
            and self._is_free()
            and self.parser.get_method() == b"POST"
        )

    def _turn_away(self) -> None:
        """Answer immediately and let the parser skip the body; the connection stays open."""
        refused = type(self).on_refused
        if refused is not None:
            refused()
        self.transport.write(self.full_answers.get(self.url.partition(b"?")[0], _FULL))
        self._step_over()
        if self.parser.should_keep_alive():
            self.on_response_complete()
        else:
            self.transport.close()

    def _await_head(self) -> None:
        self._is_in_head, self._head_bytes = True, 0
        self._head_timer = self.loop.call_later(self.head_seconds, self.transport.close)

    def _head_arrived(self) -> None:
        self._is_in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse(self, error: ServiceError) -> None:
        if self.transport.is_closing():
            return
        if not self._is_free():
            self.transport.close()
            return
        body = json.dumps(error.body()).encode()
        head = (
            f"HTTP/1.1 {error.code} {HTTPStatus(error.code).phrase}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()


def whole_answer(body: bytes) -> bytes:
    """Return JSON as a whole answer of HTTP."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
    return head % (len(body), body)


def _too_long() -> ServiceError:
    most = f"{MOST_HEAD_BYTES:,} bytes"
    return invalid(f"The headers are longer than {most}.", "HEADERS_TOO_LARGE", 431)


class _Answered:
    """Represents a request that was answered, so that uvicorn skips its body."""

    response_complete = True

    def __init__(self) -> None:
        self.message_event = asyncio.Event()
