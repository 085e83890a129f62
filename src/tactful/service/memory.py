"""Giving memory back to the system after large requests, which would keep it otherwise.

Three keep it: onnxruntime, for inputs as large as the largest so far; detectors that remember
words; and the C library, for whoever asks next.
"""

import asyncio
import contextlib
import ctypes
from collections.abc import Awaitable, Callable
from pathlib import Path

SECONDS = 60.0
"""How often is looked whether there is something to give back."""
_GROWTH = 1.05
"""Less growth than this is not worth the trouble."""
_STATUS = Path("/proc/self/status")


def resident() -> int | None:
    """Return the resident memory of this process in kB; None where the system does not tell."""
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), None)


def trim() -> None:
    """Let the C library give back what was freed; glibc can be asked to, others need not be."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


async def release_regularly(
    release: Callable[[], Awaitable[None]],
    seconds: float = SECONDS,
    resident: Callable[[], int | None] = resident,
) -> None:
    """Call ``release`` whenever memory has grown since it was last called; runs until cancelled."""
    least = 0
    while True:
        await asyncio.sleep(seconds)
        now = resident()
        if now is None:
            return
        if now > least * _GROWTH:
            await release()
            least = resident() or 0
        else:
            least = min(least, now)
