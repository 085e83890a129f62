"""A lane: one thread that alternates between short work and pieces of long work.

Long work comes in pieces. While both kinds wait, they take turns: a short comment waits for one
piece of a document, not for the whole document, and documents also make progress.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Job(NamedTuple):
    answer: "Future[Any]"
    call: Callable[[], Any]


class Lane(Executor):
    """One thread with two queues; what is submitted is short, and ``long`` takes pieces of more."""

    def __init__(self, name: str):
        self.long: Executor = _Long(self)
        """The same thread, for pieces of long work."""
        self._name = name
        self._changed = threading.Condition()
        self._short: deque[_Job] = deque()
        self._pieces: deque[_Job] = deque()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Queue short work; cancelling the answer removes it."""
        return self._put(self._short, lambda: fn(*args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse new work; end the thread after the queued work, or after the current work."""
        with self._changed:
            self._is_closed = True
            if cancel_futures:
                for job in (*self._short, *self._pieces):
                    job.answer.cancel()
            self._changed.notify()
        if wait and self._thread is not None:
            self._thread.join()

    def _put(self, queue: deque[_Job], call: Callable[[], T]) -> "Future[T]":
        answer: Future[T] = Future()
        with self._changed:
            if self._is_closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            queue.append(_Job(answer, call))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()
        return answer

    def _work(self) -> None:
        was_long = True
        while (job := self._next(was_long)) is not None:
            (answer, call), was_long = job
            # Work whose caller has disconnected is not started.
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(call())
                except BaseException as error:  # the caller of the work handles it
                    answer.set_exception(error)
            del answer, call, job  # else the last text would stay in memory while the lane is idle

    def _next(self, was_long: bool) -> tuple[_Job, bool] | None:
        """Wait for work; return it, and whether it is long. None ends the thread."""
        with self._changed:
            while not self._short and not self._pieces:
                if self._is_closed:
                    return None
                self._changed.wait()
            is_long = not self._short or (bool(self._pieces) and not was_long)
            return (self._pieces if is_long else self._short).popleft(), is_long


class _Long(Executor):
    def __init__(self, lane: Lane):
        self._lane = lane

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        return self._lane._put(self._lane._pieces, lambda: fn(*args, **kwargs))
