"""Spans of text against gold spans: F1 by characters, F1 of exact spans, and the mean per item.

``gold`` and ``predicted`` hold one list of spans for each item. A span is a
:class:`~tactful.types.Span`, or ``(start, end)``, or ``(start, end, category)``: half-open offsets
in code points. Spans may overlap: a character counts once, however many spans cover it, and with
``by_category`` once for each category.

An item without spans on either side adds nothing to the counts of the first two measures; in the
mean per item it scores 1 where both sides have none, and 0 where one side has (Pavlopoulos et al.
2021, as in SemEval-2021 task 5).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.metrics.result import Measure, measure
from tactful.types import Span

AnySpan = Span | tuple[int, int] | tuple[int, int, str | None]
Spans = Sequence[Iterable[AnySpan]]


class Piece(NamedTuple):
    """A checked span."""

    start: int
    end: int
    category: str | None


@measure("spans", low=0, high=1, perfect=1)
def span_f1_score(gold: Spans, predicted: Spans, *, by_category: bool = False) -> Measure:
    """Return the F1 of characters, counted over all items together (micro).

    Range 0 to 1, higher is better. With ``by_category`` a character is right only under the right
    category. Undefined when neither side has any span; precision is undefined where nothing was
    predicted and recall where nothing was to find, but F1 is then 0.

    >>> print(span_f1_score([[(0, 10)]], [[(5, 15)]]))
    span F1: 0.5000
    """
    counts = character_counts(gold, predicted, by_category=by_category)
    return _from_counts("span F1", counts)


@measure("spans", low=0, high=1, perfect=1)
def span_exact_f1_score(gold: Spans, predicted: Spans, *, by_category: bool = False) -> Measure:
    """Return the F1 of exact spans: only the same start and end (and category) count.

    Range 0 to 1, higher is better; a span given twice for one item counts once. Undefined when
    neither side has any span.
    """
    counts = exact_counts(gold, predicted, by_category=by_category)
    return _from_counts("exact span F1", counts)


@measure("spans", low=0, high=1, perfect=1)
def mean_span_f1_score(gold: Spans, predicted: Spans, *, by_category: bool = False) -> Measure:
    """Return the mean, over the items, of each item's F1 of characters.

    Range 0 to 1, higher is better; undefined when there is no item.

    >>> float(mean_span_f1_score([[(0, 4)], []], [[(0, 4)], [(2, 3)]]))
    0.5
    """
    counts = character_counts(gold, predicted, by_category=by_category)
    if not len(counts):
        return Measure("mean span F1", None, "there is no item", items=0)
    values = item_f1(counts)
    return Measure("mean span F1", float(values.mean()), items=len(values))


def span_report(gold: Spans, predicted: Spans) -> dict[str, Measure]:
    """Return the F1 of characters of each category that either side has, in order of their names.

    Spans without a category are under the empty name.
    """
    checked = _checked(gold, predicted)
    names = sorted({piece.category or "" for side in checked for item in side for piece in item})
    report = {}
    for name in names:
        only = [
            [[piece for piece in item if (piece.category or "") == name] for item in side]
            for side in checked
        ]
        report[name] = _from_counts("span F1", character_counts(only[0], only[1]))
    return report


def character_counts(
    gold: Spans, predicted: Spans, *, by_category: bool = False
) -> NDArray[np.int64]:
    """Return for each item the characters found rightly, found wrongly, and missed."""
    rows = []
    for truth, guess in zip(*_checked(gold, predicted), strict=True):
        here, there = _merged(truth, by_category), _merged(guess, by_category)
        both = sum(_overlap(here[name], there[name]) for name in here.keys() & there.keys())
        size_here, size_there = (
            sum(end - start for runs in side.values() for start, end in runs)
            for side in (here, there)
        )
        rows.append((both, size_there - both, size_here - both))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def exact_counts(gold: Spans, predicted: Spans, *, by_category: bool = False) -> NDArray[np.int64]:
    """Return for each item the spans found rightly, found wrongly, and missed."""
    rows = []
    for truth, guess in zip(*_checked(gold, predicted), strict=True):
        here, there = (
            {piece if by_category else piece[:2] for piece in side} for side in (truth, guess)
        )
        both = len(here & there)
        rows.append((both, len(there) - both, len(here) - both))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def item_f1(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the F1 of each item; 1 where there is nothing on either side."""
    twice = 2 * counts[:, 0]
    below = counts[:, 1] + counts[:, 2] + twice
    return np.where(below == 0, 1.0, twice / np.maximum(below, 1))


def _from_counts(name: str, counts: NDArray[np.int64]) -> Measure:
    right, wrong, missed = (int(number) for number in counts.sum(axis=0))
    items = len(counts)

    def share(part: str, below: int, reason: str) -> Measure:
        value = right / below if below else None
        return Measure(part, value, None if below else reason, items=items)

    parts = {
        "precision": share("precision", right + wrong, "no span is predicted"),
        "recall": share("recall", right + missed, "there is no gold span"),
    }
    below = 2 * right + wrong + missed
    reason = None if below else "neither side has any span"
    return Measure(name, 2 * right / below if below else None, reason, parts, items)


def _checked(gold: Spans, predicted: Spans) -> tuple[list[list[Piece]], list[list[Piece]]]:
    if len(gold) != len(predicted):
        raise InputError(
            f"Found gold spans of {len(gold):,} items and predictions of {len(predicted):,}; "
            "expected one list of spans for each item."
        )
    truth, guess = (
        [[_piece(span, at) for span in spans] for at, spans in enumerate(side)]
        for side in (gold, predicted)
    )
    return truth, guess


def _piece(span: Any, item: int) -> Piece:
    if isinstance(span, Piece):
        return span
    if isinstance(span, Span):
        return Piece(span.start, span.end, span.id)
    try:
        start, end, *rest = span
        piece = Piece(index(start), index(end), rest[0] if rest else None)
    except (TypeError, ValueError):
        raise InputError(
            f"Item {item + 1}: found {span!r}; expected a span: (start, end) or "
            "(start, end, category)."
        ) from None
    if not 0 <= piece.start < piece.end or len(rest) > 1:
        raise InputError(f"Item {item + 1}: found {span!r}; expected 0 <= start < end.")
    return piece


def _merged(
    pieces: Iterable[Piece], by_category: bool
) -> defaultdict[str | None, list[tuple[int, int]]]:
    """Join spans that touch, for each category or (without categories) for all together."""
    runs: defaultdict[str | None, list[tuple[int, int]]] = defaultdict(list)
    for start, end, category in sorted(pieces, key=lambda piece: piece[:2]):
        of = runs[category if by_category else None]
        if of and start <= of[-1][1]:
            of[-1] = (of[-1][0], max(end, of[-1][1]))
        else:
            of.append((start, end))
    return runs


def _overlap(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> int:
    """Count the characters in both; each list is sorted and without overlaps."""
    total = at = to = 0
    while at < len(first) and to < len(second):
        (start, end), (begin, stop) = first[at], second[to]
        total += max(0, min(end, stop) - max(start, begin))
        if end <= stop:
            at += 1
        else:
            to += 1
    return total
