"""Spans with gaps in formats that know none: each part becomes a span of its own, and is told."""

from collections.abc import Iterable, Mapping
from typing import Any

from tactful.annotation.formats.losses import Loss
from tactful.annotation.state.span_labels import parts_of

GAPS = "spans with gaps"
WHY = "each of their parts became a span of its own"


def has_gaps(span: Mapping[str, Any]) -> bool:
    """Say whether a span has gaps."""
    return len(parts_of(span)) > 1


def without_gaps(spans: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each part as a span of its own, with all else that its span has.

    >>> without_gaps([{"start": 0, "end": 9, "value": "a", "parts": [[0, 2], [7, 9]]}])
    [{'start': 0, 'end': 2, 'value': 'a'}, {'start': 7, 'end': 9, 'value': 'a'}]
    """
    found = []
    for span in spans:
        whole = {name: value for name, value in span.items() if name != "parts"}
        found += [{**whole, "start": start, "end": end} for start, end in parts_of(span)]
    return found


def lost_gaps(given: int, labels: int = 0) -> list[Loss]:
    """Say how many spans lost their gaps, of what people marked and of the combined labels."""
    counted = ((GAPS, given), (f"{GAPS} of combined labels", labels))
    return [Loss(what, count, WHY) for what, count in counted if count]
