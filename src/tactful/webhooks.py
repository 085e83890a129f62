"""Signed webhooks: events are sent to the operator's address, in the background.

An event is tried again with growing pauses; the queue is bounded, and what does not fit is counted
and logged. Nobody waits for it. Receivers check the signature with :func:`signature_of`, which is
an HMAC-SHA256 over the time and the body.
"""

import asyncio
import contextlib
import hashlib
import hmac
import json
import logging
import os
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import Any

from tactful import __version__
from tactful.errors import UsageError, place_of
from tactful.posting import opener_of, read_address, refuse_plain_http

SCHEMA = "tactful/event/1"
SECRET_VARIABLE = "TACTFUL_WEBHOOK_SECRET"  # noqa: S105 (the name of a variable)
TRIES = 6
FIRST_PAUSE = 1.0
"""Seconds before the second try; twice as many before each further one."""
MOST_WAITING = 1_000
_LEAST_SECRET = 16
_SECONDS = 10.0
_LAST_SECONDS = 5.0
"""How long a server that stops still sends."""
_AGAIN = (408, 425, 429)


def signature_of(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of an event, as the header ``X-Tactful-Signature`` has it.

    >>> signature_of("a secret", "1700000000", b"{}")[:11]
    'v1=f4c7f7db'
    """
    data = timestamp.encode("ascii") + b"." + body
    return "v1=" + hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()


def checked_address(url: str) -> str:
    """Return the address of a webhook; refuse one that cannot be used or would be unencrypted."""
    parts = read_address(
        url, option="the path of the address", example="https://forum.example.org/hook"
    )
    refuse_plain_http(parts, "events")
    return url


def read_secret() -> str:
    """Return the secret that events are signed with."""
    found = os.environ.get(SECRET_VARIABLE, "").strip()
    if len(found) < _LEAST_SECRET:
        raise UsageError(
            f"Webhooks need a secret for their signatures: set the environment variable "
            f"{SECRET_VARIABLE} to at least {_LEAST_SECRET} characters, such as those of "
            "'openssl rand -hex 32'."
        )
    return found


@dataclass(frozen=True, slots=True)
class _Event:
    id: str
    body: bytes


class Sender:
    """Sends events to one address.

    Parameters
    ----------
    url
        The address.
    logger
        Where failures are logged, without the content of events.
    count
        Called with what became of events (``sent``, ``refused``, ``failed``, ``lost``), and how
        many.
    pause
        Seconds before the second try.

    """

    def __init__(
        self,
        url: str,
        logger: logging.Logger,
        count: Callable[[str, int], None] = lambda result, events: None,
        pause: float = FIRST_PAUSE,
    ):
        self._url, self._secret = checked_address(url), read_secret()
        self._logger, self._count, self._pause = logger, count, pause
        self._waiting: asyncio.Queue[_Event] = asyncio.Queue(MOST_WAITING)
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Begin to send."""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Send what waits, for a few seconds; say how many events are lost."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await self._waiting.join()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if lost := self._waiting.qsize():
            self._lost(lost)

    def queue(self, kind: str, data: Mapping[str, Any]) -> None:
        """Queue an event, in the thread of the event loop; never waits."""
        name = secrets.token_hex(16)
        event = {"schema": SCHEMA, "id": name, "type": kind, "at": round(time.time(), 3), **data}
        try:
            self._waiting.put_nowait(_Event(name, json.dumps(event).encode()))
        except asyncio.QueueFull:
            self._lost(1)

    def queue_soon(self, kind: str, data: Mapping[str, Any]) -> None:
        """Queue an event from any thread; nothing happens before the start and after the end."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self.queue, kind, data)

    def _lost(self, events: int) -> None:
        self._count("lost", events)
        self._logger.error("Webhook events were lost", extra={"fields": {"events": events}})

    async def _run(self) -> None:
        while True:
            event = await self._waiting.get()
            try:
                result = await self._deliver(event)
            except Exception as error:
                # Its message may quote an event.
                fields = {"error": place_of(error)}
                self._logger.error("A webhook event failed", extra={"fields": fields})
                result = "failed"
            finally:
                self._waiting.task_done()
            self._count(result, 1)

    async def _deliver(self, event: _Event) -> str:
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(self._pause * 2 ** (attempt - 1))
            status = await asyncio.to_thread(self._post, event)
            if status is not None and 200 <= status < 300:
                return "sent"
            if status is not None and status < 500 and status not in _AGAIN:
                fields = {"status": status}
                self._logger.error("The webhook refuses an event", extra={"fields": fields})
                return "refused"
        fields = {"tries": TRIES}
        self._logger.error("The webhook did not take an event", extra={"fields": fields})
        return "failed"

    def _post(self, event: _Event) -> int | None:
        """Send an event once; return the status, or None where there is no answer."""
        timestamp = str(int(time.time()))
        request = urllib.request.Request(  # noqa: S310 (the scheme was checked)
            self._url,
            event.body,
            {
                "Content-Type": "application/json",
                "User-Agent": f"tactful/{__version__}",
                "X-Tactful-Delivery": event.id,
                "X-Tactful-Timestamp": timestamp,
                "X-Tactful-Signature": signature_of(self._secret, timestamp, event.body),
            },
            method="POST",
        )
        try:
            with opener_of(self._url, _NoRedirect()).open(request, timeout=_SECONDS) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with closing(error):
                return int(error.code)
        except (OSError, HTTPException):
            return None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: events go to the address of the operator only."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None
