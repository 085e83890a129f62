"""Giving memory back to the system after large requests, which would keep it otherwise.

Three keep it: onnxruntime, for inputs as large as the largest so far; detectors that remember
words; and the C library, for the next request.
"""

import asyncio
import contextlib
import ctypes
import time
from collections.abc import Awaitable, Callable

from tactful.service.logs import log_failure

SECONDS = 60.0
"""How often the service looks whether there is something to give back."""
WORK_SECONDS = 1.0
"""After less work than this, in seconds of the processor, there is nothing worth the trouble."""


def trim() -> None:
    """Let the C library give back what was freed; glibc can be asked to, others need not be."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


async def release_regularly(
    release: Callable[[], Awaitable[None]],
    seconds: float = SECONDS,
    worked: Callable[[], float] = time.process_time,
) -> None:
    """Call ``release`` now and then, if the process has worked since; runs until cancelled.

    That memory has grown would be the wrong sign: what is given back while much is under way is
    little, and what is left would pass for the ordinary size from then on.
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
