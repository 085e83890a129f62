"""Where a score applies: spans in the Perspective API's unit, and the pieces that are scored.

Its discovery document counts ``begin`` and ``end`` in UTF-16 code units, ``end`` exclusive, as
JavaScript and Java index strings. An emoji outside the basic plane is two units; a combining mark
is one of its own. Everything else in Tactful counts code points.
"""

from bisect import bisect_left
from collections.abc import Sequence

from tactful.documents.segments import sentences
from tactful.service.engine.excerpts import Piece

MOST_SPANS = 64
"""The most spans of a comment; in a comment of many sentences, neighbours are joined."""


class Utf16:
    """Turns code point offsets of one text into UTF-16 offsets."""

    def __init__(self, text: str):
        # Most comments are ASCII, and then nothing needs to be counted.
        plain = text.isascii()
        self._wide = [] if plain else [at for at, each in enumerate(text) if each > "\uffff"]

    def offset(self, at: int) -> int:
        """Return the code units before the code point ``at``."""
        return at + bisect_left(self._wide, at)

    def span(self, piece: Piece) -> Piece:
        """Return a range of code points in code units."""
        return self.offset(piece[0]), self.offset(piece[1])


def sentence_pieces(text: str) -> list[Piece]:
    """Return the sentences; where there is only one, the whole comment."""
    found = sentences(text)
    if len(found) < 2:
        return [(0, len(text))]
    return _joined(found, MOST_SPANS)


def _joined(pieces: Sequence[Piece], most: int) -> list[Piece]:
    each = -(-len(pieces) // most)
    return [
        (pieces[at][0], pieces[min(at + each, len(pieces)) - 1][1])
        for at in range(0, len(pieces), each)
    ]
