"""Unintended bias in rankings (Borkan et al. 2019): does mentioning a group move the scores?

For each subgroup there are three AUCs. A low subgroup AUC: the model confuses positive and negative
items within the subgroup. A low BPSN AUC (background positive, subgroup negative): harmless
items of the subgroup score too high. A low BNSP AUC (background negative, subgroup positive):
harmful items of the subgroup score too low.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.metrics.ranking import roc_auc_score
from tactful.metrics.result import Measure, measure

POWER = -5.0
"""The power of the generalised mean in the Jigsaw competition: low values count most."""
WEIGHT = 0.25
"""The weight of the overall AUC and of each of the three means in the competition's score."""


@measure("binary_scores_subgroup", low=0, high=1, perfect=1)
def subgroup_auc_score(
    gold: npt.ArrayLike, scores: npt.ArrayLike, subgroup: npt.ArrayLike, *, minimum: int = 1
) -> Measure:
    """Return the AUC of the subgroup's items alone.

    ``subgroup`` is true for its items. Range 0 to 1, higher is better. Undefined, with the counts,
    where fewer than ``minimum`` positive or negative items are left to compare.
    """
    return _auc("subgroup AUC", *_checked(gold, scores, subgroup), ("in", "in"), minimum)


@measure("binary_scores_subgroup", low=0, high=1, perfect=1)
def bpsn_auc_score(
    gold: npt.ArrayLike, scores: npt.ArrayLike, subgroup: npt.ArrayLike, *, minimum: int = 1
) -> Measure:
    """Return the AUC of the background's positive and the subgroup's negative items.

    Range, direction and what is undefined are those of :func:`subgroup_auc_score`.
    """
    return _auc("BPSN AUC", *_checked(gold, scores, subgroup), ("out", "in"), minimum)


@measure("binary_scores_subgroup", low=0, high=1, perfect=1)
def bnsp_auc_score(
    gold: npt.ArrayLike, scores: npt.ArrayLike, subgroup: npt.ArrayLike, *, minimum: int = 1
) -> Measure:
    """Return the AUC of the subgroup's positive and the background's negative items.

    Range, direction and what is undefined are those of :func:`subgroup_auc_score`.
    """
    return _auc("BNSP AUC", *_checked(gold, scores, subgroup), ("in", "out"), minimum)


SUBGROUP_MEASURES = {
    "subgroup AUC": subgroup_auc_score,
    "BPSN AUC": bpsn_auc_score,
    "BNSP AUC": bnsp_auc_score,
}


def generalised_mean(values: Sequence[float], power: float = POWER) -> float:
    """Return ``mean(values ** power) ** (1 / power)``; with a power of 0 the geometric mean.

    Where the power is not positive and a value is 0, it is 0, which is its limit.

    >>> round(generalised_mean([0.5, 1.0], -1), 4)
    0.6667
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not numbers.size or numbers.min() < 0:
        raise InputError("Found no values or one below 0; expected values of 0 or more.")
    if power <= 0 and numbers.min() == 0:
        return 0.0
    if power == 0:
        return float(np.exp(np.log(numbers).mean()))
    return float(np.mean(numbers**power) ** (1 / power))


@measure("binary_scores_subgroups", low=0, high=1, perfect=1)
def unintended_bias_score(
    gold: npt.ArrayLike,
    scores: npt.ArrayLike,
    subgroups: Mapping[str, npt.ArrayLike],
    *,
    power: float = POWER,
    weight: float = WEIGHT,
    minimum: int = 1,
) -> Measure:
    """Return the weighted sum of the overall AUC and the generalised means of the three AUCs.

    ``weight`` is that of each of the three means; the overall AUC has the rest. Range 0 to 1,
    higher is better. The parts hold the overall AUC, the three means, and in each mean the AUC of
    every subgroup. A subgroup too small for one of the AUCs is left out of that mean, and the
    reason names it; undefined where a mean has no subgroup left, or gold has one class.
    """
    if not 0 <= weight <= 1 / 3:
        raise InputError(f"Found weight {weight:g}; expected 0 to 1/3 for each of three means.")
    overall = roc_auc_score(gold, scores)
    parts = {"overall AUC": overall}
    for name, function in SUBGROUP_MEASURES.items():
        each = {
            group: function(gold, scores, members, minimum=minimum)
            for group, members in subgroups.items()
        }
        parts[name] = _mean_of(name, each, power)
    shares = [1 - 3 * weight, weight, weight, weight]
    name = "unintended bias score"
    lacking = [part for part in parts.values() if part.value is None]
    if lacking:
        reason = "; ".join(f"{part.name}: {part.reason}" for part in lacking)
        return Measure(name, None, reason, parts, overall.items)
    value = sum(share * float(part) for share, part in zip(shares, parts.values(), strict=True))
    reasons = "; ".join(f"{part.name}: {part.reason}" for part in parts.values() if part.reason)
    return Measure(name, min(value, 1.0), reasons or None, parts, overall.items)


def _mean_of(name: str, each: Mapping[str, Measure], power: float) -> Measure:
    values = [measure.value for measure in each.values() if measure.value is not None]
    reasons = "; ".join(
        f"'{group}' left out, {measure.reason}"
        for group, measure in each.items()
        if measure.value is None
    )
    if not values:
        return Measure(f"mean {name}", None, reasons or "there is no subgroup", each)
    value = generalised_mean(values, power)
    return Measure(f"mean {name}", value, reasons or None, each, len(values))


def _auc(
    name: str,
    truth: NDArray[np.bool_],
    scores: NDArray[np.float64],
    members: NDArray[np.bool_],
    sides: tuple[str, str],
    minimum: int,
) -> Measure:
    """Compare the positives of one side with the negatives of one side."""
    positive, negative = (members if side == "in" else ~members for side in sides)
    chosen = (truth & positive) | (~truth & negative)
    counts = int((truth & chosen).sum()), int((~truth & chosen).sum())
    if min(counts) < max(minimum, 1):
        words = [
            f"{count:,} {what} {'item' if count == 1 else 'items'} {where}"
            for count, what, where in zip(
                counts,
                ("positive", "negative"),
                ("in the subgroup" if side == "in" else "outside it" for side in sides),
                strict=True,
            )
        ]
        reason = f"found {words[0]} and {words[1]}; at least {max(minimum, 1):,} of each are needed"
        return Measure(name, None, reason, items=sum(counts))
    found = roc_auc_score(truth[chosen], scores[chosen])
    return Measure(name, found.value, found.reason, items=sum(counts))


def _checked(
    gold: npt.ArrayLike, scores: npt.ArrayLike, subgroup: npt.ArrayLike
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_]]:
    truth, members = np.asarray(gold), np.asarray(subgroup)
    values = np.asarray(scores, dtype=np.float64)
    if not (truth.shape == values.shape == members.shape) or truth.ndim != 1:
        raise InputError(
            f"Found gold of shape {truth.shape}, scores of shape {values.shape} and a subgroup of "
            f"shape {members.shape}; expected three lists of the same length."
        )
    for what, array in (("gold labels", truth), ("subgroup", members)):
        if array.size and not np.isin(array, (0, 1)).all():
            raise InputError(f"Found {what} other than 0 and 1; expected 0 or 1 for each item.")
    if not np.isfinite(values).all():
        raise InputError("Found scores that are NaN or infinite; expected a number for each item.")
    return truth.astype(np.bool_), values, members.astype(np.bool_)
