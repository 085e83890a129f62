"""Spans as people send them: pieces of the text, each with one of the options, checked and sorted.

A span may have gaps: then ``parts`` has its pieces, ``start`` is that of the first and ``end`` that
of the last. A span without gaps has no ``parts``.
"""

from collections.abc import Mapping
from typing import Any

from tactful.annotation.answers.faults import check_number, fault, listed, quoted, shown
from tactful.annotation.protocol.records import Question
from tactful.annotation.state.span_labels import Piece, span_of

MOST_SPANS = 500
MOST_PARTS = 100
"""Pieces of one span."""
_FIELDS = {"start", "end", "value"}


def clean_spans(question: Question, given: object, text: str) -> list[dict[str, Any]]:
    """Return the spans of an answer cleaned, or raise one sentence."""
    order = {option.value: place for place, option in enumerate(question.options)}
    found = set()
    for span in listed(question, given, MOST_SPANS):
        if not isinstance(span, Mapping) or not _FIELDS <= set(span) <= {*_FIELDS, "parts"}:
            raise fault(
                question,
                shown(span),
                "a span with 'start', 'end' and 'value', and with 'parts' where it has gaps",
                "send just these",
            )
        value = span["value"]
        if not isinstance(value, str) or value not in order:
            raise fault(
                question,
                f"a span with {shown(value)}",
                f"one of {quoted(order)}",
                "choose one of them",
            )
        start, end = _piece(question, span["start"], span["end"], text)
        pieces = _parts(question, span, text) if "parts" in span else ((start, end),)
        if len(pieces) > 1 and not question.gaps:
            raise fault(question, "a span with gaps", "one without", "mark the words one by one")
        found.add((start, end, order[value], pieces))
    check_number(question, len(found))
    values = list(order)
    return [span_of(pieces, values[place]) for _, _, place, pieces in sorted(found)]


def _piece(question: Question, start: object, end: object, text: str) -> Piece:
    # True and 1.0 pass for 1 in Python, not in what others read from an export.
    if type(start) is int and type(end) is int and 0 <= start < end <= len(text):
        return start, end
    raise fault(
        question,
        f"a span from {shown(start)} to {shown(end)}",
        f"whole numbers from 0 to {len(text)}, the start before the end",
        "mark the words again",
    )


def _parts(question: Question, span: Mapping[str, Any], text: str) -> tuple[Piece, ...]:
    """Return the parts of a span in order; those that touch are one."""
    given = span["parts"]
    if not isinstance(given, list | tuple) or not 0 < len(given) <= MOST_PARTS:
        raise fault(
            question, f"{shown(given)} as 'parts'", f"1 to {MOST_PARTS} parts", "send a list"
        )
    if not all(isinstance(part, list | tuple) and len(part) == 2 for part in given):
        raise fault(
            question, f"{shown(given)} as 'parts'", "a start and an end for each", "send pairs"
        )
    joined: list[Piece] = []
    for start, end in sorted(_piece(question, part[0], part[1], text) for part in given):
        if joined and start < joined[-1][1]:
            raise fault(
                question,
                f"parts that overlap at {start}",
                "each letter in one part at most",
                "mark the words again",
            )
        if joined and start == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    if (joined[0][0], joined[-1][1]) != (span["start"], span["end"]):
        raise fault(
            question,
            f"a span from {span['start']} to {span['end']} with parts from {joined[0][0]} to "
            f"{joined[-1][1]}",
            "the start of the first part and the end of the last",
            "correct them",
        )
    return tuple(joined)
