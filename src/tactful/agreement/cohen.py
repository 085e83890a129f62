"""Cohen's κ (1960, weighted 1968) of every pair of annotators, and its mean over pairs.

The mean of all pairs is Light's κ (1971). A pair that shares too few items, or that gave one and
the same label throughout, has no κ and does not count; the answer says how many did not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.cells import Distance, pairs_within, sparse
from tactful.agreement.measure import Coefficient, Resampling, apply, check_level
from tactful.agreement.prepared import Prepared, as_ratings, prepare
from tactful.agreement.statistics import Statistics, chance_corrected, ratio
from tactful.agreement.weights import Weights, distance_for, level_of
from tactful.errors import UsageError
from tactful.ratings import Codes, Numbers
from tactful.words import counted

LEAST_OVERLAP = 2
_FIRM_OVERLAP = 10
"""With fewer items in common a pair's κ jumps with every single one of them."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Cohen's κ of two annotators, or the reason why there is none."""

    first: str
    second: str
    items: int
    """Items that both judged."""
    value: float | None
    reason: str | None


def cohen_kappa(
    table: Any,
    weights: Weights | None = None,
    *,
    labels: Sequence[Any] | None = None,
    overlap: int = LEAST_OVERLAP,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return Cohen's κ; of more than two annotators, the mean over pairs that share items.

    A pair counts when it shares at least ``overlap`` items. Undefined where no pair does, or where
    both annotators of each pair gave one and the same label throughout.
    """
    resampling = Resampling(bootstrap, confidence, seed)
    return apply(
        MEASURE, table, level_of(weights), labels=labels, resampling=resampling, overlap=overlap
    )


def cohen_pairs(
    table: Any,
    weights: Weights | None = None,
    *,
    labels: Sequence[Any] | None = None,
    overlap: int = LEAST_OVERLAP,
) -> tuple[PairAgreement, ...]:
    """Return κ of every pair of annotators that shares an item, in the order of the annotators."""
    level = level_of(weights)
    check_level(level)
    ready = prepare(as_ratings(table), labels)
    distance, missing = distance_for(ready, level)
    pairs = _Pairs.of(ready, 1)
    names = ready.ratings.annotators
    values = np.full(pairs.count, np.nan)
    if missing is None and pairs.count:
        blocks, kappas = pairs.blocks(ready, distance)
        totals = [np.asarray(np.ones((1, len(ready.ratings.items))) @ block) for block in blocks]
        values = kappas(*totals)[0]
    answers = []
    for at in range(pairs.count):
        items = int(pairs.overlap[at])
        reason = missing
        if reason is None and items < overlap:
            reason = f"they share {counted(items, 'item')}; at least {overlap} are wanted"
        if reason is None and not np.isfinite(values[at]):
            reason = "both gave one and the same label throughout"
        value = float(values[at]) if reason is None else None
        first, second = int(pairs.first[at]), int(pairs.second[at])
        answers.append(PairAgreement(names[first], names[second], items, value, reason))
    return tuple(answers)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Every two judgements of an item by two annotators who share enough items."""

    first: Codes
    second: Codes
    overlap: Codes
    """The annotators of each pair, and how many items they share."""
    pair: Codes
    item: Codes
    left: Codes
    right: Codes
    """For each two judgements: their pair of annotators, their item and their labels."""
    most: int
    """The largest number of items that any pair shares."""
    left_out: int

    @property
    def count(self) -> int:
        return int(self.first.size)

    @classmethod
    def of(cls, ready: Prepared, least: int) -> "_Pairs":
        ratings = ready.ratings
        order = np.argsort(ratings.item, kind="stable")
        item, annotator, label = (
            codes[order] for codes in (ratings.item, ratings.annotator, ratings.label)
        )
        a, b = pairs_within(item)
        once = annotator[a] < annotator[b]
        a, b = a[once], b[once]
        keys, pair, overlap = np.unique(
            annotator[a] * len(ratings.annotators) + annotator[b],
            return_inverse=True,
            return_counts=True,
        )
        kept = overlap >= least
        number = np.cumsum(kept) - 1
        mask = kept[pair] if pair.size else np.zeros(0, dtype=bool)
        a, b, keys = a[mask], b[mask], keys[kept]
        people = max(len(ratings.annotators), 1)
        return cls(
            keys // people,
            keys % people,
            overlap[kept],
            number[pair[mask]],
            item[a],
            label[a],
            label[b],
            int(overlap.max(initial=0)),
            int((~kept).sum()),
        )

    def blocks(self, ready: Prepared, distance: Distance | None) -> tuple[tuple[Any, ...], Any]:
        """Return what each item adds to each pair's table, and how κ is made of the sums."""
        items, labels = len(ready.ratings.items), ready.labels
        if distance is None:
            apart = (self.left != self.right).astype(np.float64)
            # Only labels that a pair gave: free-text labels come in thousands.
            mine, theirs = self.pair * labels + self.left, self.pair * labels + self.right
            keys, column = np.unique(np.concatenate([mine, theirs]), return_inverse=True)
            mine, theirs = column[: mine.size], column[mine.size :]
            width = keys.size
            starts = np.flatnonzero(np.r_[True, np.diff(keys // labels) > 0])
        else:
            apart = distance(self.left, self.right)
            mine, theirs = self.pair * labels + self.left, self.pair * labels + self.right
            width = self.count * labels
            codes = np.arange(labels)
            table = distance(np.repeat(codes, labels), np.tile(codes, labels))
            table = table.reshape(labels, labels)

        def kappas(shared: Numbers, different: Numbers, one: Numbers, two: Numbers) -> Numbers:
            if distance is None:
                expected = 1 - ratio(np.add.reduceat(one * two, starts, axis=1), shared**2)
            else:
                shape = (len(shared), self.count, labels)
                crossed = (one.reshape(shape) @ table) * two.reshape(shape)
                expected = ratio(crossed.sum(axis=2), shared**2)
            return chance_corrected(ratio(different, shared), expected)

        ones = np.ones(self.item.size)
        blocks = (
            sparse(self.item, self.pair, ones, (items, self.count)),
            sparse(self.item, self.pair, apart, (items, self.count)),
            sparse(self.item, mine, ones, (items, width)),
            sparse(self.item, theirs, ones, (items, width)),
        )
        return blocks, kappas


def _statistics(ready: Prepared, level: Level, overlap: int = LEAST_OVERLAP) -> Statistics | str:
    if overlap < 1:
        raise UsageError(f"Found an overlap of {overlap}; expected 1 item or more.")
    distance, reason = distance_for(ready, level)
    if reason is not None:
        return reason
    pairs = _Pairs.of(ready, overlap)
    if not pairs.count:
        return (
            f"no two annotators share {overlap} items; the most that any two share is {pairs.most}"
        )
    blocks, kappas = pairs.blocks(ready, distance)

    def value(*totals: Numbers) -> Numbers:
        each = kappas(*totals)
        defined = np.isfinite(each)
        return ratio(np.where(defined, each, 0.0).sum(axis=1), defined.sum(axis=1).astype(float))

    one_label = "both annotators of each pair gave one and the same label throughout"
    statistics = Statistics(blocks, value, lambda *totals: one_label)
    totals = statistics.totals(np.ones((1, statistics.items)))
    undefined = int((~np.isfinite(kappas(*totals))).sum())
    middle = float(np.median(pairs.overlap))
    notes, unfit = _notes(pairs, overlap, undefined), None
    if middle < _FIRM_OVERLAP:
        few = f"half of the pairs share {middle:g} items or fewer"
        notes.append(f"{few}, so it is not firm")
        # The interval would miss its own value: samples of few items repeat them.
        unfit = f"{few}, too few to draw samples of"
    return replace(statistics, notes=tuple(notes), unfit=unfit)


def _notes(pairs: _Pairs, overlap: int, undefined: int) -> list[str]:
    notes = []
    found = pairs.count + pairs.left_out
    if found > 1:
        notes.append(
            f"the mean over {pairs.count - undefined:,} of {counted(found, 'pair')} of annotators"
        )
    if pairs.left_out:
        share = "shares" if pairs.left_out == 1 else "share"
        notes.append(f"left out: {counted(pairs.left_out, 'pair')} that {share} less than "
                     f"{counted(overlap, 'item')}")  # fmt: skip
    if undefined:
        notes.append(f"left out: {counted(undefined, 'pair')} that gave one label throughout")
    return notes


MEASURE = Coefficient(
    "cohen",
    {
        "nominal": "Cohen's κ",
        "ordinal": "Cohen's κ, linear weights",
        "interval": "Cohen's κ, quadratic weights",
    },
    _statistics,
    lowest=-1.0,
    source="Cohen (1960, 1968); the mean over pairs as in Light (1971)",
)
