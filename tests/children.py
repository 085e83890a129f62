"""Child processes that a test starts, interrupts and always ends."""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

LIMIT = 120.0
"""Seconds after which a child that should have ended fails the test."""

INTERRUPTED = (130, -signal.SIGINT)
"""Exit codes after Ctrl-C. A shell shows both as 130; the second is Python's own, which it prefers
when the interrupt came while a module was loaded."""


@contextmanager
def child(command: Sequence[str | os.PathLike[str]], **options: Any) -> Iterator[Any]:
    """Start a process; end it, and all that it started, when the block ends.

    It has a session of its own, as a command in a terminal has: see ``interrupt``.
    """
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            end(process)


def interrupt(process: "subprocess.Popen[Any]") -> None:
    """Press Ctrl-C: a terminal sends it to all processes of the command."""
    os.killpg(process.pid, signal.SIGINT)


def end(process: "subprocess.Popen[Any]") -> None:
    """Kill the remaining processes of a child, and wait for its end."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(LIMIT)
