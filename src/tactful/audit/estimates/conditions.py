"""The figures of single conditions."""

from collections.abc import Mapping

import numpy as np

from tactful.audit.estimates.grid import Grid
from tactful.audit.estimates.method import ALPHA, FEWEST_CELLS, Method
from tactful.audit.estimates.statistics import as_float, mean_known
from tactful.audit.results import ConditionResult
from tactful.resampling import (
    Numbers,
    divide,
    sign_flip_p,
    smallest_sign_flip_p,
    stratified_bootstrap,
)

_ONE_PROMPT = "each template has one prompt of it, so it cannot be resampled"


def condition_results(
    grid: Grid, method: Method, dimensions: Mapping[str, Mapping[str, float]]
) -> tuple[ConditionResult, ...]:
    """Return every condition of the probe, in its order.

    The interval comes from drawing the prompts within each template again. The test asks how
    consistently a condition is above or below the mean of the others in the same question and
    template. It takes that mean as given, and the prompts as independent; that conditions differ
    from one another without any stigma is not in it. So the others are tested in the same way,
    each against the rest of them, for comparison. Only the stigmatized are corrected for.
    """
    shape = (len(grid.conditions), len(grid.templates), -1)
    samples = stratified_bootstrap(
        grid.values.reshape(shape),
        grid.weights.reshape(shape),
        repetitions=method.repetitions,
        seed=method.seed,
    )
    differences = to_others(grid)
    p_values = tested(differences, method)
    corrected, smallest = corrected_p(
        [p if flag else None for p, flag in zip(p_values, grid.stigmatized, strict=True)],
        differences,
        method,
    )
    differs = mean_known(differences, axis=1)
    results = []
    for index, condition in enumerate(grid.conditions):
        drawn = samples[:, index]
        fixed = _ONE_PROMPT if np.isnan(drawn).all() else None
        results.append(
            ConditionResult(
                condition,
                grid.names[index],
                grid.categories[index],
                bool(grid.stigmatized[index]),
                method.estimate(grid.negative[index], drawn, missing(grid, index), fixed),
                as_float(grid.negative[index] - grid.baseline),
                as_float(differs[index]),
                p_values[index],
                corrected[index],
                int(grid.prompts[index]),
                by_template(grid, index),
                dict(dimensions.get(condition, {})),
                smallest[index],
            )
        )
    return tuple(results)


def to_others(grid: Grid) -> Numbers:
    """Return each condition's cells minus the mean of the others' in the same cell.

    "The others" are the conditions without stigma; one of them is not compared with itself.
    """
    cells = grid.cells
    known = ~np.isnan(cells)
    filled = np.where(known, cells, 0.0)
    others = ~grid.stigmatized
    own = others[:, None]
    total = filled[others].sum(axis=0) - np.where(own, filled, 0.0)
    number = known[others].sum(axis=0) - np.where(own, known, False)
    reference = divide(total, number)
    return np.asarray(cells - reference, dtype=np.float64)


def tested(differences: Numbers, method: Method) -> list[float | None]:
    """Test the rows of differences that have enough cells by changing signs."""
    enough = (~np.isnan(differences)).sum(axis=1) >= FEWEST_CELLS
    p_values: list[float | None] = [None] * len(differences)
    found = sign_flip_p(differences[enough], repetitions=method.sign_flips, seed=method.seed)
    for index, p_value in zip(np.flatnonzero(enough), found, strict=True):
        p_values[index] = float(p_value)
    return p_values


def corrected_p(
    p_values: list[float | None], differences: Numbers, method: Method
) -> tuple[list[float | None], list[float | None]]:
    """Correct p-values for their number; also return the smallest that each could have been.

    Both corrections never fall when a p-value rises, so that the corrected smallest p-values are
    the smallest corrected ones. Where that is not below .05 a test can find nothing: it has no
    corrected p-value.
    """
    sizes = (~np.isnan(differences)).sum(axis=1)
    alone = smallest_sign_flip_p(sizes, method.sign_flips)
    smallest = method.corrected(
        [None if p is None else float(least) for p, least in zip(p_values, alone, strict=True)]
    )
    corrected = [
        p if least is not None and least < ALPHA else None
        for p, least in zip(method.corrected(p_values), smallest, strict=True)
    ]
    return corrected, smallest


def missing(grid: Grid, index: int) -> str:
    """Say why a condition has no value."""
    asked = int(grid.asked[index])
    if asked == 0:
        return "no prompt names it"
    if asked == 1:
        return "its only prompt has no answer that can be rated"
    return f"none of its {asked:,} prompts has an answer that can be rated"


def by_template(grid: Grid, index: int) -> dict[str, float | None]:
    """Return a condition's value in each template."""
    values = (as_float(value) for value in grid.by_template[index])
    return dict(zip(grid.templates, values, strict=True))
