"""From sums over items to a coefficient, once for the table and once for each bootstrap sample.

Every coefficient here is a function of sums over items of a few numbers that each item has. An
item drawn twice counts twice in the sums; so a thousand samples are one product of a matrix of
counts with the matrix of those numbers, and no judgement is touched again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tactful.agreement.cells import Block, sparse
from tactful.ratings import Codes, Numbers
from tactful.resampling import draw_counts, draw_kind_counts

_FEW = 4
"""Equal items are drawn together if there are at least this many items for each kind."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """The numbers of each item that a coefficient needs, and how their sums give its value.

    ``value`` takes the sums of each block, samples by columns, and returns one value per sample;
    NaN means undefined and never leaves this room. ``explain`` takes the same sums of one
    sample and says why it is undefined.
    """

    blocks: tuple[Block, ...]
    value: Callable[..., Numbers]
    explain: Callable[..., str]
    notes: tuple[str, ...] = ()
    unfit: str | None = None
    """Why samples of items would say nothing about how firm the value is, where that is so."""

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.blocks[0].shape[0])

    def collapse(self, parent: Codes, weight: Numbers, parents: int) -> "Statistics":
        """Add up pieces of a text, each ``weight`` times, to the text they belong to."""
        gather = sparse(parent, np.arange(parent.size), weight, (parents, parent.size))
        blocks = tuple(gather @ block for block in self.blocks)
        return replace(self, blocks=blocks)

    def totals(self, counts: Numbers) -> list[Numbers]:
        """Return the sums of each block over items that are counted ``counts`` times."""
        return [np.asarray(counts @ block) for block in self.blocks]

    def point(self) -> tuple[float | None, str | None]:
        """Return the value of the whole table, or why there is none."""
        # A sum, and not a product with ones: that would wake a thread for every core.
        totals = [np.asarray(block.sum(axis=0)).reshape(1, -1) for block in self.blocks]
        value = float(self.value(*totals)[0])
        if np.isfinite(value):
            return value, None
        return None, self.explain(*(total[0] for total in totals))

    def resample(self, samples: int, seed: int) -> Numbers:
        """Return the value of each bootstrap sample of items; NaN where it is undefined."""
        rng = np.random.default_rng(seed)
        kinds = self._kinds()
        statistics, width = self, max(self.items, *(int(block.shape[1]) for block in self.blocks))
        if kinds is None:
            drawn = draw_counts(self.items, samples, rng, width)
        else:
            statistics, sizes = kinds
            drawn = draw_kind_counts(sizes, samples, rng, width)
        return np.concatenate([statistics.value(*statistics.totals(counts)) for counts in drawn])

    def _kinds(self) -> "tuple[Statistics, Numbers] | None":
        """Bring items together whose numbers are the same, where that saves most of the work.

        How often each kind is drawn is multinomial, so the samples have the same distribution.
        """
        dense = [block for block in self.blocks if isinstance(block, np.ndarray)]
        if len(dense) < len(self.blocks):
            return None
        rows = np.hstack(dense)
        # As np.unique with an axis, which takes many times as long.
        rows = rows[np.lexsort(rows.T[::-1])]
        is_new = (rows[1:] != rows[:-1]).any(axis=1)
        first = np.flatnonzero(np.concatenate(([True], is_new)))
        kinds, sizes = rows[first], np.diff(first, append=len(rows))
        if sizes.size * _FEW > self.items:
            return None
        edges = np.cumsum([block.shape[1] for block in dense])[:-1]
        blocks = tuple(np.hsplit(kinds, edges))
        return replace(self, blocks=blocks), sizes.astype(np.float64)


def ratio(above: Numbers, below: Numbers) -> Numbers:
    """Divide; NaN where the denominator is 0."""
    result: Numbers = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=result, where=below > 0)
    return result


def chance_corrected(observed: Numbers, expected: Numbers) -> Numbers:
    """Return 1 minus the observed over the expected disagreement.

    What floating point leaves of an expected disagreement of nothing is nothing.
    """
    return 1 - ratio(observed, np.where(expected < 1e-12, 0.0, expected))
