"""The lock of an output, and its manifest: a line for the terms, and one for each complete part.

One run at a time writes to one output. Lines of the manifest are only appended, each after its part
has its final name. So however a run ends, the manifest lists complete parts only; an incomplete
last line is ignored.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tactful.errors import InputError, OutputError, RunError
from tactful.scale.changes import refuse_changes
from tactful.scale.tables.atomic_write import write_atomically

LOCK = ".lock"
FILE = "manifest.jsonl"
VERSION = 1


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


class Manifest:
    """The record of a folder of parts."""

    def __init__(
        self,
        folder: Path,
        terms: Mapping[str, Any],
        inputs: list[dict[str, Any]],
        *,
        output: str = "",
        exact: bool = False,
    ):
        """Open the manifest of a job, or create it; changed terms or files are refused.

        ``output`` is the name of the job in messages; with ``exact`` a file that was written again
        has changed.
        """
        self.path = folder / FILE
        self.parts: dict[int, dict[str, Any]] = {}
        self.inputs = inputs
        self.is_finished = False
        self.resumed = self.path.exists()
        header: dict[str, Any] = {"tactful score": VERSION, "terms": dict(terms), "inputs": inputs}
        if self.resumed:
            old = self._read()
            # A run without any part is not resumed: its options may have been the mistake.
            if self.parts or self.is_finished:
                place, before = output or str(folder), old["inputs"]
                refuse_changes(place, old["terms"], header["terms"], before, inputs, exact=exact)
                self.inputs = before
                return
        self.resumed = False
        write_atomically(self.path, (json.dumps(header, ensure_ascii=False) + "\n").encode())

    def add(self, number: int, record: Mapping[str, Any]) -> None:
        """Record that a part is complete."""
        self.parts[number] = dict(record)
        self._append({"part": number, **record})

    def finish(self) -> None:
        """Record that the run is complete."""
        self.is_finished = True
        self._append({"finished": len(self.parts)})

    def _append(self, record: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> dict[str, Any]:
        """Read the manifest; return its terms and inputs."""
        raw = self.path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        try:
            # The header is written atomically: an incomplete one is not ours.
            header, *lines = [json.loads(line) for line in (whole or raw).splitlines()]
            if header["tactful score"] != VERSION:
                raise ValueError(f"version {header['tactful score']}")
            old = {"terms": dict(header["terms"]), "inputs": [_input(e) for e in header["inputs"]]}
            for line in lines:
                if "finished" in line:
                    self.is_finished = True
                else:
                    number = int(line.pop("part"))
                    self.parts[number] = _part(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{self.path}: found no record of a run that can be resumed "
                f"({type(error).__name__}: {error}); expected version {VERSION}; pass --restart to "
                "score everything again, or name another output."
            ) from None
        if len(whole) < len(raw):
            # A line that a crash cut off would corrupt the next one.
            with self.path.open("rb+") as file:
                file.truncate(len(whole))
        return old


def _part(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a part; its place and number of rows are required."""
    numbers = ("source", "start", "end", "line", "next line", "rows")
    return {"digest": "", **record, **{name: int(record[name]) for name in numbers}}


def _input(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of an input file."""
    return {**record, "file": str(record["file"]), "size": int(record["size"])}
