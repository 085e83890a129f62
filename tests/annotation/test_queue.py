from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.state.queue import Queue

CHANGES = st.lists(
    st.tuples(st.sampled_from(["add", "discard", "read"]), st.integers(-2, 2), st.integers(0, 200)),
    max_size=300,
)


@given(CHANGES)
def test_a_queue_is_a_sorted_set(changes: list[tuple[str, int, int]]) -> None:
    queue, expected = Queue(), set[tuple[float, int]]()
    for what, priority, place in changes:
        key = (float(priority), place)
        if what == "add":
            queue.add(key)
            expected.add(key)
        elif what == "discard":
            queue.discard(key)
            expected.discard(key)
        else:
            assert list(queue) == sorted(expected)
    assert list(queue) == sorted(expected)


def test_many_come_and_go() -> None:
    queue = Queue()
    for place in range(1000):
        queue.add((0.0, place))
    assert next(iter(queue)) == (0.0, 0)
    for place in range(900):
        queue.discard((0.0, place))
        if place % 50 == 0:
            assert next(iter(queue)) == (0.0, place + 1)
    queue.add((0.0, 5))
    assert list(queue)[:2] == [(0.0, 5), (0.0, 900)]
