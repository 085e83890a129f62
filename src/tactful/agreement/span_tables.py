"""Reading span annotations: who read which text, and what they marked."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.errors import InputError, UsageError
from tactful.ratings import Codes
from tactful.registry import unknown_name
from tactful.words import counted

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NO_ID = ""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Spans as numbers; each span at most once per annotator."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    texts: tuple[str | None, ...]
    lengths: Codes
    reader_item: Codes
    reader: Codes
    """The items and annotators of each reading."""
    item: Codes
    annotator: Codes
    start: Codes
    end: Codes
    category: Codes

    def only(self, mask: NDArray[np.bool_]) -> "Marks":
        """Keep the spans where ``mask`` is true; the readings stay."""
        columns = ("item", "annotator", "start", "end", "category")
        return replace(self, **{name: getattr(self, name)[mask] for name in columns})

    def of(self, category: str | None) -> "Marks":
        """Keep the spans of one category."""
        if category is None:
            return self
        if category not in self.categories:
            raise unknown_name("id of a span", category, list(self.categories))
        return self.only(self.category == self.categories.index(category))

    def reading(self) -> Codes:
        """Return the place of each span's reading; -1 where its annotator did not read the text."""
        width = max(len(self.annotators), 1)
        readings = self.reader_item * width + self.reader
        order = np.argsort(readings)
        wanted = self.item * width + self.annotator
        if not readings.size:
            return np.full(wanted.size, -1)
        at = order[np.minimum(np.searchsorted(readings, wanted, sorter=order), order.size - 1)]
        return np.where(readings[at] == wanted, at, -1)

    def tokens(self) -> tuple[Codes, Codes, Codes]:
        """Return the item, start and end of every word and punctuation mark."""
        found = []
        for at, text in enumerate(self.texts):
            if text is None:
                raise UsageError("Tokens need the texts; found only their lengths.")
            found += [(at, *match.span()) for match in _TOKEN.finditer(text)]
        table = np.array(found, dtype=np.int64).reshape(-1, 3)
        return table[:, 0], table[:, 1], table[:, 2]


def read_marks(
    spans: Any, texts: Mapping[Any, str | int], seen: Iterable[tuple[Any, Any]] | None
) -> Marks:
    """Read a table of spans, and check that every span lies in a text that its annotator read."""
    frame = _frame(spans)
    given = {str(name): text for name, text in texts.items()}
    items = {name: at for at, name in enumerate(given)}
    readings = None if seen is None else [(str(item), str(who)) for item, who in seen]
    people = frame["annotator"].to_list() + [who for _, who in readings or ()]
    annotators = {name: at for at, name in enumerate(dict.fromkeys(people))}
    for name in [*frame["item"].to_list(), *(item for item, _ in readings or ())]:
        if name not in items:
            raise InputError(f"Found a span or a reader of '{name}'; expected its text as well.")
    lengths = np.array([_length(text) for text in given.values()], dtype=np.int64)
    reader_item, reader = _readers(readings, items, annotators)
    categories = {name: at for at, name in enumerate(sorted(set(frame["id"].to_list())))}
    marks = Marks(
        tuple(items),
        tuple(annotators),
        tuple(categories),
        tuple(text if isinstance(text, str) else None for text in given.values()),
        lengths,
        reader_item,
        reader,
        np.array([items[name] for name in frame["item"]], dtype=np.int64),
        np.array([annotators[name] for name in frame["annotator"]], dtype=np.int64),
        frame["start"].to_numpy(),
        frame["end"].to_numpy(),
        np.array([categories[name] for name in frame["id"]], dtype=np.int64),
    )
    _check(marks)
    return marks


def _frame(spans: Any) -> pl.DataFrame:
    try:
        frame = spans if isinstance(spans, pl.DataFrame) else pl.DataFrame(spans)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise InputError(f"Found data that is not a table of spans ({error}).") from error
    for name in ("item", "annotator", "start", "end"):
        if name not in frame.columns:
            raise InputError(str(unknown_name("column", name, frame.columns)))
    category = pl.col("id").cast(pl.String).fill_null(_NO_ID) if "id" in frame.columns else None
    frame = frame.select(
        pl.col("item", "annotator").cast(pl.String),
        pl.col("start", "end").cast(pl.Int64, strict=False),
        (pl.lit(_NO_ID) if category is None else category).alias("id"),
    )
    if absent := frame.filter(pl.any_horizontal(pl.all().is_null())).height:
        raise InputError(
            f"Found {counted(absent, 'span')} without item, annotator, start or end; expected "
            "all four."
        )
    return frame.unique(maintain_order=True)


def _length(text: str | int) -> int:
    length = len(text) if isinstance(text, str) else int(text)
    if length < 0:
        raise InputError(f"Found a text of {length} characters; expected 0 or more.")
    return length


def _readers(
    readings: list[tuple[str, str]] | None, items: Mapping[str, int], annotators: Mapping[str, int]
) -> tuple[Codes, Codes]:
    if readings is None:
        everything = np.arange(len(items), dtype=np.int64)
        everybody = np.arange(len(annotators), dtype=np.int64)
        return np.repeat(everything, everybody.size), np.tile(everybody, everything.size)
    unique = list(dict.fromkeys(readings))
    item = np.array([items[name] for name, _ in unique], dtype=np.int64)
    return item, np.array([annotators[who] for _, who in unique], dtype=np.int64)


def _check(marks: Marks) -> None:
    for at in np.flatnonzero(
        (marks.start < 0) | (marks.start >= marks.end) | (marks.end > marks.lengths[marks.item])
    )[:1]:
        raise InputError(
            f"Found a span from {marks.start[at]} to {marks.end[at]} in '"
            f"{marks.items[marks.item[at]]}'; expected 0 <= start < end <= "
            f"{marks.lengths[marks.item[at]]}, its length."
        )
    for at in np.flatnonzero(marks.reading() < 0)[:1]:
        raise InputError(
            f"Found a span of '{marks.annotators[marks.annotator[at]]}' in '"
            f"{marks.items[marks.item[at]]}'; expected that text among those they read."
        )
