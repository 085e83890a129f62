"""A table made ready for every measure: only what is used, and what the labels are worth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.agreement.cells import Cells
from tactful.errors import InputError, UsageError
from tactful.ratings import Codes, Numbers, Ratings, read_ratings

REST = "any other"
"""What the labels that are not looked at are called together."""


@dataclass(frozen=True)
class Prepared:
    """Judgements without unused names.

    ``ordered`` says whether the order of the labels is known: they are numbers, or the caller
    listed them.
    """

    ratings: Ratings
    ordered: bool

    @cached_property
    def cells(self) -> Cells:
        """How often each item got each label."""
        return Cells.of(self.ratings)

    @property
    def labels(self) -> int:
        """The number of labels."""
        return len(self.ratings.labels)

    @cached_property
    def scale(self) -> Numbers | None:
        """The position of each label: its number, or its index in the caller's list."""
        if self.ratings.values is not None:
            return self.ratings.values
        return np.arange(self.labels, dtype=np.float64) if self.ordered else None


def as_ratings(table: Any, trust: str | None = None) -> Ratings:
    """Take a table or what was already read from one."""
    return table if isinstance(table, Ratings) else read_ratings(table, trust=trust)


def prepare(ratings: Ratings, labels: Sequence[Any] | None = None) -> Prepared:
    """Leave out names without judgements; ``labels`` lists all labels that could be given.

    Such a list has two effects: it is the order of the labels that are no numbers, and Gwet's AC
    counts labels that nobody gave.
    """
    item, items = _used(ratings.item, ratings.items)
    annotator, annotators = _used(ratings.annotator, ratings.annotators)
    if labels is None:
        label, names = _used(ratings.label, ratings.labels)
    else:
        names = _listed(ratings, [_label_text(name) for name in labels])
        places = {name: at for at, name in enumerate(names)}
        code = np.array([places.get(name, -1) for name in ratings.labels], dtype=np.int64)
        label = code[ratings.label] if len(ratings) else ratings.label
    compact = replace(
        ratings,
        items=items,
        annotators=annotators,
        labels=names,
        item=item,
        annotator=annotator,
        label=label,
    )
    return Prepared(compact, compact.values is not None or labels is not None)


def one_against_rest(ratings: Ratings, label: str) -> Ratings:
    """Return the judgements as ``label`` or any other."""
    mine = ratings.label == _code_of(ratings, label)
    return replace(ratings, labels=(REST, label), label=mine.astype(np.int64))


def without_items(ratings: Ratings, labels: Sequence[Any]) -> Ratings:
    """Leave out every item that any annotator gave one of ``labels``."""
    marked = np.isin(ratings.label, [_code_of(ratings, _label_text(label)) for label in labels])
    out = np.zeros(len(ratings.items), dtype=bool)
    out[ratings.item[marked]] = True
    return ratings.keep(~out[ratings.item])


def _code_of(ratings: Ratings, label: str) -> int:
    if label not in ratings.labels:
        known = ", ".join(ratings.labels) or "none"
        raise UsageError(f"There is no label '{label}' in the table. Known: {known}.")
    return ratings.labels.index(label)


def _label_text(label: Any) -> str:
    """Write a label as tables do: 1.0 and 1 are the same."""
    if isinstance(label, bool):
        label = int(label)
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _used(codes: Codes, names: tuple[str, ...]) -> tuple[Codes, tuple[str, ...]]:
    present: NDArray[np.bool_] = np.zeros(len(names), dtype=bool)
    present[codes] = True
    if present.all():
        return codes, names
    new = np.cumsum(present) - 1
    return new[codes], tuple(name for name, is_used in zip(names, present, strict=True) if is_used)


def _listed(ratings: Ratings, labels: list[str]) -> tuple[str, ...]:
    if len(set(labels)) != len(labels):
        raise UsageError(f"The labels {', '.join(labels)} name one twice; list each once.")
    used = np.unique(ratings.label)
    for code in used:
        if ratings.labels[code] not in labels:
            raise InputError(
                f"Found the label '{ratings.labels[code]}'; expected one of {', '.join(labels)}; "
                "list it too, or correct the table."
            )
    return tuple(labels)
