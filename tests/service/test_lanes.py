"""One thread, in which long work lets short work pass."""

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from tactful.service.engine.checking import Deadline
from tactful.service.engine.lanes import Lane
from tactful.service.http.errors import TimedOut


@pytest.fixture
def lane() -> Iterator[Lane]:
    found = Lane("test")
    yield found
    found.shutdown()


@pytest.fixture
def go_on(lane: Lane) -> Iterator[threading.Event]:
    """Hold the lane up until the event is set."""
    event, has_begun = threading.Event(), threading.Event()

    def wait() -> None:
        has_begun.set()
        event.wait(30)

    lane.submit(wait)
    assert has_begun.wait(30)
    yield event
    event.set()


def test_short_work_waits_for_one_piece_of_long_work(lane: Lane, go_on: threading.Event) -> None:
    done: list[str] = []
    pieces = [lane.long.submit(done.append, f"long {number}") for number in range(4)]
    short = [lane.submit(done.append, f"short {number}") for number in range(2)]
    go_on.set()
    for each in (*pieces, *short):
        each.result(30)
    assert done == ["long 0", "short 0", "long 1", "short 1", "long 2", "long 3"]


def test_answers_and_errors_come_back(lane: Lane) -> None:
    assert lane.submit(int, "12", base=3).result(30) == 5
    assert lane.long.submit(max, 1, 2).result(30) == 2
    with pytest.raises(ValueError, match="invalid literal"):
        lane.submit(int, "x").result(30)


def test_what_nobody_waits_for_is_not_begun(lane: Lane, go_on: threading.Event) -> None:
    done: list[int] = []
    gone = lane.submit(done.append, 1)
    kept = lane.submit(done.append, 2)
    assert gone.cancel()
    go_on.set()
    kept.result(30)
    assert done == [2]


def test_what_is_late_is_not_begun(lane: Lane, go_on: threading.Event) -> None:
    done: list[int] = []
    with pytest.raises(TimedOut):
        Deadline(0.01).wait_for(lane.long.submit(done.append, 1))
    last = lane.submit(done.append, 2)
    go_on.set()
    last.result(30)
    assert done == [2]


def test_a_request_that_is_given_up_has_no_time_left() -> None:
    deadline = Deadline(1000)
    assert deadline.left() > 900
    deadline.give_up()
    with pytest.raises(TimedOut):
        deadline.left()


def test_a_closed_lane_takes_nothing_and_ends_what_waits() -> None:
    lane = Lane("closing")
    event, has_begun = threading.Event(), threading.Event()

    def run() -> bool:
        has_begun.set()
        return event.wait(30)

    running = lane.submit(run)
    assert has_begun.wait(30)
    waiting = lane.submit(max, 1, 2)
    lane.shutdown(wait=False, cancel_futures=True)
    with pytest.raises(RuntimeError):
        lane.submit(max, 1, 2)
    event.set()
    lane.shutdown()
    assert running.result(0) is True
    with pytest.raises(CancelledError):
        waiting.result(0)
