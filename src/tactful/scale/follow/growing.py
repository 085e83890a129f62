"""Growing input: a file that is being written, or a stream."""

import os
import select
import sys
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from tactful.scale.follow.output import Position

_BLOCK = 1 << 16
_MARKED_BYTES = 4096
"""The number of bytes at the start that identify a file."""


class Replaced(Exception):  # noqa: N818
    """Another file has replaced the one being read; it is read from its start."""

    def __init__(self, is_whole: bool):
        """``is_whole``: the old file was read to its end, so its last line is complete."""
        self.is_whole = is_whole
        super().__init__()


class GrowingStream:
    """Standard input."""

    def __init__(self) -> None:
        self.ended, self.place = False, Position()

    def read(self) -> bytes:
        """Return the available bytes, or none."""
        handle = sys.stdin.fileno()
        if self.ended or not select.select([handle], [], [], 0)[0]:
            return b""
        data = os.read(handle, _BLOCK)
        self.ended = not data
        return data

    def skip_to(self, offset: int) -> None:
        """Do nothing: all bytes of a stream are new."""

    def marked(self, place: Position) -> Position:
        """Return no position: a stream has none."""
        return Position()

    def close(self) -> None:
        """Do nothing."""


class GrowingFile:
    """A file that another program writes; it may be truncated or replaced, as logs are."""

    def __init__(self, path: Path, place: Position):
        self.path, self.ended = path, False
        self._file = path.open("rb")
        self._offset = 0
        self._known = Position()
        # A file with another start is not the one that the position is for.
        same = place.offset and self._mark_of(place.marked) == place.mark
        self.place = place if same else Position()

    def read(self) -> bytes:
        """Return the available bytes, or none."""
        if self._is_written_anew():
            raise Replaced(is_whole=False)
        data = self._file.read(_BLOCK)
        if not data and self._has_a_successor():
            # The last lines may have been written since we looked.
            data = self._file.read(_BLOCK)
            if not data:
                raise Replaced(is_whole=True)
        self._offset += len(data)
        if self._known.marked < _MARKED_BYTES:
            self._known = self.marked(Position(self._offset))
        return data

    def skip_to(self, offset: int) -> None:
        """Continue at a recorded position."""
        self._file.seek(offset)
        self._offset = offset

    def marked(self, place: Position) -> Position:
        """Return a position with the identity of this file."""
        size = min(place.offset, _MARKED_BYTES)
        return replace(place, marked=size, mark=self._mark_of(size))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _mark_of(self, size: int) -> str:
        start = os.pread(self._file.fileno(), size, 0)
        whole = size and len(start) == size
        return blake2b(start, digest_size=16).hexdigest() if whole else ""

    def _is_written_anew(self) -> bool:
        """Say whether the file was truncated, and has perhaps grown again."""
        size = os.fstat(self._file.fileno()).st_size
        return size < self._offset or self._mark_of(self._known.marked) != self._known.mark

    def _has_a_successor(self) -> bool:
        """Say whether another file has the name now, and is no longer empty.

        Until then the program may still write to this one, which logrotate has renamed already.
        """
        try:
            named = self.path.stat()
        except OSError:
            return False  # between two files: the next one will appear
        is_other = not os.path.samestat(named, os.fstat(self._file.fileno()))
        return is_other and named.st_size > 0


Growing = GrowingFile | GrowingStream
