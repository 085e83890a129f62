"""Input that grows: a file that is written to, or a stream."""

import os
import select
import sys
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from tactful.scale.follow.output import Place

_BLOCK = 1 << 16
_MARKED_BYTES = 4096
"""So many bytes at its start tell a file from the one that takes its place."""


class Replaced(Exception):  # noqa: N818
    """Another file has taken the place of the one that was read; it is read from its start."""

    def __init__(self, is_whole: bool):
        """``is_whole``: all of the old one was read, so that its last line is as it ended."""
        self.is_whole = is_whole
        super().__init__()


class GrowingStream:
    """Standard input."""

    def __init__(self) -> None:
        self.ended, self.place = False, Place()

    def read(self) -> bytes:
        """Return what is there, or nothing."""
        handle = sys.stdin.fileno()
        if self.ended or not select.select([handle], [], [], 0)[0]:
            return b""
        data = os.read(handle, _BLOCK)
        self.ended = not data
        return data

    def skip_to(self, offset: int) -> None:
        """A stream has no places: what comes is new."""

    def marked(self, place: Place) -> Place:
        """A stream has no places."""
        return Place()

    def close(self) -> None:
        """Nothing is held."""


class GrowingFile:
    """A file that others write to; it may be cut off or replaced, as logs are."""

    def __init__(self, path: Path, place: Place):
        self.path, self.ended = path, False
        self._file = path.open("rb")
        self._offset = 0
        self._known = Place()
        # A file with another start is not the one that the place is in.
        same = place.offset and self._mark_of(place.marked) == place.mark
        self.place = place if same else Place()

    def read(self) -> bytes:
        """Return what is there, or nothing."""
        if self._is_written_anew():
            raise Replaced(is_whole=False)
        data = self._file.read(_BLOCK)
        if not data and self._has_a_successor():
            # What its writer wrote last may have come since we looked.
            data = self._file.read(_BLOCK)
            if not data:
                raise Replaced(is_whole=True)
        self._offset += len(data)
        if self._known.marked < _MARKED_BYTES:
            self._known = self.marked(Place(self._offset))
        return data

    def skip_to(self, offset: int) -> None:
        """Go on at a place that was read before."""
        self._file.seek(offset)
        self._offset = offset

    def marked(self, place: Place) -> Place:
        """Return a place with what tells that it is one in this file."""
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
        """Say whether the file was cut off, and perhaps has grown again, as copied logs do."""
        size = os.fstat(self._file.fileno()).st_size
        return size < self._offset or self._mark_of(self._known.marked) != self._known.mark

    def _has_a_successor(self) -> bool:
        """Say whether another file has the name now, and its writer has begun to write to it.

        Until then the writer may still write to this one, which logrotate has renamed already.
        """
        try:
            named = self.path.stat()
        except OSError:
            return False  # between two files: the next one will be seen
        is_other = not os.path.samestat(named, os.fstat(self._file.fileno()))
        return is_other and named.st_size > 0


Growing = GrowingFile | GrowingStream
