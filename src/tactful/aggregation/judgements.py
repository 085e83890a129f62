"""What all methods start from: the judgements in one order, and what is known of some items.

Sums of decimals depend on their order in the last digit, and so would ties. Everything is therefore
computed in one order, by the names of items and annotators, whatever the order of the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import le
from typing import Any

import numpy as np
import polars as pl

from tactful.errors import InputError
from tactful.ratings import Codes, Numbers, Ratings, as_frame, read_ratings
from tactful.words import counted

Gold = Mapping[str, str]
"""Items whose true label is known."""

_MOST_CELLS = 50_000_000
_MOST_KEY = 1 << 62
_FEW = 7
"""Up to so many numbers, numpy adds a row from left to right, as adding columns does."""
_SHOWN = 3


def read_judgements(
    table: Any,
    *,
    item: str = "item",
    annotator: str = "annotator",
    label: str = "label",
    trust: str | None = None,
) -> Ratings:
    """Turn a table into ratings that keep the items without judgements.

    What is a :class:`Ratings` already is returned as it is.
    """
    if isinstance(table, Ratings):
        return table
    frame = as_frame(table, (item, annotator, label))
    ratings = read_ratings(frame, item=item, annotator=annotator, label=label, trust=trust)
    if not ratings.missing:
        return ratings
    everything = tuple(frame[item].cast(pl.String).unique(maintain_order=True))
    position = {name: code for code, name in enumerate(everything)}
    moved = np.array([position[name] for name in ratings.items], dtype=np.int64)
    return replace(ratings, items=everything, item=moved[ratings.item])


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgements by item and annotator, of the items that have any or are known."""

    table: Ratings
    """The judgements in the order of the table."""
    item_order: Codes
    """The items of the table that are here, by name."""
    place: Codes
    """The index here of each item of the table; -1 without judgements or gold."""
    known: Codes
    """The label of each item here that is known, else -1."""
    notes: tuple[str, ...]

    @cached_property
    def ratings(self) -> Ratings:
        """Items and annotators by name; judgements by item, then annotator."""
        table = self.table
        item, annotator = self.place[table.item], self._annotator_place[table.annotator]
        # Several rows of an annotator for one item must not depend on their order.
        rows = _sorted_rows(item, annotator, table)
        return Ratings(
            self.items,
            _picked(table.annotators, self._annotator_order),
            table.labels,
            item[rows],
            annotator[rows],
            table.label[rows],
            None if table.trust is None else table.trust[rows],
            table.missing,
        )

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The names of the items."""
        return _picked(self.table.items, self.item_order)

    @cached_property
    def _annotator_order(self) -> Codes:
        return _by_name(self.table.annotators)

    @cached_property
    def _annotator_place(self) -> Codes:
        """The index here of each annotator of the table."""
        return _places(self._annotator_order, len(self.table.annotators))

    def counts(self) -> Numbers:
        """Return how often each item got each label: whole numbers, which need no order."""
        return self.table.counts()[self.item_order]

    def spread(self, values: Numbers) -> Numbers:
        """Bring rows per item back into the order of the table; nothing to go by is NaN."""
        shape = (self.place.size, *values.shape[1:])
        answer = np.full(shape, np.nan)
        answer[self.place >= 0] = values[self.place[self.place >= 0]]
        return answer

    def by_annotator(self, values: Numbers) -> Numbers:
        """Bring rows per annotator back into the order of the table."""
        return values[self._annotator_place]


def judged(ratings: Ratings, gold: Gold | None = None) -> Judged:
    """Leave out items without judgements, and look up what is known."""
    ratings, known, notes = _look_up(ratings, gold or {})
    wanted = known >= 0
    wanted[ratings.item] = True
    order = _by_name(ratings.items)
    order = order[wanted[order]]
    return Judged(ratings, order, _places(order, len(ratings.items)), known[order], notes)


def _places(order: Codes, size: int) -> Codes:
    """Return the place of each of ``size`` numbers in an order, -1 where it is not there."""
    place = np.full(size, -1, dtype=np.int64)
    place[order] = np.arange(order.size)
    return place


def _by_name(names: tuple[str, ...]) -> Codes:
    order = np.arange(len(names))
    if not all(map(le, names, names[1:])):
        order = np.array(sorted(order.tolist(), key=names.__getitem__), dtype=np.int64)
    return order


def _picked(names: tuple[str, ...], order: Codes) -> tuple[str, ...]:
    if np.array_equal(order, np.arange(len(names))):
        return names
    return tuple(map(names.__getitem__, order.tolist()))


def _sorted_rows(item: Codes, annotator: Codes, ratings: Ratings) -> Codes:
    """Return the rows by item, annotator and label."""
    width, labels = max(len(ratings.annotators), 1), max(len(ratings.labels), 1)
    if len(ratings.items) * width * labels >= _MOST_KEY:
        return np.lexsort((ratings.label, annotator, item))
    # One key is sorted five times faster than three.
    key = (item * width + annotator) * labels + ratings.label
    return np.argsort(key, kind="stable")


def _look_up(ratings: Ratings, gold: Gold) -> tuple[Ratings, Codes, tuple[str, ...]]:
    known = np.full(len(ratings.items), -1, dtype=np.int64)
    if not gold:
        return ratings, known, ()
    spelt = matching_labels(gold, ratings.labels)
    new = sorted(set(spelt.values()) - set(ratings.labels))
    notes = []
    if new:
        notes.append(f"Gold has labels that no annotator gave: {', '.join(new)}.")
        ratings = _with_labels(ratings, new)
    code = {label: at for at, label in enumerate(ratings.labels)}
    position = {name: at for at, name in enumerate(ratings.items)}
    strangers = [name for name in spelt if name not in position]
    if strangers:
        shown = ", ".join(map(repr, strangers[:_SHOWN]))
        notes.append(
            f"Gold has {counted(len(strangers), 'item')} that the table does not have ({shown})."
        )
    for name, label in spelt.items():
        if name in position:
            known[position[name]] = code[label]
    return ratings, known, tuple(notes)


def matching_labels(gold: Gold, labels: Sequence[str]) -> dict[str, str]:
    """Return gold spelt as the judgements are: 1 in one file may be 1.0 in the other."""
    exact = set(labels)
    by_value = {as_number(label): label for label in labels}
    by_value.pop(None, None)
    return {
        item: label if label in exact else by_value.get(as_number(label), label)
        for item, label in ((str(item), str(label)) for item, label in gold.items())
    }


def as_number(label: str) -> float | None:
    """Read a label as a number; None if it is not one."""
    try:
        return float(label)
    except ValueError:
        return None


def _with_labels(ratings: Ratings, new: list[str]) -> Ratings:
    everything = [*ratings.labels, *new]
    are_numbers = all(as_number(label) is not None for label in everything)
    everything.sort(key=float if are_numbers else None)
    moved = np.array([everything.index(label) for label in ratings.labels], dtype=np.int64)
    label = moved[ratings.label] if len(ratings) else ratings.label
    return replace(ratings, labels=tuple(everything), label=label)


def refuse_too_many_labels(ratings: Ratings) -> None:
    """Refuse tables of confusion that no memory holds: free text is no set of labels."""
    cells = len(ratings.annotators) * len(ratings.labels) ** 2
    if cells > _MOST_CELLS:
        raise InputError(
            f"Found {len(ratings.labels):,} different labels by {len(ratings.annotators):,} "
            "annotators; expected a small set of labels, because each annotator gets a table of "
            "labels by labels; aggregate by majority, or group the labels first."
        )


def over_labels(operation: np.ufunc, values: Numbers) -> Numbers:
    """Reduce each row; column by column where they are few, which is many times faster."""
    if not 0 < values.shape[1] <= _FEW:
        return np.asarray(operation.reduce(values, axis=1, keepdims=True))
    answer = values[:, 0].copy()
    for column in values.T[1:]:
        operation(answer, column, out=answer)
    return answer[:, None]


def shares(counts: Numbers) -> Numbers:
    """Divide each row by its sum; a row of nothing stays NaN."""
    total = over_labels(np.add, counts)
    answer = np.full_like(counts, np.nan)
    np.divide(counts, total, out=answer, where=total > 0)
    return answer
