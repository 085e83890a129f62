"""Fleiss' κ (1971), for any number of judgements per item.

Fleiss defined it for items that all have equally many judgements. For uneven ones we take the
generalisation of Gwet (2014, chapter 2): the observed agreement is the mean over items with two
judgements or more of the share of equal pairs, and the share of a label is the mean over all
items of its share there. Every item counts alike, however many people judged it. With
equally many judgements both are Fleiss' own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.measure import Coefficient, Resampling, apply
from tactful.agreement.prepared import Prepared
from tactful.agreement.statistics import Statistics, chance_corrected, ratio
from tactful.agreement.weights import Weights, distance_for, expected_disagreement, level_of
from tactful.ratings import Numbers


def fleiss_kappa(
    table: Any,
    weights: Weights | None = None,
    *,
    labels: Sequence[Any] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return Fleiss' κ: 1 for perfect agreement, 0 for that of chance, below 0 for less.

    ``weights`` give credit for labels that are close (``"linear"``, ``"quadratic"``). Undefined
    where no item has two judgements or all judgements are the same label.
    """
    resampling = Resampling(bootstrap, confidence, seed)
    return apply(MEASURE, table, level_of(weights), labels=labels, resampling=resampling)


def item_blocks(ready: Prepared, level: Level) -> tuple[tuple[Any, ...], Any] | str:
    """Return per item the disagreement, whether it has any pair, and the shares of its labels.

    Gwet's coefficients are made from the same numbers; they differ in the chance agreement only.
    """
    distance, reason = distance_for(ready, level)
    if reason is not None:
        return reason
    cells = ready.cells
    pairs = cells.raters * (cells.raters - 1)
    different = cells.disagreement(distance)
    observed = np.divide(different, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    head = np.column_stack([observed, pairs > 0, np.ones(cells.items)])
    shares = cells.block(cells.count / cells.raters[cells.item])
    return (head, shares), distance


def _statistics(ready: Prepared, level: Level) -> Statistics | str:
    made = item_blocks(ready, level)
    if isinstance(made, str):
        return made
    blocks, distance = made
    expected = expected_disagreement(ready.labels, distance)

    def value(head: Numbers, shares: Numbers) -> Numbers:
        observed = ratio(head[:, 0], head[:, 1])
        return chance_corrected(observed, expected(ratio(shares, head[:, 2:3])))

    return Statistics(blocks, value, lambda head, shares: only_label(ready, shares))


def only_label(ready: Prepared, shares: Numbers) -> str:
    """Say that there is one label only, so that chance alone agrees perfectly."""
    label = ready.ratings.labels[int(np.argmax(shares))]
    return f"every judgement is '{label}', so there is nothing to distinguish"


MEASURE = Coefficient(
    "fleiss",
    {
        "nominal": "Fleiss' κ",
        "ordinal": "Fleiss' κ, linear weights",
        "interval": "Fleiss' κ, quadratic weights",
    },
    _statistics,
    source="Fleiss (1971); uneven numbers of judgements as in Gwet (2014)",
)
