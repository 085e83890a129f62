"""Variables of the environment that the processes of an engine are started with."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def environment(wished: Mapping[str, str]) -> Iterator[None]:
    """Set what is not set yet, for as long as the block lasts."""
    new = {name: value for name, value in wished.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)
