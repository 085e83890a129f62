"""Atomic writes: a file gets its name when it is complete on the disk.

The temporary name contains the process id, so that two processes never write to the same file.
"""

import os
import re
from pathlib import Path

_UNFINISHED = re.compile(r"\..*\.\d+\.unfinished")


def write_atomically(path: Path, data: bytes, beside: Path | None = None) -> None:
    """Write a file; ``beside`` is the folder of the temporary file, if not that of ``path``."""
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
    """Return the temporary name of a file of this process."""
    return (beside or path.parent) / f".{path.name}.{os.getpid()}.unfinished"


def remove_temporary(folder: Path) -> None:
    """Remove the temporary files of interrupted runs."""
    for path in folder.iterdir():
        if is_temporary(path.name):
            path.unlink(missing_ok=True)


def is_temporary(name: str) -> bool:
    """Say whether a name is that of a temporary file."""
    return _UNFINISHED.fullmatch(name) is not None
