"""Stopping a server with Ctrl-C or SIGTERM, whenever the signal comes."""

import contextlib
import signal
from collections.abc import Iterator

import uvicorn


@contextlib.contextmanager
def stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let both signals stop the server, also before it runs.

    Before that, Ctrl-C would raise KeyboardInterrupt, which Python ignores in a finaliser and in a
    callback of a C library.
    """
    before = {each: signal.signal(each, server.handle_exit) for each in _SIGNALS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


_SIGNALS = (signal.SIGINT, signal.SIGTERM)
