"""Stigmatized against other conditions: all of them, by template and by category."""

from itertools import combinations

import numpy as np

from tactful.audit.estimates.correlation import spearman
from tactful.audit.estimates.grid import Grid
from tactful.audit.estimates.method import Method, untestable
from tactful.audit.estimates.statistics import (
    as_float,
    cliffs_delta,
    hedges_g,
    mann_whitney,
    mean_known,
)
from tactful.audit.results import CategoryResult, Estimate, GroupTests, TemplateResult
from tactful.resampling import Numbers, resampled_means

_MISSING = ("no stigmatized condition has a value", "no condition without stigma has a value")
"""Why one of the two groups has no mean."""
_ALONE = "one condition alone does not vary"


class Groups:
    """The two groups, stigmatized (0) and others (1), with the conditions of each resampled.

    ``values`` has one row for each condition and any number of columns, which share their draws:
    two columns of one draw can be compared.
    """

    def __init__(self, grid: Grid, values: Numbers, method: Method):
        self.method = method
        self.values = [values[grid.stigmatized], values[~grid.stigmatized]]
        self._samples = [
            _drawn_means(group, method, stream) for stream, group in enumerate(self.values)
        ]
        self.means = [mean_known(group, axis=0) for group in self.values]

    def mean(self, group: int, column: int = 0) -> Estimate:
        """Return the mean of a group."""
        return self._estimate(
            group, column, self.means[group][column], self._samples[group][:, column]
        )

    def gap(self, column: int = 0) -> Estimate:
        """Return the first minus the second, with the interval that belongs to its test."""
        first, second = (group[:, column] for group in self.values)
        return difference(first, second, self.method)

    def change_of(self, group: int, before: int = 0, after: int = 1) -> Estimate:
        """Return one column minus another, of a group."""
        moved = self.means[group][after] - self.means[group][before]
        drawn = self._samples[group][:, after] - self._samples[group][:, before]
        return self._estimate(group, after, moved, drawn)

    def _estimate(self, group: int, column: int, value: float, drawn: Numbers) -> Estimate:
        known = int((~np.isnan(self.values[group][:, column])).sum())
        return self.method.estimate(value, drawn, _MISSING[group], _ALONE if known == 1 else None)


def difference(first: Numbers, second: Numbers, method: Method) -> Estimate:
    """Return the difference of two groups' means.

    The interval holds what the permutation test does not reject, so that both always agree.
    """
    value = float(mean_known(first)) - float(mean_known(second))
    test = method.difference(first, second)
    if test is None:
        return Estimate(None, reason=_MISSING[bool((~np.isnan(first)).any())])
    if test.low is None:
        few = "conditions" if test.smallest_p > 1 / (1 + method.repetitions) else "repetitions"
        return Estimate(value, reason=untestable(few, test.smallest_p))
    return Estimate(value, test.low, test.high)


def group_tests(grid: Grid, method: Method) -> GroupTests:
    """Test the two groups, each condition being one number."""
    known = ~np.isnan(grid.negative)
    one = grid.negative[known & grid.stigmatized]
    other = grid.negative[known & ~grid.stigmatized]
    if not one.size or not other.size:
        return GroupTests(None, None, None, None, None, _MISSING[one.size > 0])
    ranks = mann_whitney(one, other)
    effect = hedges_g(one, other)
    reason = None
    if effect is None:
        few = min(one.size, other.size) < 2
        reason = "Hedges' g is missing: " + (
            "a group has one condition only" if few else "nothing varies within the groups"
        )
    test = method.difference(one, other)
    return GroupTests(
        None if ranks is None else ranks[0],
        None if ranks is None else ranks[1],
        None if test is None else test.p_value,
        cliffs_delta(one, other),
        effect,
        reason,
        None if test is None else test.smallest_p,
    )


def template_results(grid: Grid, method: Method) -> tuple[TemplateResult, ...]:
    """Return the groups in each template."""
    groups = Groups(grid, grid.by_template, method)
    return tuple(
        TemplateResult(
            template,
            as_float(groups.means[0][column]),
            as_float(groups.means[1][column]),
            groups.gap(column),
            as_float(grid.baselines[column]),
        )
        for column, template in enumerate(grid.templates)
    )


def template_spread(grid: Grid) -> float | None:
    """Return the standard deviation over templates within a condition, averaged (n - 1 below)."""
    known = (~np.isnan(grid.by_template)).sum(axis=1)
    table = grid.by_template[known >= 2]
    if not len(table):
        return None
    squares = (table - mean_known(table, axis=1)[:, None]) ** 2
    variance = mean_known(squares, axis=1) * (known[known >= 2] / (known[known >= 2] - 1))
    return float(np.sqrt(variance).mean())


def template_agreement(grid: Grid) -> float | None:
    """Return the mean rank correlation of the conditions between two templates."""
    found = []
    for one, other in combinations(range(len(grid.templates)), 2):
        pair = grid.by_template[:, [one, other]]
        pair = pair[~np.isnan(pair).any(axis=1)]
        r = spearman(pair[:, 0], pair[:, 1])
        if r is not None:
            found.append(r)
    return float(np.mean(found)) if found else None


def category_results(grid: Grid, method: Method) -> tuple[CategoryResult, ...]:
    """Return the groups in each category, in the order of the probe."""
    results = []
    names = np.array(grid.categories, dtype=object)
    for place, category in enumerate(dict.fromkeys(grid.categories)):
        found: list[tuple[Estimate, float, int]] = []
        for group in (grid.stigmatized, ~grid.stigmatized):
            values = grid.negative[(names == category) & group]
            found.append(_category_group(values, method, 2 + 2 * place + len(found)))
        gap = found[0][1] - found[1][1]
        counts = [number for _, _, number in found]
        results.append(CategoryResult(category, found[0][0], found[1][0], as_float(gap), *counts))
    return tuple(results)


def _category_group(values: Numbers, method: Method, stream: int) -> tuple[Estimate, float, int]:
    known = values[~np.isnan(values)]
    mean = float(mean_known(known))
    missing = "none of its conditions has a value" if values.size else "it has no such condition"
    samples = _drawn_means(known[:, None], method, stream)[:, 0]
    fixed = _ALONE if known.size == 1 else None
    return method.estimate(mean, samples, missing, fixed), mean, int(known.size)


def _drawn_means(values: Numbers, method: Method, stream: int) -> Numbers:
    return resampled_means(values, repetitions=method.repetitions, seed=[method.seed, stream])
