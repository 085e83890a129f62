"""Files that are whole or absent: written under another name, and renamed when all is on the disk.

The other name has the number of the process in it, so that two can never write to the same one.
"""

import os
import re
from pathlib import Path

_UNFINISHED = re.compile(r"\..*\.\d+\.unfinished")


def write_atomically(path: Path, data: bytes, beside: Path | None = None) -> None:
    """Write a file; ``beside`` is where it lies until it is whole, if not in its own folder."""
    temporary = temporary_path(path, beside)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def temporary_path(path: Path, beside: Path | None = None) -> Path:
    """Return the name that a file of this process has until it is whole."""
    return (beside or path.parent) / f".{path.name}.{os.getpid()}.unfinished"


def remove_temporary(folder: Path) -> None:
    """Remove what runs that were ended had begun to write."""
    for path in folder.iterdir():
        if is_temporary(path.name):
            path.unlink(missing_ok=True)


def is_temporary(name: str) -> bool:
    """Say whether a name is one that a file has until it is whole."""
    return _UNFINISHED.fullmatch(name) is not None
