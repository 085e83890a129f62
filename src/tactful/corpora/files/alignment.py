"""Putting a marked span back where its words are.

The published offsets of Don't Patronize Me! do not cut out the published words. Most run one
character too far, some past the end of the text. Where the published text is still quoted as in a
CSV file, they count from the text without those quotes, and so start too early; and some spans
are quoted in that way themselves. The words are right, so they decide.
"""

from typing import Literal, NamedTuple

How = Literal["exact", "trimmed", "moved", "unquoted"]


class Aligned(NamedTuple):
    """Where the words of a span are, and how they were found."""

    start: int
    end: int
    how: How


def align(text: str, start: int, end: int, words: str) -> Aligned | None:
    """Return where ``words`` are in ``text``, nearest to the stated offsets; None if nowhere."""
    if 0 <= start < end <= len(text) and text[start:end] == words:
        return Aligned(start, end, "exact")
    bare = words.strip()
    if not bare:
        return None
    cut = text[max(start, 0) : max(end, 0)]
    if cut.strip() == bare:
        place = max(start, 0) + len(cut) - len(cut.lstrip())
        return Aligned(place, place + len(bare), "trimmed")
    found = _nearest(text, bare, start)
    if found is not None:
        return Aligned(found, found + len(bare), "moved")
    if len(bare) > 1 and bare.startswith('"') and bare.endswith('"'):
        inner = bare[1:-1]
        for candidate in (inner.strip(), inner.replace('""', '"').strip()):
            found = _nearest(text, candidate, start) if candidate else None
            if found is not None:
                return Aligned(found, found + len(candidate), "unquoted")
    return None


def _nearest(text: str, words: str, start: int) -> int | None:
    places = []
    at = text.find(words)
    while at >= 0:
        places.append(at)
        at = text.find(words, at + 1)
    return min(places, key=lambda place: abs(place - start)) if places else None
