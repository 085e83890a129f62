"""The door before the detectors: so many texts may be inside, and none stays too long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tactful.service.errors import Busy, NotReady, TimedOut
from tactful.service.metrics import Metrics


class Admission:
    """Counts the texts that wait or are being read."""

    def __init__(self, most: int, seconds: float, metrics: Metrics):
        self._most, self._seconds, self._metrics = most, seconds, metrics
        self.inside = 0
        self.is_closed = False
        self.seconds_per_text = 0.01
        """What a text took lately; says when it is worth coming back."""

    @asynccontextmanager
    async def place(self, weight: int = 1) -> AsyncIterator[None]:
        """Hold a place for so many texts while the block runs, and end it when its time is over.

        A request of more texts than may wait is let in when nothing else is inside.
        """
        if self.is_closed:
            raise NotReady("The service is stopping.", "STOPPING")
        if self.inside and self.inside + weight > self._most:
            self._metrics.rejected.labels("queue_full").inc()
            raise Busy(self.inside * self.seconds_per_text)
        self._move(weight)
        try:
            async with asyncio.timeout(self._seconds):
                yield
        except TimeoutError:
            self._metrics.rejected.labels("timed_out").inc()
            raise TimedOut(self._seconds) from None
        finally:
            self._move(-weight)

    def took(self, seconds: float, texts: int) -> None:
        """Remember how long a batch took."""
        self.seconds_per_text += 0.1 * (seconds / texts - self.seconds_per_text)

    async def close(self) -> None:
        """Let nobody in, and wait until all are out; each leaves when its time is over at last."""
        self.is_closed = True
        while self.inside:
            await asyncio.sleep(0.01)

    def _move(self, weight: int) -> None:
        self.inside += weight
        self._metrics.queue.set(self.inside)
