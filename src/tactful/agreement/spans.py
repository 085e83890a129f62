"""Agreement on spans: which characters or tokens are marked, and which spans are the same.

A text is cut wherever anybody's span begins or ends. Nobody disagrees with themselves inside a
piece, so that a piece of 40 characters is one item that counts 40 times: the result is exactly that
of judging every character, at a fraction of the cost. A character outside all spans was judged as
well: as not marked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from tactful.agreement import MEASURES
from tactful.agreement.answer import Agreement
from tactful.agreement.measure import Coefficient, Resampling, describe, evaluate
from tactful.agreement.prepared import prepare
from tactful.agreement.span_tables import Marks, read_marks
from tactful.agreement.statistics import Statistics, ratio
from tactful.errors import UsageError
from tactful.ratings import Codes, Numbers, Ratings
from tactful.registry import unknown_name

Unit = Literal["character", "token"]
Match = Literal["exact", "overlap"]
MARKED = "marked"
UNMARKED = "not marked"


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Pieces of texts, who marked them, and the number of units in each."""

    ratings: Ratings
    parent: Codes
    weight: Numbers
    parents: int


def span_agreement(
    spans: Any,
    texts: Mapping[Any, str | int],
    measure: str = "krippendorff",
    unit: Unit = "character",
    *,
    category: str | None = None,
    seen: Iterable[tuple[Any, Any]] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return a coefficient over all characters or tokens of all texts: marked, or not.

    ``spans`` is a table of ``item``, ``annotator``, ``start``, ``end`` and, with ``category``,
    ``id``; offsets are half-open, in code points. ``texts`` gives each item's text, or its length
    where the unit is the character. A token is marked when a span covers any of it. ``seen`` lists
    the items that each annotator read (item, annotator); without it everybody read everything.
    Intervals are made of samples of texts, not of characters.
    """
    if unit not in ("character", "token"):
        raise UsageError(str(unknown_name("unit", unit, ["character", "token"])))
    chosen = MEASURES.get(measure)
    if "nominal" not in chosen.levels:
        raise UsageError(f"Marked or not is nominal, and {chosen.title('nominal')} is not.")
    marks = read_marks(spans, texts, seen).of(category)
    pieces = _token_pieces(marks) if unit == "token" else _character_pieces(marks)
    ready = prepare(pieces.ratings, (UNMARKED, MARKED))
    answer = replace(describe(chosen, "nominal", _read(marks)), label=category)
    answer = replace(answer, name=f"{answer.name} by {unit}")
    if not answer.items:
        return replace(answer, reason="no text was read by two annotators")
    readers = np.bincount(marks.reader_item, minlength=len(marks.items))
    if not (readers[pieces.parent] > 1).any():
        return replace(answer, reason=f"the texts that two annotators read have no {unit}s")
    # Two annotators of one text share many characters, even if it is a single piece.
    options = {"overlap": 1} if measure == "cohen" else {}
    statistics = chosen.statistics(ready, "nominal", **options)
    if isinstance(statistics, str):
        return replace(answer, reason=statistics)
    # Pieces of texts that nobody read are not among the items.
    used = np.array(ready.ratings.items, dtype=np.int64)
    parent, weight = pieces.parent[used], pieces.weight[used]
    collapsed = replace(statistics, notes=(), unfit=None).collapse(parent, weight, pieces.parents)
    return evaluate(answer, collapsed, Resampling(bootstrap, confidence, seed))


def span_f1(
    spans: Any,
    texts: Mapping[Any, str | int],
    match: Match = "exact",
    *,
    category: str | None = None,
    seen: Iterable[tuple[Any, Any]] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return F1 between annotators: twice what both marked over what each marked, from 0 to 1.

    With ``"exact"`` a span counts where both gave the same start, end and id; with ``"overlap"``
    characters count that both marked with the same id. All pairs of annotators are pooled. It is
    the same in both directions, needs no gold, and what nobody marked plays no part: with much
    unmarked text κ comes close to it (Hripcsak and Rothschild 2005). Undefined where nobody marked
    anything in a text that two read.
    """
    if match not in ("exact", "overlap"):
        raise UsageError(str(unknown_name("way to match", match, ["exact", "overlap"])))
    marks = read_marks(spans, texts, seen).of(category)
    answer = replace(describe(F1[match], "nominal", _read(marks)), label=category)
    if not answer.items:
        return replace(answer, reason="no text was read by two annotators")
    readers = np.bincount(marks.reader_item, minlength=len(marks.items))
    shared, each = _exact(marks, readers) if match == "exact" else _overlap(marks, readers)
    statistics = Statistics(
        (np.column_stack([shared, each]),),
        lambda totals: ratio(totals[:, 0], totals[:, 1]),
        lambda totals: "no text that two annotators read has any span",
    )
    return evaluate(answer, statistics, Resampling(bootstrap, confidence, seed))


def span_table(
    spans: Any,
    texts: Mapping[Any, str | int],
    *,
    seen: Iterable[tuple[Any, Any]] | None = None,
    measures: Iterable[str] = ("cohen", "krippendorff"),
    units: Iterable[Unit] = ("character",),
) -> pl.DataFrame:
    """Return all coefficients for all spans together (``id`` is null) and for each id."""
    pairs = None if seen is None else list(seen)
    categories = read_marks(spans, texts, pairs).categories
    rows = []
    measures, units = tuple(measures), tuple(units)
    for category in (None, *categories):
        answers = [
            span_agreement(spans, texts, measure, unit, category=category, seen=pairs)
            for unit in units
            for measure in measures
        ]
        answers += [span_f1(spans, texts, match, category=category, seen=pairs) for match in F1]
        rows += [(category, a.name, a.value, a.reason, a.items, a.annotators) for a in answers]
    columns = ("id", "measure", "value", "reason", "items", "annotators")
    types = (pl.String, pl.String, pl.Float64, pl.String, pl.Int64, pl.Int64)
    return pl.DataFrame(rows, schema=dict(zip(columns, types, strict=True)), orient="row")


def _read(marks: Marks) -> Ratings:
    """Return who read what, as judgements: the counts of the answer are of texts."""
    zeros = np.zeros(marks.reader_item.size, dtype=np.int64)
    return Ratings(marks.items, marks.annotators, ("read",), marks.reader_item, marks.reader, zeros)


def _character_pieces(marks: Marks) -> _Pieces:
    """Cut each text wherever a span begins or ends."""
    item = np.concatenate([np.arange(len(marks.items))] * 2 + [marks.item] * 2)
    place = np.concatenate([np.zeros(len(marks.items)), marks.lengths, marks.start, marks.end])
    cuts = np.unique(np.column_stack([item, place.astype(np.int64)]), axis=0)
    inside = np.flatnonzero(cuts[1:, 0] == cuts[:-1, 0])
    parent = cuts[inside, 0]
    return _pieces(marks, parent, cuts[inside, 1], cuts[inside + 1, 1], by_length=True)


def _token_pieces(marks: Marks) -> _Pieces:
    parent, start, end = marks.tokens()
    return _pieces(marks, parent, start, end, by_length=False)


def _pieces(marks: Marks, parent: Codes, start: Codes, end: Codes, by_length: bool) -> _Pieces:
    """Let every reader of a text judge each of its pieces; pieces are in the order of the texts."""
    first = np.searchsorted(parent, np.arange(len(marks.items)))
    count = np.bincount(parent, minlength=len(marks.items))
    size = count[marks.reader_item]
    offset = np.cumsum(size) - size
    piece = np.repeat(first[marks.reader_item] - offset, size) + np.arange(size.sum())
    reader = np.repeat(marks.reader, size)
    # A span covers the pieces from the first that ends behind its start to the last that starts
    # before its end; both are found with one search, because pieces are sorted within a text.
    step = int(max(marks.lengths.max(initial=0), 1)) + 1
    low = np.searchsorted(parent * step + end, marks.item * step + marks.start, side="right")
    high = np.searchsorted(parent * step + start, marks.item * step + marks.end, side="left")
    # +1 where a span of this reader begins, -1 behind its end; the running sum says what is inside.
    base = offset[marks.reading()] - first[marks.item]
    change = np.bincount(base + low, minlength=piece.size + 1).astype(np.int64)
    change -= np.bincount(base + high, minlength=piece.size + 1)
    marked = (np.cumsum(change)[:-1] > 0).astype(np.int64)
    names = tuple(map(str, range(parent.size)))
    weight = (end - start if by_length else np.ones_like(start)).astype(np.float64)
    ratings = Ratings(names, marks.annotators, (UNMARKED, MARKED), piece, reader, marked)
    return _Pieces(ratings, parent, weight, len(marks.items))


def _exact(marks: Marks, readers: Codes) -> tuple[Numbers, Numbers]:
    """Count, per text and over ordered pairs of its readers, spans that both gave, and all."""
    keys = np.column_stack([marks.item, marks.start, marks.end, marks.category])
    if not keys.size:
        return np.zeros(len(marks.items)), np.zeros(len(marks.items))
    kinds, counts = np.unique(keys, axis=0, return_counts=True)
    shared = np.bincount(kinds[:, 0], counts * (counts - 1), minlength=len(marks.items))
    own = np.bincount(marks.item, minlength=len(marks.items))
    return shared.astype(np.float64), (own * (readers - 1)).astype(np.float64)


def _overlap(marks: Marks, readers: Codes) -> tuple[Numbers, Numbers]:
    """Count the same for characters, each category by itself."""
    shared, own = np.zeros(len(marks.items)), np.zeros(len(marks.items))
    for category in np.unique(marks.category):
        pieces = _character_pieces(marks.only(marks.category == category))
        marked = np.bincount(
            pieces.ratings.item, pieces.ratings.label, minlength=pieces.parent.size
        )
        shared += np.bincount(
            pieces.parent, pieces.weight * marked * (marked - 1), minlength=len(marks.items)
        )
        own += np.bincount(pieces.parent, pieces.weight * marked, minlength=len(marks.items))
    return shared, own * (readers - 1)


def _f1_measure(name: str, title: str) -> Coefficient:
    return Coefficient(
        name,
        {"nominal": title},
        lambda *_: "it is made from spans, not from labels",
        lowest=0.0,
        chance_corrected=False,
        source="Hripcsak and Rothschild (2005)",
    )


F1: dict[Match, Coefficient] = {
    "exact": _f1_measure("span_f1_exact", "Span F1, same spans"),
    "overlap": _f1_measure("span_f1_overlap", "Span F1, same characters"),
}
