"""Sets of labels as numbers: each distinct set is read once, whatever the number of items.

A corpus of 100,000 items has a few hundred distinct sets. They become rows of a matrix, closed
under the hierarchy (an item with a label has all labels above it), and items become counts of
pairs of rows; everything after that is small.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError, UsageError

LabelSets = Sequence[Iterable[str]]
Hierarchy = Mapping[str, str | None]
Empty = Literal["class", "nothing", "drop"]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]

NO_LABEL = "(no label)"
"""The class of the items without a label, where an empty set is a class of its own."""

EMPTY = ("class", "nothing", "drop")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Gold and predicted sets as distinct pairs, each with the number of items that have it."""

    labels: tuple[str, ...]
    parents: Codes
    """For each label the place of the one above it, or -1."""
    gold: Flags
    """One row per pair, one column per label: the gold set with all labels above."""
    predicted: Flags
    counts: Codes
    items: int

    @property
    def gold_counts(self) -> Codes:
        """How many gold items have each label or one below it."""
        return self.counts @ self.gold

    @property
    def predicted_counts(self) -> Codes:
        """How many predictions have each label or one below it."""
        return self.counts @ self.predicted

    @property
    def both_counts(self) -> Codes:
        """How many items have each label on both sides."""
        return self.counts @ (self.gold & self.predicted)


def pair_sets(
    gold: LabelSets,
    predicted: LabelSets,
    hierarchy: Hierarchy | None = None,
    *,
    empty: Empty = "nothing",
) -> Pairs:
    """Pair gold and predicted label sets, closed under the hierarchy (label -> the one above).

    ``empty`` says what an empty set is: a ``class`` of its own, ``nothing`` at all, or ``nothing``
    and a gold item to ``drop``. A label outside the hierarchy is alone at the top.
    """
    if empty not in EMPTY:
        raise UsageError(f"Found empty={empty!r}; expected one of {', '.join(EMPTY)}.")
    gold_sets, gold_codes = _distinct(gold, "gold")
    predicted_sets, predicted_codes = _distinct(predicted, "predicted")
    if len(gold_codes) != len(predicted_codes):
        raise InputError(
            f"Found {len(gold_codes):,} gold and {len(predicted_codes):,} predicted label sets; "
            "expected one of each for every item."
        )
    if empty == "class":
        gold_sets = [labels or frozenset((NO_LABEL,)) for labels in gold_sets]
        predicted_sets = [labels or frozenset((NO_LABEL,)) for labels in predicted_sets]
    labels, parents = read_hierarchy(hierarchy or {}, [*gold_sets, *predicted_sets])
    width = max(len(predicted_sets), 1)
    codes, counts = np.unique(gold_codes * width + predicted_codes, return_counts=True)
    if empty == "drop":
        keep = np.array([bool(gold_sets[code // width]) for code in codes.tolist()], dtype=np.bool_)
        codes, counts = codes[keep], counts[keep]
    return Pairs(
        labels,
        parents,
        _closed(gold_sets, labels, parents)[codes // width],
        _closed(predicted_sets, labels, parents)[codes % width],
        counts.astype(np.int64),
        int(counts.sum()),
    )


def read_hierarchy(
    hierarchy: Hierarchy, found: Iterable[Iterable[str]]
) -> tuple[tuple[str, ...], Codes]:
    """Return all labels, those above before those below, and the place of each one's parent."""
    parent_of: dict[str, str | None] = dict(hierarchy)
    for above in hierarchy.values():
        if above is not None:
            parent_of.setdefault(above, None)
    for label in sorted({label for labels in found for label in labels}):
        parent_of.setdefault(label, None)
    depths = {label: _depth(label, parent_of) for label in parent_of}
    # sorted() keeps the order of labels of one depth, so that the same input gives the same sums.
    labels = tuple(sorted(parent_of, key=lambda label: depths[label]))
    place = {label: index for index, label in enumerate(labels)}
    ranked = [parent_of[label] for label in labels]
    parents = [-1 if name is None else place[name] for name in ranked]
    return labels, np.array(parents, dtype=np.int64)


def _depth(label: str, parent_of: Mapping[str, str | None]) -> int:
    seen = [label]
    above = parent_of[label]
    while above is not None:
        if above in seen:
            ring = " -> ".join([*seen[seen.index(above) :], above])
            raise InputError(f"Found a hierarchy with a cycle ({ring}); expected a tree.")
        seen.append(above)
        above = parent_of[above]
    return len(seen)


def _distinct(rows: LabelSets, side: str) -> tuple[list[frozenset[str]], Codes]:
    known: dict[frozenset[str], int] = {}
    codes = np.empty(len(rows), dtype=np.int64)
    for index, row in enumerate(rows):
        if isinstance(row, str):
            # A string is a row of letters to Python; taken so, it would be measured nonsense.
            raise InputError(
                f"Found the text {row!r} as {side} label set of item {index}; "
                "expected a set or list of labels."
            )
        codes[index] = known.setdefault(frozenset(row), len(known))
    for labels in known:
        for label in labels:
            if not isinstance(label, str):
                raise InputError(f"Found {label!r} as {side} label; expected text.")
    return list(known), codes


def _closed(sets: Sequence[frozenset[str]], labels: tuple[str, ...], parents: Codes) -> Flags:
    place = {label: index for index, label in enumerate(labels)}
    flags = np.zeros((max(len(sets), 1), len(labels)), dtype=np.bool_)
    for row, members in enumerate(sets):
        flags[row, [place[label] for label in members]] = True
    # From below to above: labels are sorted by depth.
    for child in range(len(labels) - 1, -1, -1):
        if parents[child] >= 0:
            flags[:, parents[child]] |= flags[:, child]
    return flags
