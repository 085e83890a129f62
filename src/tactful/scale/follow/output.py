"""The output of followed rows: a stream, or a file with a record of the position in the input."""

import contextlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from tactful.errors import InputError, OutputError, UsageError
from tactful.scale.changes import refuse_changes
from tactful.scale.tables.atomic_write import remove_temporary, write_atomically

NOTE = "follow.json"


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the input."""

    offset: int = 0
    line: int = 1
    marked: int = 0
    """The number of bytes at the start that identify the input."""
    mark: str = ""


class FollowedStream:
    """Prints rows, without a record. Rejects go into a file, if one is named."""

    def __init__(self, out: IO[bytes], rejects: Path | None = None):
        self._out, self._begun = out, False
        self._rejects = _Growing(rejects)
        self.keys: tuple[str, ...] = ()
        self.place = Position()

    def begin(self, header: bytes) -> None:
        """Write the header once."""
        if not self._begun:
            self._out.write(header)
        self._begun = True

    def add(self, data: bytes, place: Position, rejects: bytes = b"") -> None:
        """Write a batch and flush it."""
        self._rejects.add(rejects)
        self._out.write(data)
        self._out.flush()


class _Growing:
    """A growing list of rejects; the file is created for the first one."""

    def __init__(self, path: Path | None):
        self.path, self.size = path, 0

    def cut(self, size: int) -> None:
        """Truncate the list to this size; later rejects will be found again."""
        self.size = size
        if self.path is None or not self.path.exists():
            return
        if size:
            os.truncate(self.path, size)
        else:
            self.path.unlink()

    def add(self, lines: bytes) -> None:
        """Write rejects to the disk."""
        if self.path is None or not lines:
            return
        with self.path.open("ab" if self.size else "wb") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
            self.size = file.tell()


def hidden_folder(path: Path) -> Path:
    """Return the folder with the record of an output."""
    return path.with_name(f".{path.name}.tactful")


def is_begun(path: Path) -> bool:
    """Say whether there is a run to resume."""
    return (hidden_folder(path) / NOTE).exists()


def refuse_existing(path: Path, *, restart: bool, force: bool) -> None:
    """Refuse to overwrite a file, unless its run is being resumed."""
    if path.is_dir():
        raise UsageError(f"{path}: found a folder; expected the name of a file to write.")
    if path.exists() and not (is_begun(path) or restart or force):
        raise UsageError(f"{path}: it exists already; name another place or pass --force.")


class FollowedFile:
    """Appends to a file; a record beside it says how much of it is complete."""

    def __init__(
        self,
        path: Path,
        terms: Mapping[str, Any],
        *,
        restart: bool = False,
        rejects: Path | None = None,
    ):
        self.path, self._terms = path, dict(terms)
        self._rejects = _Growing(rejects)
        self._note = hidden_folder(path) / NOTE
        self.place, size = Position(), 0
        self.keys: tuple[str, ...] = ()
        self._file: IO[bytes] | None = None
        remove_temporary(self._note.parent)
        if self._note.exists() and not restart:
            self.place, size = self._read_note()
        self._begun = bool(size)
        if size:
            try:
                self._file = path.open("r+b")
                self._file.truncate(size)
                self._file.seek(size)
            except OSError as error:
                raise OutputError(f"{path}: cannot be written ({error.strerror}).") from None

    def __enter__(self) -> "FollowedFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        size = 0
        if self._file is not None:
            # An interrupt may have come in the middle of a batch, or right after it was recorded.
            with contextlib.suppress(OSError):
                self._file.flush()
            note = json.loads(self._note.read_bytes())
            size = int(note["size"])
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), size)
            with contextlib.suppress(OSError):
                self._rejects.cut(int(note.get("rejects", 0)))
            with contextlib.suppress(OSError):
                self._file.close()
        if kind is not None and not size:
            self._withdraw()

    def begin(self, header: bytes) -> None:
        """Write the header, or check the existing one."""
        if not self._begun:
            self.add(header, self.place)
        elif not self._starts_with(header):
            raise InputError(
                f"{self.path}: found other columns than the input has now; expected the same, to "
                "append rows; name another output."
            )
        self._begun = True

    def add(self, data: bytes, place: Position, rejects: bytes = b"") -> None:
        """Write a batch; then record its size and the position in the input."""
        try:
            if self._file is None:
                # With a record from the start, the file belongs to a run that can be resumed.
                self._write_note(self.place, 0)
                self._rejects.cut(0)
                self._file = self.path.open("w+b")
            self._rejects.add(rejects)
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._write_note(place, self._file.tell())
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({error.strerror}); finished rows are kept: make "
                "room and run the same command again to resume."
            ) from None

    def _starts_with(self, header: bytes) -> bool:
        with self.path.open("rb") as file:
            return file.read(len(header)) == header

    def _withdraw(self) -> None:
        """Remove the files of a run without any row; files that it has not touched stay."""
        if self._file is not None:
            self._rejects.cut(0)
            self.path.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)
        if not self._note.exists():
            shutil.rmtree(self._note.parent, ignore_errors=True)

    def _write_note(self, place: Position, size: int) -> None:
        note = {
            "terms": self._terms,
            "size": size,
            "place": asdict(place),
            "keys": list(self.keys),
            "rejects": self._rejects.size,
        }
        write_atomically(self._note, json.dumps(note).encode())

    def _read_note(self) -> tuple[Position, int]:
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            place, size, terms = Position(**note["place"]), int(note["size"]), note["terms"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{self._note}: found no record of how far the input was read ({error}); pass "
                "--restart to start over."
            ) from None
        if not size:
            return Position(), 0  # a run without any row is not resumed
        self.keys = tuple(note.get("keys", ()))
        self._rejects.cut(int(note.get("rejects", 0)))
        refuse_changes(str(self.path), terms, self._terms)
        if not self.path.exists() or self.path.stat().st_size < size:
            raise InputError(
                f"{self.path}: it was cut off or removed since the last run; expected at least "
                f"{size:,} bytes; pass --restart to start over."
            )
        return place, size


Output = FollowedFile | FollowedStream
