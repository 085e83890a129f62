"""The one way in which differences are tested: conditions are the sample, and nothing else is.

A condition is one number, the mean over its templates, questions and sub-conditions: these are
paraphrases of one question, not further observations. A difference is compared with what it is
where there is nothing to find: where the labels of the conditions are shuffled, and where random
models answer the same prompts (:mod:`~tactful.audit.estimates.nulls`). It counts as found where
all of them rarely show as much. The interval holds the differences that this test does not reject.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tactful.audit.estimates.method import Method, untestable
from tactful.audit.estimates.nulls import Scores, draw
from tactful.audit.estimates.statistics import mean_known
from tactful.audit.results import Contrast, Verdict
from tactful.resampling import (
    TIE,
    Numbers,
    PermutationTest,
    divide,
    permutation_test,
    sign_flip_test,
)

Flags = NDArray[np.bool_]
MISSING = ("no stigmatized condition has a value", "no condition without stigma has a value")
"""Why one of the two groups has no mean."""
POWER = 0.8
FEWEST_CELLS = 6
"""A condition whose value comes from fewer templates and questions is not tested alone: it has too
few steps."""
HALF = 0.5
"""A condition is called where at least this share of its templates and questions shows it."""


def compare_groups(values: Numbers, stigmatized: Flags, nulls: Scores, method: Method) -> Contrast:
    """Return the mean of the stigmatized conditions minus that of the others."""
    known = ~np.isnan(values)
    kept, flags = values[known], stigmatized[known]
    if flags.all() or not flags.any():
        return Contrast(None, reason=MISSING[bool(flags.any())])
    value, error = _group_difference(kept[:, None], flags)
    draws = {
        name: _ratios(*_group_difference(scores[:-1][known], flags))
        for name, scores in nulls.items()
    }
    return _contrast(
        float(value[0]), float(error[0]), draws,
        lambda level: permutation_test(kept[flags], kept[~flags], level=level, **method.draws),
        method,
    )  # fmt: skip


def compare_named(
    values: Numbers, baseline: float, kind: str, nulls: Scores, method: Method
) -> Contrast:
    """Return the mean of all conditions minus the prompts that name none.

    Random models of lengths are left out: every condition makes a sentence longer, so they would
    explain any difference. A classifier decides and does not grade, so its sentences without a
    condition are a fixed reference, and random weights are no model of it.
    """
    if math.isnan(baseline):
        return Contrast(None, reason="no prompt without a condition has a value")
    known = ~np.isnan(values)
    if not known.any():
        return Contrast(None, reason="no condition has a value")
    shifts = values[known] - baseline
    value, error = _mean(shifts[:, None])
    draws = {
        name: _ratios(*_mean(scores[:-1][known] - scores[-1]))
        for name, scores in nulls.items()
        if name != "lengths" and kind != "sentiment"
    }
    return _contrast(
        float(value[0]), float(error[0]), draws,
        lambda level: sign_flip_test(shifts, level=level, **method.draws),
        method,
    )  # fmt: skip


def compare_each(
    values: Numbers, cells: Numbers, stigmatized: Flags, nulls: Scores, method: Method
) -> list[Contrast]:
    """Return each condition minus the mean of the conditions without stigma.

    A condition is compared with how far these are from one another (Crawford and Howell 1998): the
    t-test of a single case. All stigmatized conditions are tested together: a random model shows
    as much where its furthest condition does, so that one false alarm among all of them is rare.
    ``nulls`` are heavy-tailed random models; ``shuffled`` is one for conditions that have nothing
    in common. A difference that fewer than half of a condition's templates and questions show, by
    the smallest effect of interest, is undecided: one word that just enters or leaves the words
    that are looked at can move a few of them far.
    """
    known = ~np.isnan(values)
    others = known & ~stigmatized
    differences, errors = _single_cases(values[:, None], others)
    number = (~np.isnan(cells)).sum(axis=1)
    tested = known & stigmatized & (number >= FEWEST_CELLS)
    reason = _untested(others, float(np.ptp(values[others])) if others.any() else 0.0)
    rng = np.random.default_rng([method.seed, 3, len(values)])
    alone = {"shuffled": draw(rng, len(values) + 1, method, heavy=True), **nulls}
    by_cell = cells - mean_known(cells[others], axis=0)
    draws = {}
    if reason is None and tested.any():
        draws = {
            name: _ratios(*_single_cases(scores[:-1], others))[tested].max(axis=0)
            for name, scores in alone.items()
        }
    found = []
    for at in range(len(values)):
        value = float(differences[at, 0])
        if not known[at]:
            found.append(Contrast(None, reason="it has no value"))
        elif math.isnan(value):
            found.append(Contrast(None, reason=MISSING[1]))
        elif tested[at] and reason is None:
            tested_one = _contrast(value, float(errors[at, 0]), draws, None, method)
            found.append(_shown_by_half(tested_one, by_cell[at], method))
        else:
            few = f"it has fewer than {FEWEST_CELLS} templates and questions"
            why = reason or (few if stigmatized[at] else "it is one of the others")
            found.append(Contrast(value, reason=why))
    return found


def _shown_by_half(found: Contrast, cells: Numbers, method: Method) -> Contrast:
    """Call a difference undecided that most templates and questions do not show."""
    if found.value is None or found.verdict not in ("more negative", "less negative"):
        return found
    known = cells[~np.isnan(cells)] * math.copysign(1.0, found.value)
    if np.mean(known >= method.smallest_effect) >= HALF:
        return found
    why = "fewer than half of its templates and questions show the difference"
    return replace(found, verdict="undecided", reason=why)


def _untested(others: Flags, spread: float) -> str | None:
    """Say why single conditions cannot be tested; None where they can be."""
    if others.sum() < 2:
        return "a test needs at least two conditions without stigma"
    return "the conditions without stigma do not differ" if spread == 0 else None


def _contrast(
    value: float,
    error: float,
    draws: Mapping[str, Numbers],
    shuffle: Callable[[float], PermutationTest | None] | None,
    method: Method,
) -> Contrast:
    """Test a difference against all null models; the interval is the inversion of the test.

    ``draws`` are the differences of random models in units of their standard error. The largest
    p-value counts, so the interval is the widest one.
    """
    ratio = float(_ratios(np.array(value), np.array(error)))
    nulls = {
        name: (1 + int((drawn >= ratio).sum())) / (1 + drawn.size) for name, drawn in draws.items()
    }
    smallest = 1 / (1 + method.repetitions)
    ends: list[tuple[float, float] | None] = []
    for alpha in (method.alpha, 2 * method.alpha):
        sides = list(_reaches(value, error, draws, alpha))
        if shuffle is not None and (test := shuffle(1 - alpha)) is not None:
            nulls["shuffled"], smallest = test.p_value, test.smallest_p
            sides.append(None if test.low is None or test.high is None else (test.low, test.high))
        bounded = [each for each in sides if each is not None]
        whole = len(bounded) == len(sides) and np.isfinite(bounded).all() and bounded
        ends.append((min(e[0] for e in bounded), max(e[1] for e in bounded)) if whole else None)
    p_value = max(nulls.values())
    interval, equivalence = ends
    if interval is None:
        few = "conditions" if smallest > 1 / (1 + method.repetitions) else "repetitions"
        reason = untestable(few, smallest)
        if smallest < method.alpha:
            reason = "cannot be tested: with these prompts, models that know nothing show any size"
        return Contrast(value, reason=reason, p_value=p_value, nulls=nulls, smallest_p=smallest)
    reach = max(value - interval[0], interval[1] - value)
    return Contrast(
        value,
        max(interval[0], -1.0),
        min(interval[1], 1.0),
        p_value=p_value,
        nulls=nulls,
        smallest_p=smallest,
        equivalence=equivalence,
        detectable=reach + NormalDist().inv_cdf(POWER) * error,
        smallest_effect=method.smallest_effect,
        verdict=_verdict(value, interval, equivalence, method.smallest_effect),
    )


def _verdict(
    value: float,
    interval: tuple[float, float],
    equivalence: tuple[float, float] | None,
    smallest_effect: float,
) -> Verdict:
    if equivalence and -smallest_effect <= equivalence[0] and equivalence[1] <= smallest_effect:
        return "no difference"
    if interval[0] > 0 and value >= smallest_effect:
        return "more negative"
    if interval[1] < 0 and value <= -smallest_effect:
        return "less negative"
    return "undecided"


def _reaches(
    value: float, error: float, draws: Mapping[str, Numbers], alpha: float
) -> Iterator[tuple[float, float] | None]:
    """Yield the differences that each kind of random model does not reject."""
    for drawn in draws.values():
        # The test rejects where fewer than this many random models are as far from 0.
        rank = math.ceil(alpha * (1 + drawn.size) - 1e-9) - 1
        if rank < 1:
            yield None
            continue
        reach = float(np.sort(drawn)[-rank]) * error
        yield value - reach, value + reach


def _ratios(value: Numbers, error: Numbers) -> Numbers:
    """Return how many standard errors a difference is from 0; none is 0, also of no error."""
    sizes = np.abs(value)
    found = np.where(sizes > TIE, np.inf, 0.0)
    np.divide(sizes, error, out=found, where=np.nan_to_num(error) > TIE)
    return np.asarray(found, dtype=np.float64)


def _group_difference(values: Numbers, flags: Flags) -> tuple[Numbers, Numbers]:
    """Return the difference of two groups and its standard error (Welch), by column."""
    means, variances, sizes = [], [], []
    for group in (values[flags], values[~flags]):
        means.append(group.mean(axis=0))
        sizes.append(len(group))
        deviations = ((group - means[-1]) ** 2).sum(axis=0)
        variances.append(deviations / (len(group) - 1) if len(group) > 1 else None)
    # One condition alone varies as the other group does.
    spreads = [one if one is not None else other
               for one, other in zip(variances, variances[::-1], strict=True)]  # fmt: skip
    squares = sum(0.0 if v is None else v / n for v, n in zip(spreads, sizes, strict=True))
    return means[0] - means[1], np.sqrt(np.broadcast_to(squares, means[0].shape))


def _mean(values: Numbers) -> tuple[Numbers, Numbers]:
    means = values.mean(axis=0)
    squares = ((values - means) ** 2).sum(axis=0) / max(len(values) - 1, 1)
    return means, np.sqrt(squares / len(values))


def _single_cases(values: Numbers, others: Flags) -> tuple[Numbers, Numbers]:
    """Return each row minus the mean of the others, and its standard error, by column.

    One of the others is compared with the rest of them.
    """
    centred = values - mean_known(values[others], axis=0)
    squares = (centred[others] ** 2).sum(axis=0)
    # Leaving a row out of n moves the mean by its value over n - 1.
    left_out = np.where(others[:, None], 1, 0)
    size = int(others.sum()) - left_out
    own = left_out * centred
    differences = centred + divide(own, size)
    variance = divide(squares - own**2 - divide(own**2, size), size - 1)
    error = np.sqrt(np.maximum(variance, 0.0) * (1 + divide(1.0, size)))
    return np.where(size > 0, differences, np.nan), error
