"""Gwet's AC1 (2008) and AC2 (2014), which stay sensible where one label is rare.

The observed agreement is that of Fleiss' κ for uneven numbers of judgements. Chance is thought of
differently: only judgements of items that are hard to judge are guesses. So the chance agreement
falls, not rises, when nearly all judgements are the same label.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.fleiss import item_blocks, only_label
from tactful.agreement.measure import Coefficient, Resampling, apply
from tactful.agreement.prepared import Prepared
from tactful.agreement.statistics import Statistics, chance_corrected, ratio
from tactful.agreement.weights import Weights, level_of
from tactful.ratings import Numbers


def gwet_ac1(
    table: Any,
    *,
    labels: Sequence[Any] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return Gwet's AC1: 1 for perfect agreement, 0 for that of chance.

    ``labels`` lists all labels that could be given: those that nobody gave count in the chance
    agreement. Undefined where no item has two judgements or there is one label only.
    """
    resampling = Resampling(bootstrap, confidence, seed)
    return apply(AC1, table, labels=labels, resampling=resampling)


def gwet_ac2(
    table: Any,
    weights: Weights = "quadratic",
    *,
    labels: Sequence[Any] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return Gwet's AC2, which gives credit for labels that are close.

    Undefined as AC1 is, and where the labels are neither numbers nor listed in ``labels``.
    """
    resampling = Resampling(bootstrap, confidence, seed)
    return apply(AC2, table, level_of(weights), labels=labels, resampling=resampling)


def _statistics(ready: Prepared, level: Level) -> Statistics | str:
    made = item_blocks(ready, level)
    if isinstance(made, str):
        return made
    blocks, distance = made
    labels = ready.labels
    if labels < 2:
        return only_label(ready, np.ones(1))
    # The sum of the agreement weights over all pairs of labels; of equal labels alone for AC1.
    agreeing = float(labels)
    if distance is not None:
        codes = np.arange(labels)
        table = distance(np.repeat(codes, labels), np.tile(codes, labels))
        agreeing = float((1 - table).sum())

    def value(head: Numbers, shares: Numbers) -> Numbers:
        observed = ratio(head[:, 0], head[:, 1])
        share = ratio(shares, head[:, 2:3])
        chance = agreeing / (labels * (labels - 1)) * (share * (1 - share)).sum(axis=1)
        return chance_corrected(observed, 1 - chance)

    return Statistics(blocks, value, lambda head, shares: "chance alone would agree perfectly")


AC1 = Coefficient(
    "ac1",
    {"nominal": "Gwet's AC1"},
    _statistics,
    source="Gwet (2008); uneven numbers of judgements as in Gwet (2014)",
)
AC2 = Coefficient(
    "ac2",
    {"ordinal": "Gwet's AC2, linear weights", "interval": "Gwet's AC2, quadratic weights"},
    _statistics,
    source="Gwet (2014)",
)
