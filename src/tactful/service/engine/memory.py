"""Releasing memory to the system after large requests.

Three parts keep memory: onnxruntime, for inputs as large as the largest so far; detectors that
cache words; and the C library, for the next request.
"""

import asyncio
import contextlib
import ctypes
import time
from collections.abc import Awaitable, Callable

from tactful.service.logs import log_failure

SECONDS = 60.0
"""How often the service checks whether there is memory to release."""
WORK_SECONDS = 1.0
"""After less work than this, in seconds of CPU time, nothing is released."""


def trim() -> None:
    """Let the C library release freed memory; only glibc has and needs this call."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


async def release_regularly(
    release: Callable[[], Awaitable[None]],
    seconds: float = SECONDS,
    worked: Callable[[], float] = time.process_time,
) -> None:
    """Call ``release`` regularly, if the process has worked since; runs until cancelled.

    The size of the memory is not used: what a busy service releases is little, and the rest would
    count as the normal size from then on.
    """
    at_last_release = 0.0
    while True:
        await asyncio.sleep(seconds)
        if worked() - at_last_release < WORK_SECONDS:
            continue
        try:
            await release()
        except Exception as error:
            log_failure("Memory could not be given back", error)
        at_last_release = worked()
