"""What all methods start from: the judgements in one order, and what is known of some items.

Sums of decimals depend on their order in the last digit, and so would ties. Everything is therefore
computed in one order, by the names of items and annotators, whatever the order of the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from tactful.errors import InputError
from tactful.ratings import Codes, Numbers, Ratings, as_frame, read_ratings
from tactful.words import counted

Gold = Mapping[str, str]
"""Items whose true label is known."""

_MOST_CELLS = 50_000_000
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


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judgements by item and annotator, of the items that have any or are known."""

    ratings: Ratings
    """Items and annotators by name; judgements by item, then annotator."""
    place: Codes
    """The index here of each item of the table; -1 without judgements or gold."""
    annotator_place: Codes
    """The index here of each annotator of the table."""
    known: Codes
    """The label of each item here that is known, else -1."""
    notes: tuple[str, ...]

    def spread(self, values: Numbers) -> Numbers:
        """Bring rows per item back into the order of the table; nothing to go by is NaN."""
        shape = (self.place.size, *values.shape[1:])
        answer = np.full(shape, np.nan)
        answer[self.place >= 0] = values[self.place[self.place >= 0]]
        return answer

    def by_annotator(self, values: Numbers) -> Numbers:
        """Bring rows per annotator back into the order of the table."""
        return values[self.annotator_place]


def judged(ratings: Ratings, gold: Gold | None = None) -> Judged:
    """Sort the judgements, leave out items without any, and look up what is known."""
    ratings, known, notes = _look_up(ratings, gold or {})
    wanted = known >= 0
    wanted[ratings.item] = True
    item_order = [at for at in _by_name(ratings.items) if wanted[at]]
    annotator_order = _by_name(ratings.annotators)
    place = np.full(len(ratings.items), -1, dtype=np.int64)
    place[item_order] = np.arange(len(item_order))
    annotator_place = np.empty(len(annotator_order), dtype=np.int64)
    annotator_place[annotator_order] = np.arange(len(annotator_order))
    item, annotator = place[ratings.item], annotator_place[ratings.annotator]
    # Several rows of an annotator for one item must not depend on their order.
    rows = np.lexsort((ratings.label, annotator, item))
    return Judged(
        Ratings(
            tuple(ratings.items[at] for at in item_order),
            tuple(ratings.annotators[at] for at in annotator_order),
            ratings.labels,
            item[rows],
            annotator[rows],
            ratings.label[rows],
            None if ratings.trust is None else ratings.trust[rows],
            ratings.missing,
        ),
        place,
        annotator_place,
        known[item_order],
        notes,
    )


def _by_name(names: tuple[str, ...]) -> list[int]:
    return sorted(range(len(names)), key=names.__getitem__)


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


def shares(counts: Numbers) -> Numbers:
    """Divide each row by its sum; a row of nothing stays NaN."""
    total = counts.sum(axis=1, keepdims=True)
    answer = np.full_like(counts, np.nan)
    np.divide(counts, total, out=answer, where=total > 0)
    return answer
