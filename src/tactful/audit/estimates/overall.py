"""Each condition over all models: one figure for language models, one for classifiers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tactful.audit.estimates.grid import Grid
from tactful.audit.estimates.statistics import as_float, mean_known
from tactful.audit.results import Overall
from tactful.audit.runs.run import Run
from tactful.resampling import Numbers, divide

_ROUNDING = 1e-9


def overall_results(
    runs: Sequence[Run], grids: Sequence[Grid]
) -> tuple[tuple[Overall, ...], tuple[str, ...]]:
    """Return the sides that were audited, and what a reader should know about them.

    Language models (section 5.1): the mean of the models' values. Classifiers (section 5.2): the
    share of negative answers among all answers of all classifiers.
    """
    found, notes = [], []
    for side in ("attitude", "sentiment"):
        chosen = [
            (run, _aligned(grid, grids[0]))
            for run, grid in zip(runs, grids, strict=True)
            if (run.kind == "sentiment") == (side == "sentiment")
        ]
        if not chosen:
            continue
        values = np.stack([grid.negative[order] for _, (grid, order) in chosen])
        if side == "sentiment":
            totals = np.stack([grid.totals[order] for _, (grid, order) in chosen])
            prompts = np.stack([grid.prompts[order] for _, (grid, order) in chosen])
            negative = _pooled(totals, prompts)
        else:
            negative = mean_known(values, axis=0)
        found.append(_overall(side, [run.name for run, _ in chosen], negative, grids[0]))
        some = np.isnan(values).any(axis=0) & ~np.isnan(negative)
        if some.any():
            number = int(some.sum())
            these = "1 condition has" if number == 1 else f"{number:,} conditions have"
            notes.append(
                f"{these} no value in some of the models of the side '{side}'; their overall "
                "figure is that of the others."
            )
        kinds = list(dict.fromkeys(run.kind for run, _ in chosen))
        if len(kinds) > 1:
            notes.append(
                f"The overall figures mix {' and '.join(kinds)} models, which are measured in "
                "different ways."
            )
    return tuple(found), tuple(notes)


def _aligned(grid: Grid, first: Grid) -> tuple[Grid, list[int]]:
    """Return the places of the first grid's conditions in another, which may be sorted anew."""
    place = {condition: index for index, condition in enumerate(grid.conditions)}
    return grid, [place[condition] for condition in first.conditions]


def _pooled(totals: Numbers, prompts: NDArray[np.int64]) -> Numbers:
    return divide(totals.sum(axis=0), prompts.sum(axis=0))


def _overall(side: str, models: Sequence[str], negative: Numbers, grid: Grid) -> Overall:
    def count(share: float) -> tuple[int, int]:
        above = negative > share
        return int((above & grid.stigmatized).sum()), int((above & ~grid.stigmatized).sum())

    half, half_others = count(0.5 + _ROUNDING)
    always, always_others = count(1 - _ROUNDING)
    quarters, quarters_others = count(0.75 + _ROUNDING)
    return Overall(
        side,
        tuple(models),
        dict(zip(grid.conditions, (as_float(value) for value in negative), strict=True)),
        half,
        half_others,
        always,
        always_others,
        quarters,
        quarters_others,
    )
