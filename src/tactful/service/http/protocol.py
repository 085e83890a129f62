"""The HTTP protocol of uvicorn, with patience that ends.

Slow and endless heads are cut off. A crowd is turned away here, before any work is done for it: the
event loop itself is what a flood of short requests would fill, long before the queue of texts.
"""

import asyncio
import json
from collections.abc import Callable
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
    """Closes connections whose head does not end, which uvicorn would keep for ever."""

    head_seconds: ClassVar[float] = HEAD_SECONDS
    most_at_once: ClassVar[int | None] = None
    """So many requests are under way in a process; further ones are answered with 429."""
    on_refused: ClassVar[Callable[[], None] | None] = None
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
        """Stop the clock: from here on, the service watches over the body."""
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
        """Answer to what is no HTTP in the shape of all other errors."""
        self._refuse(invalid("The request is not valid HTTP.", "INVALID_HTTP"))

    def _head_length(self) -> int:
        pairs = sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        return len(self.url) + pairs

    def _is_free(self) -> bool:
        """Say whether no answer is under way: answers stay in the order of their requests."""
        return self.cycle is None or self.cycle.response_complete

    def _step_over(self) -> None:
        """Let the parser go past the body of a request that is answered or dropped."""
        self.cycle = cast(RequestResponseCycle, _Answered())

    def _is_full(self) -> bool:
        return (
            self.most_at_once is not None
            and len(self.tasks) >= self.most_at_once
            and self._is_free()
            and self.parser.get_method() == b"POST"
        )

    def _turn_away(self) -> None:
        """Answer at once, and let the parser step over the body; the connection goes on."""
        refused = type(self).on_refused
        if refused is not None:
            refused()
        self.transport.write(_FULL)
        self._step_over()
        if self.parser.should_keep_alive():
            self.on_response_complete()
        else:
            self.transport.close()

    def _await_head(self) -> None:
        self._is_in_head, self._head_bytes = True, 0
        self._head_timer = self.loop.call_later(self.head_seconds, self._give_up)

    def _head_arrived(self) -> None:
        self._is_in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

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


def _too_long() -> ServiceError:
    most = f"{MOST_HEAD_BYTES:,} bytes"
    return invalid(f"The headers are longer than {most}.", "HEADERS_TOO_LARGE", 431)


class _Answered:
    """Stands for a request that has its answer, so that uvicorn steps over its body."""

    response_complete = True

    def __init__(self) -> None:
        self.message_event = asyncio.Event()
