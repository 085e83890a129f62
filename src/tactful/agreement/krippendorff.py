"""Krippendorff's alpha for nominal, ordinal, interval and ratio labels.

Items may have any number of judgements; those with one are left out. Every judgement of an item
with m judgements is paired with the m - 1 others, each pair counting 1 / (m - 1); these pairs make
the coincidence matrix (Krippendorff 2011). alpha is 1 minus the disagreement in it over that of all
pairs of judgements, whatever their items. Nothing is approximated.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.cells import Distance, matrix, pairs_within
from tactful.agreement.measure import Coefficient, Resampling, apply
from tactful.agreement.prepared import Prepared
from tactful.agreement.statistics import Statistics, chance_corrected, ratio
from tactful.agreement.weights import NO_ORDER, expected_disagreement, scaled_distance
from tactful.ratings import Codes, Numbers


def krippendorff_alpha(
    table: Any,
    level: Level = "nominal",
    *,
    labels: Sequence[Any] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return Krippendorff's alpha: 1 for perfect agreement, 0 for that of chance, below 0 for less.

    ``labels`` lists the labels in their order, for ordinal labels that are no numbers. Undefined
    where no item has two judgements, all judgements that can be paired are the same label, or the
    labels are not what ``level`` needs.
    """
    resampling = Resampling(bootstrap, confidence, seed)
    return apply(MEASURE, table, level, labels=labels, resampling=resampling)


def _statistics(ready: Prepared, level: Level) -> Statistics | str:
    paired = ready.cells.raters > 1
    others = np.maximum(ready.cells.raters - 1, 1)
    if level == "nominal":
        return _with_distance(ready, None, paired / others)
    if level == "ordinal":
        return _ordinal(ready, others) if ready.ordered else NO_ORDER
    values = ready.ratings.values
    if values is None:
        return f"{level} labels must be numbers, and {_not_a_number(ready)} is none"
    if level == "interval":
        return _interval(ready, values, paired / others)
    if values.min() < 0:
        return f"ratio labels must be 0 or more, and {values.min():g} is less"
    return _with_distance(ready, _ratio_distance(values), paired / others)


def _with_distance(ready: Prepared, distance: Distance | None, share: Numbers) -> Statistics:
    """Build alpha where the distance of two labels does not depend on the other judgements."""
    cells = ready.cells
    observed = (cells.disagreement(distance) * share)[:, None]
    expected = expected_disagreement(ready.labels, distance)

    def value(different: Numbers, given: Numbers) -> Numbers:
        total = given.sum(axis=1)
        # In integers, so that full agreement is exactly 0.
        apart = expected(given) if distance else total**2 - (given**2).sum(axis=1)
        return _alpha(different[:, 0], apart, total)

    return Statistics((observed, _given(ready)), value, _explain(ready))


def _interval(ready: Prepared, values: Numbers, share: Numbers) -> Statistics:
    """Build alpha from sums of squares: there may be as many different values as judgements."""
    cells = ready.cells
    observed = cells.disagreement(scaled_distance(values, 2)) * share
    widest = float(np.ptp(values)) or 1.0
    place = (values - values.mean()) / widest
    paired = cells.raters > 1
    count = cells.count * paired[cells.item]
    sums = [cells.per_item(count * place[cells.label] ** power) for power in (0, 1, 2)]

    def value(totals: Numbers) -> Numbers:
        different, total, first, second = totals.T
        return _alpha(different, 2 * (total * second - first**2), total)

    def explain(totals: Numbers) -> str:
        return _explain(ready)(totals, np.asarray(_given(ready).sum(axis=0)).ravel())

    return Statistics((np.column_stack([observed, *sums]),), value, explain)


def _ordinal(ready: Prepared, others: Numbers) -> Statistics:
    """Build alpha from mid-ranks: the distance of two labels is how many judgements lie between.

    They change with each sample, so the coincidences of different labels are kept one by one.
    """
    cells = ready.cells
    left, right = pairs_within(cells.item)
    rising = cells.label[left] < cells.label[right]
    left, right = left[rising], right[rising]
    both = 2 * cells.count[left] * cells.count[right] / others[cells.item[left]]
    keys, column = np.unique(
        cells.label[left] * cells.labels + cells.label[right], return_inverse=True
    )
    low, high = keys // cells.labels, keys % cells.labels
    coincidences = matrix(cells.item[left], column, both, (cells.items, keys.size))

    def value(together: Numbers, given: Numbers) -> Numbers:
        total = given.sum(axis=1)
        rank = ratio(np.cumsum(given, axis=1) - given / 2, total[:, None])
        observed = (together * (rank[:, low] - rank[:, high]) ** 2).sum(axis=1)
        first, second = (given * rank).sum(axis=1), (given * rank**2).sum(axis=1)
        return _alpha(observed, 2 * (total * second - first**2), total)

    return Statistics((coincidences, _given(ready)), value, _explain(ready))


def _alpha(observed: Numbers, apart: Numbers, total: Numbers) -> Numbers:
    """Return alpha from the sums over coincidences and over all pairs of ``total`` judgements."""
    return chance_corrected(ratio(observed, total), ratio(apart, total * (total - 1)))


def _given(ready: Prepared) -> Any:
    """Return how often each label was given where it can be paired: items by labels."""
    cells = ready.cells
    return cells.block(cells.count * (cells.raters > 1)[cells.item])


def _explain(ready: Prepared) -> Callable[[Numbers, Numbers], str]:
    def explain(_: Numbers, given: Numbers) -> str:
        label = ready.ratings.labels[int(np.argmax(given))]
        return f"every judgement in a pair is '{label}', so there is nothing to distinguish"

    return explain


def _ratio_distance(values: Numbers) -> Distance:
    def distance(left: Codes, right: Codes) -> Numbers:
        total = values[left] + values[right]
        apart = np.abs(values[left] - values[right])
        return np.divide(apart, total, out=np.zeros_like(total), where=total > 0) ** 2

    return distance


def _not_a_number(ready: Prepared) -> str:
    for label in ready.ratings.labels:
        try:
            float(label)
        except ValueError:
            return repr(label)
    return repr(ready.ratings.labels[-1])


MEASURE = Coefficient(
    "krippendorff",
    {
        "nominal": "Krippendorff's alpha (nominal)",
        "ordinal": "Krippendorff's alpha (ordinal)",
        "interval": "Krippendorff's alpha (interval)",
        "ratio": "Krippendorff's alpha (ratio)",
    },
    _statistics,
    source="Krippendorff (2011)",
)
