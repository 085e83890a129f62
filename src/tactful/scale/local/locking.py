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
    """Lock a folder for this process; a crash releases it, and another run is refused meanwhile."""
    handle = _held(folder)
    while handle is None:
        handle = _held(folder)
    try:
        yield
    finally:
        os.close(handle)


def _held(folder: Path) -> int | None:
    """Lock a folder; None if the run that held it has just ended and removed it."""
    handle = _opened(folder)
    is_ours = False
    try:
        if not _take(handle):
            raise RunError(
                f"{folder}: another run is writing here; expected no other; wait for it, stop it "
                "or name another output."
            )
        is_ours = _is_still_there(handle, folder)
    finally:
        if not is_ours:
            os.close(handle)
    return handle if is_ours else None


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
    """Try to lock the file; the system releases it when the process ends.

    A disk that cannot lock files at all raises another error.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
