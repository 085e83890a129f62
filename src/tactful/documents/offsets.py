"""Which piece of the source each piece of a changed text came from."""

import re
from bisect import bisect_right

_SPACES = re.compile(r"[ \t\n\r\f\v]{2,}|[\t\n\r\f\v]")


class Offsets:
    """Maps spans of a text to spans of what it was made of.

    The text is a row of pieces. A piece as long as its source maps character by character; a piece
    that was decoded, expanded or shortened (``&amp;``, ``ﬁ``) maps as a whole.
    """

    __slots__ = ("_ends", "_length", "_sources", "_starts")

    def __init__(self, starts: list[int], sources: list[int], ends: list[int], length: int):
        # Tuples, because a document has many of these and the garbage collector skips tuples.
        self._starts, self._sources, self._ends = tuple(starts), tuple(sources), tuple(ends)
        self._length = length

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that ``start`` to ``end`` of the text came from."""
        if not 0 <= start < end <= self._length:
            raise ValueError(
                f"a span of a text of {self._length} characters needs 0 <= start < end, "
                f"not {start} and {end}"
            )
        return self._character(start)[0], self._character(end - 1)[1]

    def _character(self, at: int) -> tuple[int, int]:
        piece = bisect_right(self._starts, at) - 1
        following = piece + 1
        stop = self._starts[following] if following < len(self._starts) else self._length
        source, end = self._sources[piece], self._ends[piece]
        if stop - self._starts[piece] == end - source:
            source += at - self._starts[piece]
            return source, source + 1
        return source, end


Maps = tuple[Offsets, ...]
"""One map per change, the first change first; none where the text is its own source."""


def through(maps: Maps, start: int, end: int) -> tuple[int, int]:
    """Follow a span back through every change to the source."""
    for offsets in reversed(maps):
        start, end = offsets.to_source(start, end)
    return start, end


class Writer:
    """Writes a text piece by piece and remembers where each piece came from."""

    __slots__ = ("_ends", "_length", "_parts", "_sources", "_starts", "source")

    def __init__(self, source: str):
        self.source = source
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._sources: list[int] = []
        self._ends: list[int] = []
        self._length = 0

    def add(self, piece: str, start: int, end: int) -> None:
        """Write ``piece``, which stands for ``start`` to ``end`` of the source."""
        if not piece:
            return
        size = end - start
        if (
            self._ends
            and self._ends[-1] == start
            and len(piece) == size
            and self._length - self._starts[-1] == start - self._sources[-1]
        ):
            self._ends[-1] = end
        else:
            self._starts.append(self._length)
            self._sources.append(start)
            self._ends.append(end)
        self._parts.append(piece)
        self._length += len(piece)

    def space(self, start: int, end: int) -> None:
        """Write one space for ``start`` to ``end``, unless the text has none before it or one."""
        if self._parts and self._parts[-1][-1] != " ":
            self.add(" ", start, end)

    def flow(self, start: int, end: int) -> None:
        """Write ``start`` to ``end`` of the source, each run of white space as one space."""
        source, at = self.source, start
        for run in _SPACES.finditer(source, start, end):
            self._words(source[at : run.start()], at)
            self.space(*run.span())
            at = run.end()
        self._words(source[at:end], at)

    def _words(self, piece: str, at: int) -> None:
        # Between two pieces of one flow there may be a space on both sides of the seam.
        if piece.startswith(" ") and not (self._parts and self._parts[-1][-1] != " "):
            piece, at = piece[1:], at + 1
        self.add(piece, at, at + len(piece))

    def trim(self) -> None:
        """Take back a space at the end."""
        if self._parts and self._parts[-1][-1] == " ":
            self._parts[-1] = self._parts[-1][:-1]
            if self._length - self._starts[-1] == self._ends[-1] - self._sources[-1]:
                self._ends[-1] -= 1
            self._length -= 1
            if self._starts[-1] == self._length:
                del self._starts[-1], self._sources[-1], self._ends[-1]

    def finish(self) -> tuple[str, Offsets]:
        """Return the text and its map."""
        offsets = Offsets(self._starts, self._sources, self._ends, self._length)
        return "".join(self._parts), offsets
