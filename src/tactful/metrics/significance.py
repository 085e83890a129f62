"""How sure a score is: bootstrap intervals, and a test whether two systems differ.

Both repeat a measurement on rearranged items, with a seed, so that the same call gives the same
answer. A measure is given in one of two ways:

- any function of ``(gold, predicted)``, which is called again for each repetition;
- a :class:`Decomposition`: what each item contributes, and how the sums become scores. Thousands of
  repetitions are then a few operations on arrays.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.metrics.ranking import roc_auc_score
from tactful.metrics.result import Measure
from tactful.resampling import (
    TIE,
    Numbers,
    divide,
    draw_counts,
    draw_items,
    draw_signs,
    percentile_interval,
)
from tactful.words import counted

AnyMeasure = Callable[[Any, Any], "Measure | float | None"]


@dataclass(frozen=True, slots=True, eq=False)
class Decomposition:
    """A measure as sums over the items."""

    items: Numbers
    """One row for each item, one column for each thing that is summed."""
    score: Callable[[Numbers], Numbers]
    """Turns sums (one row for each repetition) into scores; NaN where a score is undefined."""

    @classmethod
    def mean(cls, values: npt.ArrayLike) -> "Decomposition":
        """Decompose a mean over the items; NaN is an item that the mean leaves out."""
        column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
        known = ~np.isnan(column)
        rows = np.hstack([np.where(known, column, 0.0), known])
        return cls(rows, lambda sums: divide(sums[:, 0], sums[:, 1]))

    @classmethod
    def f1(cls, counts: npt.ArrayLike) -> "Decomposition":
        """Decompose an F1 of (right, wrong, missed) of each item."""
        return cls(
            np.asarray(counts, dtype=np.float64).reshape(-1, 3),
            lambda sums: divide(2 * sums[:, 0], 2 * sums[:, 0] + sums[:, 1] + sums[:, 2]),
        )


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval."""

    measure: Measure
    """The measure of all items, as they are."""
    low: float | None
    high: float | None
    level: float
    repetitions: int
    undefined: int
    """In how many repetitions the measure was undefined; they are left out."""
    seed: int
    reason: str | None = None
    """Why there is no interval."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A test of the difference between two systems."""

    first: Measure
    second: Measure
    difference: float | None
    """First minus second."""
    p_value: float | None
    """How often a difference at least this large comes about when the systems are exchangeable."""
    repetitions: int
    seed: int
    reason: str | None = None
    """Why there is no p-value."""


def bootstrap_interval(
    measure: AnyMeasure | Decomposition,
    gold: Sequence[Any] | npt.ArrayLike | None = None,
    predicted: Sequence[Any] | npt.ArrayLike | None = None,
    *,
    repetitions: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return the percentile interval over samples of the items, drawn with replacement (Efron).

    A :class:`Decomposition` needs no ``gold`` and ``predicted``. There is no interval where the
    measure itself is undefined, where there is one item only, or where it is undefined in every
    repetition; the reason says which.
    """
    _check_repetitions(repetitions)
    if not 0 < level < 1:
        raise InputError(f"Found the level {level:g}; expected a share between 0 and 1.")
    whole, size = _measured(measure, gold, predicted)
    reason = None if whole.value is not None else f"the measure is undefined: {whole.reason}"
    if reason is None and size < 2:
        reason = "one item alone does not vary"
    if reason is not None:
        return Interval(whole, None, None, level, repetitions, 0, seed, reason)
    rng = np.random.default_rng(seed)
    if isinstance(measure, Decomposition):
        values = _bootstrap_sums(measure, repetitions, rng)
    else:
        truth, guess = _indexable(gold), _indexable(predicted)
        values = np.array(
            [
                _number(measure(_take(truth, chosen), _take(guess, chosen)))
                for block in draw_items(size, repetitions, rng)
                for chosen in block
            ]
        )
    undefined = int(np.isnan(values).sum())
    bounds = percentile_interval(values, level)
    if bounds is None:
        reason = "the measure is undefined in every repetition"
        return Interval(whole, None, None, level, repetitions, undefined, seed, reason)
    return Interval(whole, *bounds, level, repetitions, undefined, seed)


def randomisation_test(
    measure: AnyMeasure | tuple[Decomposition, Decomposition],
    gold: Sequence[Any] | npt.ArrayLike | None = None,
    first: Sequence[Any] | npt.ArrayLike | None = None,
    second: Sequence[Any] | npt.ArrayLike | None = None,
    *,
    repetitions: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Test whether two systems differ, by approximate randomisation (Noreen 1989, Yeh 2000).

    In each repetition the answers of the two systems change places on about half of the items.
    The p-value is ``(1 + n) / (1 + repetitions)``, where ``n`` repetitions have a difference, up
    or down, at least as large as the observed one: it is never 0. A repetition in which the
    measure is undefined counts as such a difference, which can only make the test more careful.
    Two decompositions, of the first and of the second system, need no other arguments.
    """
    _check_repetitions(repetitions)
    rng = np.random.default_rng(seed)
    if isinstance(measure, tuple):
        left, size = _measured(measure[0], None, None)
        right, other = _measured(measure[1], None, None)
    else:
        left, size = _measured(measure, gold, first)
        right, other = _measured(measure, gold, second)
    if size != other:
        raise InputError(
            f"Found {size:,} and {counted(other, 'item')}; expected both systems on the same."
        )
    for which, found in (("first", left), ("second", right)):
        if found.value is None:
            reason = f"the measure is undefined for the {which} system: {found.reason}"
            return Comparison(left, right, None, None, repetitions, seed, reason)
    observed = float(left) - float(right)
    if isinstance(measure, tuple):
        differences = _swap_sums(*measure, repetitions, rng)
    else:
        differences = _swap_items(measure, gold, first, second, repetitions, rng)
    extreme = np.isnan(differences) | (np.abs(differences) >= abs(observed) - TIE)
    p_value = (1 + int(extreme.sum())) / (1 + repetitions)
    return Comparison(left, right, observed, p_value, repetitions, seed)


def delong_test(gold: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> Comparison:
    """Test whether two systems differ in the area under the ROC curve, on the same items.

    DeLong, DeLong and Clarke-Pearson 1988, with the ranks of Sun and Xu 2014: no repetitions, so
    that it is fast for any number of items. There is no p-value where gold has one class only,
    fewer than two items of a class, or where the two systems rank all items alike.
    """
    truth = np.asarray(gold, dtype=np.bool_)
    systems = [np.asarray(each, dtype=np.float64) for each in (first, second)]
    left, right = (roc_auc_score(truth, each) for each in systems)
    if left.value is None or right.value is None:
        return Comparison(left, right, None, None, 0, 0, left.reason)
    difference = left.value - right.value
    if min(truth.sum(), (~truth).sum()) < 2:
        reason = "each class needs two items, to see how they vary"
        return Comparison(left, right, difference, None, 0, 0, reason)
    won = [_won(each[truth], each[~truth]) for each in systems]
    variance = sum(
        float(np.var(one - other, ddof=1)) / one.size for one, other in zip(*won, strict=True)
    )
    if variance == 0:
        reason = "both systems rank the items alike"
        return Comparison(left, right, difference, None, 0, 0, reason)
    p_value = math.erfc(abs(difference) / math.sqrt(2 * variance))
    return Comparison(left, right, difference, p_value, 0, 0)


def _won(positive: Numbers, negative: Numbers) -> tuple[Numbers, Numbers]:
    """Return which share of the other class each item is ranked on the right side of."""
    highs, lows = np.sort(positive), np.sort(negative)
    below = np.searchsorted(lows, positive) + np.searchsorted(lows, positive, side="right")
    above = np.searchsorted(highs, negative) + np.searchsorted(highs, negative, side="right")
    return below / (2 * lows.size), 1 - above / (2 * highs.size)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number, by Holm (1979); None stays None.

    >>> holm([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    known = sorted((value, at) for at, value in enumerate(p_values) if value is not None)
    answer: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (value, at) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - rank)))
        answer[at] = highest
    return answer


def _bootstrap_sums(parts: Decomposition, repetitions: int, rng: np.random.Generator) -> Numbers:
    drawn = draw_counts(len(parts.items), repetitions, rng, parts.items.shape[1])
    return np.concatenate([parts.score(counts @ parts.items) for counts in drawn])


def _swap_sums(
    first: Decomposition, second: Decomposition, repetitions: int, rng: np.random.Generator
) -> Numbers:
    gap = second.items - first.items
    totals = first.items.sum(axis=0), second.items.sum(axis=0)
    differences = []
    for swapped in draw_signs(len(gap), repetitions, rng):
        moved = swapped @ gap
        differences.append(first.score(totals[0] + moved) - second.score(totals[1] - moved))
    return np.concatenate(differences)


def _swap_items(
    measure: AnyMeasure, gold: Any, first: Any, second: Any, repetitions: int,
    rng: np.random.Generator,
) -> Numbers:  # fmt: skip
    truth = _indexable(gold)
    both = [*_indexable(first), *_indexable(second)]
    stacked = np.array(both) if isinstance(_indexable(first), np.ndarray) else both
    size = len(both) // 2
    here = np.arange(size)
    differences = []
    for swapped in chain.from_iterable(draw_signs(size, repetitions, rng)):
        swap = size * swapped.astype(np.int64)
        one, other = here + swap, here + (size - swap)
        scores = (_number(measure(truth, _take(stacked, chosen))) for chosen in (one, other))
        differences.append(next(scores) - next(scores))
    return np.array(differences)


def _measured(
    measure: AnyMeasure | Decomposition, gold: Any, predicted: Any
) -> tuple[Measure, int]:
    """Measure all items as they are."""
    if isinstance(measure, Decomposition):
        size = len(measure.items)
        value = float(measure.score(measure.items.sum(axis=0, keepdims=True))[0])
        return _as_measure(None if np.isnan(value) else value, size), size
    if gold is None or predicted is None:
        raise InputError("Found no items; expected gold and predicted beside a function.")
    truth, guess = _indexable(gold), _indexable(predicted)
    if len(truth) != len(guess):
        raise InputError(
            f"Found {len(truth):,} gold and {counted(len(guess), 'predicted item')}; expected as "
            "many."
        )
    answer = measure(truth, guess)
    found = answer if isinstance(answer, Measure) else _as_measure(answer, len(truth))
    return found, len(truth)


def _as_measure(value: float | None, size: int) -> Measure:
    if value is None:
        return Measure("score", None, "the items give no value", items=size)
    return Measure("score", float(value), items=size)


def _number(answer: "Measure | float | None") -> float:
    value = answer.value if isinstance(answer, Measure) else answer
    return float("nan") if value is None else float(value)


def _indexable(items: Any) -> Any:
    return items if isinstance(items, np.ndarray | list | tuple) else list(items)


def _take(items: Any, chosen: NDArray[np.int64]) -> Any:
    return items[chosen] if isinstance(items, np.ndarray) else [items[at] for at in chosen.tolist()]


def _check_repetitions(repetitions: int) -> None:
    if repetitions < 1:
        raise InputError(f"Found {repetitions} repetitions; expected 1 or more.")
