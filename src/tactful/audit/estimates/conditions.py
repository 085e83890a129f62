"""The figures of single conditions."""

from collections.abc import Mapping

from tactful.audit.estimates.contrasts import compare_each
from tactful.audit.estimates.grid import Grid
from tactful.audit.estimates.method import Method
from tactful.audit.estimates.nulls import Scores
from tactful.audit.estimates.statistics import as_float
from tactful.audit.results import ConditionResult, Estimate


def condition_results(
    grid: Grid, nulls: Scores, method: Method, dimensions: Mapping[str, Mapping[str, float]]
) -> tuple[ConditionResult, ...]:
    """Return every condition of the probe, in its order."""
    to_others = compare_each(grid.negative, grid.cells, grid.stigmatized, nulls, method)
    return tuple(
        ConditionResult(
            condition,
            grid.names[index],
            grid.categories[index],
            bool(grid.stigmatized[index]),
            Estimate(value, reason=missing(grid, index) if value is None else None),
            as_float(grid.negative[index] - grid.baseline),
            to_others[index],
            int(grid.prompts[index]),
            by_template(grid, index),
            dict(dimensions.get(condition, {})),
            int(grid.refused[index]),
        )
        for index, condition in enumerate(grid.conditions)
        for value in [as_float(grid.negative[index])]
    )


def missing(grid: Grid, index: int) -> str:
    """Say why a condition has no value."""
    asked = int(grid.asked[index])
    if asked == 0:
        return "no prompt names it"
    if int(grid.refused[index]) == asked:
        return f"the model refused all of its prompts ({asked:,})"
    if asked == 1:
        return "its only prompt has no answer that can be rated"
    return f"none of its {asked:,} prompts has an answer that can be rated"


def by_template(grid: Grid, index: int) -> dict[str, float | None]:
    """Return a condition's value in each template."""
    values = (as_float(value) for value in grid.by_template[index])
    return dict(zip(grid.templates, values, strict=True))
