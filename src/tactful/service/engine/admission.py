"""The queue in front of the detectors: it is bounded, and no text waits in it too long.

Long requests have a queue of their own. One at a time is worked on, a few may wait, and further
ones are refused, so there is always room for short requests.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tactful.service.http.errors import Busy, NotReady, TimedOut
from tactful.service.metrics import Metrics

_LONG_SECONDS = 2.0
"""The most seconds of a long request; Retry-After is computed from it."""


class Admission:
    """Counts the texts that wait or are being read."""

    def __init__(self, most: int, most_long: int, seconds: float, metrics: Metrics):
        self._most, self._most_long = most, most_long
        self._seconds, self._metrics = seconds, metrics
        self._turn = asyncio.Lock()
        self._short = self._long = 0
        self.is_closed = False
        self.seconds_per_text = 0.01
        """The recent average; Retry-After is computed from it."""

    @property
    def inside(self) -> int:
        """How many texts and long requests wait or are being read."""
        return self._short + self._long

    @asynccontextmanager
    async def place(self, weight: int = 1, *, is_long: bool = False) -> AsyncIterator[bool]:
        """Hold a place for ``weight`` texts while the block runs; end the block at its deadline.

        A request with more texts than the queue holds is admitted when there is no other short
        request. A long one waits for its turn.
        """
        if self.is_closed:
            raise NotReady("The service is stopping.", "STOPPING")
        if is_long and self._long >= self._most_long:
            self._metrics.rejected.labels("long_queue_full").inc()
            raise Busy(self._long * _LONG_SECONDS)
        if not is_long and self._short and self._short + weight > self._most:
            self._metrics.rejected.labels("queue_full").inc()
            raise Busy(self._short * self.seconds_per_text)
        self._move(weight, is_long)
        try:
            async with asyncio.timeout(self._seconds):
                if is_long:
                    async with self._turn:
                        yield True
                else:
                    yield False
        except TimeoutError:
            self._metrics.rejected.labels("timed_out").inc()
            raise TimedOut(self._seconds) from None
        finally:
            self._move(-weight, is_long)

    def took(self, seconds: float, texts: int) -> None:
        """Update the average with the time of a batch."""
        self.seconds_per_text += 0.1 * (seconds / texts - self.seconds_per_text)

    async def close(self) -> None:
        """Refuse new texts, and wait for those inside; each ends by its deadline."""
        self.is_closed = True
        while self.inside:
            await asyncio.sleep(0.01)

    def _move(self, weight: int, is_long: bool) -> None:
        if is_long:
            self._long += 1 if weight > 0 else -1
        else:
            self._short += weight
        self._metrics.queue.set(self.inside)
