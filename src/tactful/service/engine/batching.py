"""Micro-batching: texts of requests that arrive together are read in one call of the detector.

Nothing waits while the detector is idle. While it reads a batch, what arrives forms the next one.
Right after a batch its callers send their next texts at nearly the same moment, so a next batch
that would be much smaller waits a few milliseconds for them.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from tactful.detectors.base import Scores
from tactful.service.http.errors import ServiceError, Unscorable

MOST_TOKENS = 3_072
"""The most tokens of a batch, so that a short text does not wait long for long ones."""


@dataclass(frozen=True, slots=True)
class Read:
    """What the detector said of one text, and how many were read with it."""

    probabilities: dict[str, float]
    batch: int


@dataclass(slots=True)
class _Waiting:
    text: str
    tokens: int
    answer: "asyncio.Future[Read]"


class Batcher:
    """Collects texts for one detector; to be used from the event loop only."""

    def __init__(
        self,
        score: Callable[[Sequence[str]], Scores],
        lane: Executor,
        *,
        most: int,
        wait_seconds: float,
        observe: Callable[[int, float], None],
        most_tokens: int = MOST_TOKENS,
    ):
        self._score, self._lane = score, lane
        self._most, self._most_tokens, self._wait = most, most_tokens, wait_seconds
        self._observe = observe
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Waiting] = deque()
        self._is_reading = False
        self._enough = 0
        """While a small batch waits for more: how many are enough."""
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._queue)

    def submit(self, text: str, tokens: int) -> "asyncio.Future[Read]":
        """Add a text to the queue; cancelling the answer removes it."""
        answer: asyncio.Future[Read] = self._loop.create_future()
        self._queue.append(_Waiting(text, tokens, answer))
        if not self._is_reading and (self._timer is None or len(self._queue) >= self._enough):
            self._start()
        return answer

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch = self._take()
        if not batch:
            return
        self._is_reading = True
        began = self._loop.time()
        reading = self._loop.run_in_executor(
            self._lane, _read, self._score, [each.text for each in batch]
        )
        reading.add_done_callback(lambda done: self._finish(batch, done, began))

    def _take(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        tokens = 0
        while self._queue and len(batch) < self._most:
            first = self._queue[0]
            if first.answer.done():  # its caller has disconnected
                self._queue.popleft()
                continue
            tokens += first.tokens
            if batch and tokens > self._most_tokens:
                break
            batch.append(self._queue.popleft())
        return batch

    def _finish(
        self,
        batch: list[_Waiting],
        done: "asyncio.Future[list[Read | Exception]]",
        began: float,
    ) -> None:
        self._is_reading = False
        if done.cancelled():  # the service has stopped, and no request waits
            for each in batch:
                each.answer.cancel()
            return
        failure = done.exception()
        answers = [failure] * len(batch) if failure is not None else done.result()
        for each, answer in zip(batch, answers, strict=True):
            if each.answer.done():
                continue
            if isinstance(answer, Read):
                each.answer.set_result(answer)
            else:
                each.answer.set_exception(answer)
        self._observe(len(batch), self._loop.time() - began)
        if self._wait and len(batch) > 1 and len(self._queue) < len(batch) // 2:
            self._enough = len(batch)
            self._timer = self._loop.call_later(self._wait, self._start)
        else:
            self._start()


def _read(score: Callable[[Sequence[str]], Scores], texts: Sequence[str]) -> list[Read | Exception]:
    """Score a batch; if it fails, score each text alone, so that other requests do not fail."""
    try:
        return list(_rows(score(texts), len(texts)))
    except ServiceError:
        raise
    except Exception as error:
        if len(texts) > 1:
            return [_read(score, [text])[0] for text in texts]
        # Its message may hold the text; the type and place of the cause are enough for the log.
        unscorable = Unscorable()
        unscorable.__cause__ = error
        return [unscorable]


def _rows(scores: Scores, count: int) -> list[Read]:
    columns = {name: column.tolist() for name, column in scores.items()}
    return [
        Read({name: column[row] for name, column in columns.items()}, count) for row in range(count)
    ]
