"""Confusion between two annotators, and each annotator compared with all others."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tactful.annotation.analysis.views import View

if TYPE_CHECKING:
    from tactful.ratings import Ratings

LEAST_SHARED = 2
_CHUNK = 2_000_000
"""Cells of the vote table that are processed together."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """The confusion matrix of two annotators."""

    first: str
    second: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """A row for each label of the first, a column for each label of the second."""
    items: int
    same: int
    kappa: float | None
    """Cohen's κ of the two."""
    reason: str | None
    """Why there is none."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators and how many items both judged."""

    first: str
    second: str
    items: int
    same: int


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """How often somebody agrees with the majority of the others on the same items."""

    annotator: str
    items: int
    """Items on which the others have a clear majority."""
    same: int
    ties: int
    """Items on which the others are tied."""
    share: float | None
    interval: tuple[float, float] | None
    reason: str | None


def confusion(view: View, first: str, second: str) -> Confusion:
    """Return the table of two annotators over the items that both judged."""
    from tactful.agreement import cohen_kappa

    table = view.ratings
    mine, theirs = _of(table, first), _of(table, second)
    shared = [item for item in mine if item in theirs]
    seen = Counter((mine[item], theirs[item]) for item in shared)
    codes = range(len(table.labels))
    counts = tuple(tuple(seen[row, column] for column in codes) for row in codes)
    same = sum(seen[code, code] for code in codes)
    kappa, reason = None, None
    if first == second:
        reason = "both are the same annotator"
    elif len(shared) < LEAST_SHARED:
        reason = f"they share {len(shared)} items; at least {LEAST_SHARED} are needed"
    else:
        both = [
            (item, who, answers[item])
            for who, answers in (("first", mine), ("second", theirs))
            for item in shared
        ]
        answer = cohen_kappa(both)
        kappa, reason = answer.value, answer.reason
    return Confusion(first, second, table.labels, counts, len(shared), same, kappa, reason)


def pairs(view: View, most: int = 30) -> list[Pair]:
    """Return the pairs of annotators with most items in common, the largest first."""
    import numpy as np

    table = view.ratings
    order = np.lexsort((table.annotator, table.item))
    item, who, label = table.item[order], table.annotator[order], table.label[order]
    width = max(len(table.annotators), 1)
    shared, same = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    # Judgements of an item are adjacent: compare neighbours first, then those two apart, and so on.
    for distance in range(1, int(np.bincount(item).max(initial=0))):
        near = item[distance:] == item[:-distance]
        pair = who[:-distance][near] * width + who[distance:][near]
        shared = np.concatenate([shared, pair])
        same = np.concatenate([same, label[:-distance][near] == label[distance:][near]])
    codes, place, counts = np.unique(shared, return_inverse=True, return_counts=True)
    alike = np.bincount(place, weights=same, minlength=codes.size)
    largest = np.argsort(-counts, kind="stable")[:most]
    return [
        Pair(
            table.annotators[codes[at] // width],
            table.annotators[codes[at] % width],
            int(counts[at]),
            int(alike[at]),
        )
        for at in largest
    ]


def against_others(view: View) -> list[AgainstOthers]:
    """Compare each annotator with the majority of the others, the lowest share first."""
    import numpy as np

    table = view.ratings
    votes = table.counts()
    people = len(table.annotators)
    items, same, ties = (np.zeros(people, dtype=np.int64) for _ in range(3))
    step = max(1, _CHUNK // max(votes.shape[1], 1))
    for start in range(0, len(table), step):
        part = slice(start, start + step)
        label, who = table.label[part], table.annotator[part]
        others = votes[table.item[part]]
        others[np.arange(label.size), label] -= 1
        top = others.max(axis=1)
        winners = (others == top[:, None]).sum(axis=1)
        clear = (top > 0) & (winners == 1)
        items += np.bincount(who[clear], minlength=people)
        agrees = clear & (others.argmax(axis=1) == label)
        same += np.bincount(who[agrees], minlength=people)
        ties += np.bincount(who[(top > 0) & (winners > 1)], minlength=people)
    found = [
        _compared(name, int(items[at]), int(same[at]), int(ties[at]))
        for at, name in enumerate(table.annotators)
    ]
    return sorted(found, key=lambda one: (math.inf if one.share is None else one.share, -one.items))


def _compared(person: str, items: int, same: int, ties: int) -> AgainstOthers:
    from tactful.resampling import wilson_interval

    if not items:
        reason = (
            "the others are tied on every item" if ties else "nobody else judged the same items"
        )
        return AgainstOthers(person, 0, 0, ties, None, None, reason)
    interval = wilson_interval(same, items)
    return AgainstOthers(person, items, same, ties, same / items, interval, None)


def _of(table: "Ratings", annotator: str) -> dict[int, int]:
    """Return the judgements of one annotator: item -> label, both as numbers."""
    if annotator not in table.annotators:
        return {}
    mine = table.annotator == table.annotators.index(annotator)
    return dict(zip(table.item[mine].tolist(), table.label[mine].tolist(), strict=True))
