"""Rows that cannot be read: the file and line, the reason, and the row itself.

They are listed in a file of JSON lines beside the output. The row is in that file and nowhere else:
it may hold what nobody wants in a log.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from tactful.errors import InputError
from tactful.scale.tables.atomic_write import temporary_path

LONGEST_ROW = 2_000
"""Longer rows are cut; the file and line show where the full row is."""
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that cannot be read."""

    file: str
    line: int
    """The line of the file on which the row starts; the first is 1."""
    reason: str
    row: str


def reject(file: str, line: int, reason: str, raw: bytes) -> Reject:
    """Return a row that cannot be read; bytes that are not text are written as ``\\xff``."""
    # A letter has four bytes at most.
    start = raw[: 4 * LONGEST_ROW].rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    return Reject(file, line, reason[:_LONGEST_REASON], start[:LONGEST_ROW])


def as_lines(rejects: Iterable[Reject]) -> bytes:
    """Return rejects as lines of JSON."""
    lines = (json.dumps(asdict(each), ensure_ascii=False) for each in rejects)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def from_lines(data: bytes) -> tuple[Reject, ...]:
    """Read what :func:`as_lines` made."""
    try:
        lines = data.decode("utf-8", "surrogatepass").split("\n")
        return tuple(Reject(**json.loads(line)) for line in lines if line)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"found a list of unreadable rows that cannot be read itself ({error}); pass --restart "
            "to start again."
        ) from None


class RejectsFile:
    """Lists rejects as they come; the file gets its final name when it is complete.

    Without rejects there is no file, and that of an earlier run is removed.
    """

    def __init__(self, path: Path | None, beside: Path | None = None):
        """``beside`` is the folder of the temporary file, if not that of ``path``."""
        self.written: str | None = None
        self._path = path
        self._temporary = None if path is None else temporary_path(path, beside)
        self._file: IO[bytes] | None = None

    def __enter__(self) -> "RejectsFile":
        return self

    def add(self, lines: bytes) -> None:
        """Add what :func:`as_lines` made."""
        if self._temporary is None or not lines:
            return
        if self._file is None:
            self._file = self._temporary.open("wb")
        self._file.write(lines)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._path is None or self._temporary is None:
            return
        try:
            if kind is None:
                self._finish(self._path, self._temporary)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        finally:
            if self._file is not None:
                self._file.close()
            self._temporary.unlink(missing_ok=True)

    def _finish(self, path: Path, temporary: Path) -> None:
        if self._file is None:
            path.unlink(missing_ok=True)
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        temporary.replace(path)
        self.written = str(path)
