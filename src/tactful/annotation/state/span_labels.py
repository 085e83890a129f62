"""Spans with and without gaps, and how the spans of several people are combined."""

from collections.abc import Mapping, Sequence
from typing import Any

Marked = dict[str, Any]
"""``start``, ``end`` and ``value``, as answers have them, ``parts`` where there are gaps, and
``annotators``: how many people marked something of that value there."""
Piece = tuple[int, int]

_SLACK = 1 + 1e-9
"""Allows for rounding in sums of weights."""


def parts_of(span: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Return the pieces that a span covers, in order; one without gaps has one.

    >>> parts_of({"start": 0, "end": 9, "value": "a", "parts": [[0, 2], [7, 9]]})
    ((0, 2), (7, 9))
    """
    if "parts" not in span:
        return ((span["start"], span["end"]),)
    return tuple((start, end) for start, end in span["parts"])


def span_of(pieces: Sequence[Piece], value: str) -> dict[str, Any]:
    """Return the span that covers these pieces, which are in order and do not touch.

    >>> span_of([(0, 2), (7, 9)], "a")
    {'start': 0, 'end': 9, 'value': 'a', 'parts': [[0, 2], [7, 9]]}
    """
    span: dict[str, Any] = {"start": pieces[0][0], "end": pieces[-1][1], "value": value}
    if len(pieces) > 1:
        span["parts"] = [[start, end] for start, end in pieces]
    return span


def words_of(span: Mapping[str, Any], text: str, between: str = " … ") -> str:
    """Return the words that a span covers, with ``between`` in place of gaps."""
    return between.join(text[start:end] for start, end in parts_of(span))


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two spans share a character; gaps are not part of a span."""
    return any(
        start < other_end and other_start < end
        for start, end in parts_of(one)
        for other_start, other_end in parts_of(other)
    )


def union_of_spans(given: Sequence[Sequence[Marked]]) -> tuple[Marked, ...]:
    """Return all spans that anybody marked, without duplicates."""
    found = {
        (span["start"], span["end"], span["value"], parts_of(span))
        for spans in given
        for span in spans
    }
    return tuple(_marked(parts, value, given) for _, _, value, parts in sorted(found))


def majority_of_spans(
    given: Sequence[Sequence[Marked]], weights: Sequence[float]
) -> tuple[Marked, ...]:
    """Return, for each value, the pieces marked by more than half of the weight.

    Pieces form a span with gaps where more than half of the weight marked exactly these as one
    span; otherwise each is a span of its own.
    """
    half = sum(weights) / 2 * _SLACK
    values = sorted({span["value"] for spans in given for span in spans})
    found: list[tuple[tuple[Piece, ...], str]] = []
    for value in values:
        changes: dict[int, float] = {}
        same: dict[tuple[Piece, ...], float] = {}
        for spans, weight in zip(given, weights, strict=True):
            for start, end in _joined(spans, value):
                changes[start] = changes.get(start, 0.0) + weight
                changes[end] = changes.get(end, 0.0) - weight
            for parts in {parts_of(span) for span in spans if span["value"] == value}:
                same[parts] = same.get(parts, 0.0) + weight
        left = dict.fromkeys(_above(changes, half))
        for parts, weight in same.items():
            if len(parts) > 1 and weight > half and all(part in left for part in parts):
                found.append((parts, value))
                for part in parts:
                    del left[part]
        found += [((piece,), value) for piece in left]
    return tuple(_marked(parts, value, given) for parts, value in sorted(found, key=_order))


def _order(found: tuple[tuple[Piece, ...], str]) -> tuple[int, int, str]:
    parts, value = found
    return parts[0][0], parts[-1][1], value


def _joined(spans: Sequence[Marked], value: str) -> list[Piece]:
    """Return what one person marked with a value, overlaps counted once."""
    pieces: list[Piece] = []
    marked = (piece for span in spans if span["value"] == value for piece in parts_of(span))
    for start, end in sorted(marked):
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    return pieces


def _above(changes: dict[int, float], half: float) -> list[Piece]:
    pieces: list[Piece] = []
    level, start = 0.0, None
    for at in sorted(changes):
        level += changes[at]
        inside = level > half
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            pieces.append((start, at))
            start = None
    return pieces


def _marked(pieces: Sequence[Piece], value: str, given: Sequence[Sequence[Marked]]) -> Marked:
    span = span_of(pieces, value)
    people = sum(
        any(other["value"] == value and overlap(span, other) for other in spans) for spans in given
    )
    return {**span, "annotators": people}
