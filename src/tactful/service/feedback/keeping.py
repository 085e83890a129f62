"""Keeping feedback in a running service: what is acknowledged is on disk.

Feedback that arrives together is written in one transaction, so that many callers wait for one
sync of the disk. What is older than the policy allows is deleted once an hour.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from tactful.errors import TactfulError
from tactful.service.engine.engine import Engine, Scored
from tactful.service.feedback.records import Kind, Record
from tactful.service.feedback.store import FeedbackStore, open_feedback
from tactful.service.http.errors import Busy, NotReady, ServiceError
from tactful.service.logs import LOGGER, key_in_use, log_failure
from tactful.service.settings import ServiceSettings

T = TypeVar("T")

_MOST_WAITING = 256
"""Records that may wait for the disk in a process; further ones are answered with 429."""
_MOST_AT_ONCE = 64
_HOUR = 3600.0
_DIGITS = 6


class Feedback:
    """The feedback of one process."""

    def __init__(self, engine: Engine, settings: ServiceSettings):
        if settings.feedback is None:
            raise ValueError("there is no feedback store")
        self._engine, self._settings = engine, settings
        self._url = settings.feedback
        self._opened: FeedbackStore | None = None
        self._waiting: asyncio.Queue[tuple[Record, asyncio.Future[None]]] = asyncio.Queue(
            _MOST_WAITING
        )
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the store, and begin to write and to delete what is too old."""
        self._opened = await asyncio.to_thread(open_feedback, self._url)
        self._tasks = [asyncio.create_task(each) for each in (self._write(), self._expire())]

    async def stop(self) -> None:
        """Write what was accepted, and close the store."""
        await self._waiting.join()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._opened is not None:
            await asyncio.to_thread(self._opened.close)

    @property
    def store(self) -> FeedbackStore:
        """The open store."""
        if self._opened is None:
            raise NotReady("The service is still starting.")
        return self._opened

    async def add(
        self,
        kind: Kind,
        text: str,
        data: Mapping[str, Any],
        *,
        id: str | None = None,
        lang: str | None = None,
        author: str | None = None,
        by_hash: str | None = None,
    ) -> str:
        """Store one piece of feedback and return its id; it is on disk when this returns.

        The author is named by a token, or by the hash that is stored of one.
        """
        secret = self.store.secret
        record = Record(
            id or secrets.token_hex(16),
            kind,
            time.time(),
            secret.item(text),
            text if self._settings.feedback_texts == "keep" else None,
            lang,
            by_hash if author is None else secret.author(author),
            key_in_use(),
            {**await self._scores(text, lang), **data},
        )
        done = asyncio.get_running_loop().create_future()
        try:
            self._waiting.put_nowait((record, done))
        except asyncio.QueueFull:
            raise Busy(1) from None
        await done
        return record.id

    async def read(self, call: Callable[[FeedbackStore], T]) -> T:
        """Call the store in a thread; a store that cannot be reached is answered with 503."""
        try:
            return await asyncio.to_thread(call, self.store)
        except TactfulError as error:
            log_failure("The feedback store failed", error)
            raise _unreachable() from error

    async def _scores(self, text: str, lang: str | None) -> dict[str, Any]:
        """Return what the model says now: thresholds can be fitted without the text."""
        served = lang if lang in self._engine.cards else None
        (found,) = await self._engine.score_each([text], served, watched=False)
        if not isinstance(found, Scored):
            return {}
        scores = {name: round(value, _DIGITS) for name, value in found.probabilities.items()}
        return {"model": found.model, "scores": scores, "lang": found.lang}

    async def _write(self) -> None:
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < _MOST_AT_ONCE and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            error: ServiceError | None = None
            try:
                await asyncio.to_thread(self.store.add, [record for record, _ in batch])
            except Exception as found:
                log_failure("Feedback could not be stored", found)
                error = _unreachable()
            for _, done in batch:
                if not done.done():  # the caller may have left
                    done.set_exception(error) if error else done.set_result(None)
                self._waiting.task_done()

    async def _expire(self) -> None:
        while True:
            try:
                call = partial(self.store.expire, self._settings.feedback_days, time.time())
                gone = await asyncio.to_thread(call)
            except TactfulError as error:
                log_failure("Old feedback could not be deleted", error)
            else:
                if gone:
                    LOGGER.info("Deleted old feedback", extra={"fields": {"records": gone}})
            await asyncio.sleep(_HOUR)


def _unreachable() -> ServiceError:
    return ServiceError(
        503,
        "The feedback store cannot be reached; nothing was stored. Try again later.",
        "STORE_UNREACHABLE",
        headers={"Retry-After": "5"},
    )
