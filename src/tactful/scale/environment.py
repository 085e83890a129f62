"""Environment variables for the processes that an engine starts, and how many of them there are."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def environment(values: Mapping[str, str], *, override: bool = False) -> Iterator[None]:
    """Set variables for the length of the block; those that are set already stay by default."""
    new = {name: value for name, value in values.items() if override or name not in os.environ}
    before = {name: os.environ[name] for name in new if name in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            del os.environ[name]
        os.environ.update(before)


def cores() -> int:
    """Return how many cores this process may use, which is less than there are in a container."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
