"""Environment variables for the processes that an engine starts."""

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
