"""Spans of several people become the spans of an item."""

from collections.abc import Sequence
from typing import Any

Marked = dict[str, Any]
"""``start``, ``end`` and ``value``, as answers have them, and ``annotators``: how many people
marked something of that value there."""


def union_of_spans(given: Sequence[Sequence[Marked]]) -> tuple[Marked, ...]:
    """Return all spans that anybody marked; of equal ones, one."""
    found = {(span["start"], span["end"], span["value"]) for spans in given for span in spans}
    return tuple(_marked(*each, given) for each in sorted(found))


def majority_of_spans(
    given: Sequence[Sequence[Marked]], weights: Sequence[float]
) -> tuple[Marked, ...]:
    """Return, for each value, the pieces that more than half of the weight lies on."""
    half = sum(weights) / 2
    values = sorted({span["value"] for spans in given for span in spans})
    found = []
    for value in values:
        changes: dict[int, float] = {}
        for spans, weight in zip(given, weights, strict=True):
            for start, end in _joined(spans, value):
                changes[start] = changes.get(start, 0.0) + weight
                changes[end] = changes.get(end, 0.0) - weight
        found += [(start, end, value) for start, end in _above(changes, half)]
    return tuple(_marked(*each, given) for each in sorted(found))


def _joined(spans: Sequence[Marked], value: str) -> list[tuple[int, int]]:
    """Return what one person marked with a value, overlaps counted once."""
    pieces: list[tuple[int, int]] = []
    for start, end in sorted((s["start"], s["end"]) for s in spans if s["value"] == value):
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    return pieces


def _above(changes: dict[int, float], half: float) -> list[tuple[int, int]]:
    pieces: list[tuple[int, int]] = []
    level, start = 0.0, None
    for at in sorted(changes):
        level += changes[at]
        # Sums of weights that are equal on paper differ in the last digits.
        inside = level > half * (1 + 1e-9)
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            pieces.append((start, at))
            start = None
    return pieces


def _marked(start: int, end: int, value: str, given: Sequence[Sequence[Marked]]) -> Marked:
    people = sum(
        any(s["value"] == value and s["start"] < end and start < s["end"] for s in spans)
        for spans in given
    )
    return {"start": start, "end": end, "value": value, "annotators": people}
