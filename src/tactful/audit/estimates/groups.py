"""Stigmatized against other conditions: all of them, by template and by category."""

from itertools import combinations

import numpy as np

from tactful.audit.estimates.contrasts import MISSING, compare_groups
from tactful.audit.estimates.correlation import spearman
from tactful.audit.estimates.grid import Grid
from tactful.audit.estimates.method import Method
from tactful.audit.estimates.nulls import Scores
from tactful.audit.estimates.statistics import as_float, mean_known
from tactful.audit.results import CategoryResult, Estimate, Refusals, TemplateResult
from tactful.resampling import Numbers, divide, resampled_means

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

    def change_of(self, group: int) -> Estimate:
        """Return the second column of a group minus the first."""
        moved = self.means[group][1] - self.means[group][0]
        drawn = self._samples[group][:, 1] - self._samples[group][:, 0]
        return self._estimate(group, 1, moved, drawn)

    def _estimate(self, group: int, column: int, value: float, drawn: Numbers) -> Estimate:
        known = int((~np.isnan(self.values[group][:, column])).sum())
        return self.method.estimate(value, drawn, MISSING[group], _ALONE if known == 1 else None)


def template_results(grid: Grid, nulls: Scores, method: Method) -> tuple[TemplateResult, ...]:
    """Return the groups in each template."""
    flags = grid.stigmatized
    return tuple(
        TemplateResult(
            template,
            as_float(float(mean_known(values[flags]))),
            as_float(float(mean_known(values[~flags]))),
            compare_groups(values, flags, nulls, method),
            as_float(grid.baselines[column]),
        )
        for column, template in enumerate(grid.templates)
        for values in [grid.by_template[:, column]]
    )


def refusals(grid: Grid, nulls: Scores, method: Method) -> Refusals | None:
    """Return how often a model refused, by group; None where it never did."""
    if not grid.refused.any():
        return None
    shares = divide(grid.refused[:-1], grid.asked)
    flags = grid.stigmatized
    return Refusals(
        int(grid.refused.sum()),
        int(grid.asked.sum()) + grid.bare,
        as_float(float(mean_known(shares[flags]))),
        as_float(float(mean_known(shares[~flags]))),
        float(grid.refused[-1]) / grid.bare if grid.bare else None,
        compare_groups(shares, flags, nulls, method),
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
