"""One run at a time for one output."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tactful.errors import OutputError, RunError

LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; a crash lets it go, and another run is refused meanwhile."""
    handle = _opened(folder)
    try:
        while _take(handle) and not _is_still_there(handle, folder):
            # The run that held it has ended and taken its folder away.
            os.close(handle)
            handle = _opened(folder)
        if not _take(handle):
            raise RunError(
                f"{folder}: another run is writing here; expected to be alone; wait for it or end "
                "it, or name another output."
            )
        yield
    finally:
        os.close(handle)


def _opened(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror}).") from None


def _is_still_there(handle: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), (folder / LOCK).stat())
    except OSError:
        return False


def _take(handle: int) -> bool:
    """Say whether the file is now ours; the system gives it back when the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
