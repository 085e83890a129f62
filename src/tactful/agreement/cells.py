"""How often each item got each label, kept sparse: most items get few of the labels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tactful.libraries import needed
from tactful.ratings import Codes, Numbers, Ratings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Block = Numbers | csr_array[Any, tuple[int, int]]
else:
    Block = Any

Distance = Callable[[Codes, Codes], Numbers]

_DENSE_COLUMNS = 32
"""Wider blocks are kept sparse: a table of free-text labels has thousands."""
_ROOMY = 16
"""Counting into all cells is faster than sorting up to this many cells per judgement."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of the table items by labels that are not empty, in the order of the items."""

    items: int
    labels: int
    item: Codes
    label: Codes
    count: Numbers
    raters: Numbers
    """How many judgements each item has."""

    @classmethod
    def of(cls, ratings: Ratings) -> "Cells":
        """Count."""
        items, labels = len(ratings.items), max(len(ratings.labels), 1)
        flat = ratings.item * labels + ratings.label
        if items * labels <= _ROOMY * len(ratings):
            counts = np.bincount(flat, minlength=items * labels)
            found = np.flatnonzero(counts)
            count = counts[found]
        else:
            found, count = np.unique(flat, return_counts=True)
        raters = np.bincount(ratings.item, minlength=items).astype(np.float64)
        return cls(items, labels, found // labels, found % labels, count.astype(np.float64), raters)

    def per_item(self, values: Numbers) -> Numbers:
        """Sum a value of each cell over the cells of each item."""
        return np.bincount(self.item, values, minlength=self.items).astype(np.float64)

    def disagreement(self, distance: Distance | None) -> Numbers:
        """Sum the distance over all ordered pairs of judgements of an item, for each item.

        ``distance`` takes two arrays of labels; None means 1 between different labels.
        """
        if distance is None:
            return self.raters**2 - self.per_item(self.count**2)
        left, right = pairs_within(self.item)
        apart = distance(self.label[left], self.label[right])
        products = apart * self.count[left] * self.count[right]
        return np.bincount(self.item[left], products, minlength=self.items).astype(np.float64)

    def block(self, values: Numbers) -> Block:
        """Return a value of each cell as a matrix of items by labels."""
        return matrix(self.item, self.label, values, (self.items, self.labels))


def matrix(row: Codes, column: Codes, values: Numbers, shape: tuple[int, int]) -> Block:
    """Sum values into a matrix: an array where it is narrow, else a sparse one."""
    if shape[1] <= _DENSE_COLUMNS:
        flat = np.bincount(row * shape[1] + column, values, minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(np.float64)
    return sparse(row, column, values, shape)


def sparse(row: Codes, column: Codes, values: Numbers, shape: tuple[int, int]) -> Block:
    """Sum values into a sparse matrix."""
    with needed("Agreement on more than 32 labels"):
        from scipy.sparse import csr_array

    return csr_array((values, (row, column)), shape=shape)


def pairs_within(group: Codes) -> tuple[Codes, Codes]:
    """Return all ordered pairs of places (also of a place with itself) that share a group.

    ``group`` must be sorted.
    """
    if not group.size:
        return group, group
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    sizes = np.diff(np.r_[starts, group.size])
    mates = np.repeat(sizes, sizes)
    left = np.repeat(np.arange(group.size), mates)
    first = np.cumsum(mates) - mates
    right = np.repeat(np.repeat(starts, sizes) - first, mates) + np.arange(left.size)
    return left, right
