"""Average pairwise percentage agreement: how often two judgements of an item are the same.

It is easy to understand and does not ask what chance would do: where one label is rare, it is high
even if nobody recognises that label.
"""

from typing import Any, Literal

import numpy as np

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.measure import Coefficient, Resampling, apply
from tactful.agreement.prepared import Prepared
from tactful.agreement.statistics import Statistics, ratio
from tactful.errors import UsageError
from tactful.registry import unknown_name

Over = Literal["pairs", "items"]


def percent_agreement(
    table: Any,
    *,
    over: Over = "pairs",
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return the share, from 0 to 1, of pairs of judgements on the same item that are the same.

    With ``over="pairs"`` every pair counts alike, with ``"items"`` every item does; they are the
    same where all items have equally many judgements. Undefined where no item has two judgements.
    """
    resampling = Resampling(bootstrap, confidence, seed)
    return apply(MEASURE, table, resampling=resampling, over=over)


def _statistics(ready: Prepared, level: Level, over: Over = "pairs") -> Statistics | str:
    if over not in ("pairs", "items"):
        raise UsageError(str(unknown_name("way to average", over, ["pairs", "items"])))
    cells = ready.cells
    pairs = cells.raters * (cells.raters - 1)
    different = cells.disagreement(None)
    if over == "items":
        different = np.divide(different, pairs, out=np.zeros_like(pairs), where=pairs > 0)
        pairs = (pairs > 0).astype(np.float64)
    return Statistics(
        (np.column_stack([different, pairs]),),
        lambda totals: 1 - ratio(totals[:, 0], totals[:, 1]),
        lambda totals: "no item has two judgements",
    )


MEASURE = Coefficient(
    "percent",
    {"nominal": "Pairwise agreement"},
    _statistics,
    lowest=0.0,
    chance_corrected=False,
    source="the share of equal pairs; the observed agreement of Fleiss (1971)",
)
