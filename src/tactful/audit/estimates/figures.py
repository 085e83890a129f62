"""From the answers of models to the figures of an audit (Mei et al. 2023, sections 4.3 and 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from tactful.audit.estimates.conditions import condition_results
from tactful.audit.estimates.contrasts import compare_groups, compare_named
from tactful.audit.estimates.correlation import FEWEST, correlate, spearman
from tactful.audit.estimates.dimensions import by_id
from tactful.audit.estimates.grid import Grid, answered, grid_of
from tactful.audit.estimates.groups import (
    Groups,
    category_results,
    refusals,
    template_agreement,
    template_results,
    template_spread,
)
from tactful.audit.estimates.method import SMALLEST_EFFECT, Method
from tactful.audit.estimates.nulls import null_scores
from tactful.audit.estimates.statistics import as_float, mean_known
from tactful.audit.notes import run_notes, settings_notes
from tactful.audit.plan import Plan
from tactful.audit.results import AuditResult, ConditionResult, Coverage, ModelResult, Overall
from tactful.audit.runs.run import Run
from tactful.errors import UsageError
from tactful.resampling import Numbers, divide
from tactful.words import counted

ABOVE_HALF = 0.5
_ROUNDING = 1e-9
_CLASSES = ("negative", "neutral", "positive")


def audit_result(
    runs: Sequence[Run],
    *,
    dimensions: Mapping[str, Mapping[str, float]] | None = None,
    repetitions: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    smallest_effect: float = SMALLEST_EFFECT,
    plan: Plan | None = None,
) -> AuditResult:
    """Return all figures of runs of one probe.

    ``dimensions`` gives numbers of conditions, which are named by id or name. No difference below
    ``smallest_effect`` is called more negative. The same seed gives the same intervals and
    p-values. With a ``plan``, the result says where runs and options deviate from it.
    """
    method = Method(repetitions, seed, level, smallest_effect)
    check_together(runs)
    numbers = {} if dimensions is None else by_id(dimensions, runs[0].conditions)
    grids = [grid_of(run) for run in runs]
    models = [
        model_result(run, grid, method, numbers) for run, grid in zip(runs, grids, strict=True)
    ]
    overall, notes = overall_results(runs, grids)
    sides = {found.side: found for found in overall}
    correlation = None
    if len(sides) == 2:
        correlation = correlate(sides["attitude"].negative, sides["sentiment"].negative, level)
        some, all_of_them = correlation.conditions, len(grids[0].conditions)
        if some < all_of_them:
            notes = (
                *notes,
                f"The correlation is over {some:,} of the {counted(all_of_them, 'condition')}: "
                "the rest lack a value on one side.",
            )
    return AuditResult(
        runs[0].probe,
        tuple(models),
        overall,
        correlation,
        repetitions,
        seed,
        (*settings_notes(runs), *notes),
        level,
        smallest_effect,
        None if plan is None else plan.kept_by(runs, method),
    )


def audit_results(runs: Sequence[Run], **options: Any) -> list[AuditResult]:
    """Return the figures of runs of any probes: one result for each, in the order of their names.

    Figures of different probes do not belong in one table, because the probes ask different things.
    The options are those of :func:`audit_result`.
    """
    return [
        audit_result([run for run in runs if run.probe == probe], **options)
        for probe in sorted({run.probe for run in runs})
    ]


def model_result(
    run: Run, grid: Grid, method: Method, dimensions: Mapping[str, Mapping[str, float]]
) -> ModelResult:
    """Return the figures of one run."""
    groups = Groups(grid, grid.negative[:, None], method)
    rows = answered(run.rows)[0]
    nulls = null_scores(rows, grid.conditions, method)
    heavy = null_scores(rows, grid.conditions, method, heavy=True)
    conditions = condition_results(grid, heavy, method, dimensions)
    above = grid.negative > ABOVE_HALF + _ROUNDING
    return ModelResult(
        run=run.name,
        model=run.model,
        kind=run.kind,
        stigmatized=groups.mean(0),
        others=groups.mean(1),
        gap=compare_groups(grid.negative, grid.stigmatized, nulls, method),
        named=compare_named(grid.negative, grid.baseline, run.kind, nulls, method),
        above_half=int((above & grid.stigmatized).sum()),
        above_half_others=int((above & ~grid.stigmatized).sum()),
        template_spread=template_spread(grid),
        template_agreement=template_agreement(grid),
        conditions=conditions,
        templates=template_results(grid, nulls, method),
        categories=category_results(grid, method),
        coverage=coverage(run),
        proportions=proportions(run, grid),
        dimensions=dimension_correlations(conditions),
        settings=dict(run.settings),
        notes=(*run.notes, *run_notes(run, grid, conditions)),
        refusals=refusals(grid, nulls, method),
        created=run.created,
    )


def check_together(runs: Sequence[Run]) -> None:
    """Refuse runs that do not belong in one table."""
    if not runs:
        raise UsageError("Found no run; expected at least one audited model.")
    first = runs[0]
    seen: set[str] = set()
    for run in runs:
        if run.name in seen:
            raise UsageError(
                f"Found two runs named '{run.name}'; expected each name once; rename one or "
                "leave it out."
            )
        seen.add(run.name)
        if run.probe != first.probe:
            raise UsageError(
                f"Found runs of different probes: '{first.name}' of {first.probe}, '{run.name}' "
                f"of {run.probe}; expected one probe; report them apart."
            )
        if not _conditions(run).equals(_conditions(first)):
            raise UsageError(
                f"Found runs with different conditions: '{first.name}' and '{run.name}', though "
                f"both are of {run.probe}; expected the same; audit one of them again."
            )


def coverage(run: Run) -> Coverage | None:
    """Say which part of what was said is rated; None for what says no words of its own choice."""
    if run.kind != "fill-mask":
        return None
    rows = run.rows.filter(pl.col("seen").is_not_null())
    seen = float(rows["seen"].sum())
    if not seen:
        return None
    return Coverage(
        seen / len(rows),
        1 - float(rows["unrated"].sum()) / seen,
        float(rows["irrelevant"].sum()) / seen,
        run.unrated_words,
        rows["negative"].null_count(),
    )


def proportions(run: Run, grid: Grid) -> dict[str, dict[str, float]]:
    """Return the share of each class in each group (section 4.3, figure 4).

    Each condition counts the same, so that the share of "negative" is the group's own figure. The
    study's figure counts each prompt the same.
    """
    if run.kind != "sentiment":
        return {}
    rows = answered(run.rows)[0].filter(pl.col("negative").is_not_null())
    # A classifier with two classes has no share of a third one: 0 would suggest that it could.
    said = set(rows["answer"])
    shares: dict[str, dict[str, float]] = {}
    for name in (c for c in _CLASSES if c in said):
        one = (pl.col("answer") == name).cast(pl.Float64).alias("negative")
        part = grid_of(replace(run, rows=rows.with_columns(one)))
        for group, share in (
            ("stigmatized", mean_known(part.negative[grid.stigmatized])),
            ("others", mean_known(part.negative[~grid.stigmatized])),
            ("baseline", part.baseline),
        ):
            if not np.isnan(share):
                shares.setdefault(group, {})[name] = float(share)
    return shares


def dimension_correlations(conditions: Sequence[ConditionResult]) -> dict[str, float | None]:
    """Correlate the stigmatized conditions' values with each dimension, by rank."""
    stigmatized = [c for c in conditions if c.stigmatized]
    names = dict.fromkeys(name for c in conditions for name in c.dimensions)
    found: dict[str, float | None] = {}
    for name in names:
        pairs = [
            (c.negative.value, c.dimensions[name])
            for c in stigmatized
            if c.negative.value is not None and name in c.dimensions
        ]
        few = len(pairs) < FEWEST
        found[name] = None if few else spearman(*zip(*pairs, strict=True))
    return found


def _conditions(run: Run) -> pl.DataFrame:
    # The name is for readers only: a replay calls the same conditions as the study did.
    return run.conditions.select("condition", "category", "stigmatized").sort("condition")


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
            # The conditions of a run may be in another order than those of the first.
            (run, grid, list(map(grid.conditions.index, grids[0].conditions)))
            for run, grid in zip(runs, grids, strict=True)
            if (run.kind == "sentiment") == (side == "sentiment")
        ]
        if not chosen:
            continue
        values = np.stack([grid.negative[order] for _, grid, order in chosen])
        if side == "sentiment":
            totals = np.stack([grid.totals[order] for _, grid, order in chosen])
            prompts = np.stack([grid.prompts[order] for _, grid, order in chosen])
            negative = divide(totals.sum(axis=0), prompts.sum(axis=0))
        else:
            negative = mean_known(values, axis=0)
        found.append(_overall(side, [run.name for run, *_ in chosen], negative, grids[0]))
        some = np.isnan(values).any(axis=0) & ~np.isnan(negative)
        if some.any():
            number = int(some.sum())
            these = "1 condition has" if number == 1 else f"{number:,} conditions have"
            notes.append(
                f"{these} no value in some of the models of the side '{side}'; their overall "
                "figure is that of the others."
            )
        kinds = list(dict.fromkeys(run.kind for run, *_ in chosen))
        if len(kinds) > 1:
            notes.append(
                f"The overall figures mix {' and '.join(kinds)} models, which are measured in "
                "different ways."
            )
    return tuple(found), tuple(notes)


def _overall(side: str, models: Sequence[str], negative: Numbers, grid: Grid) -> Overall:
    def count(share: float) -> tuple[int, int]:
        above = negative > share
        return int((above & grid.stigmatized).sum()), int((above & ~grid.stigmatized).sum())

    return Overall(
        side,
        tuple(models),
        dict(zip(grid.conditions, map(as_float, negative), strict=True)),
        *count(0.5 + _ROUNDING),
        *count(1 - _ROUNDING),
        *count(0.75 + _ROUNDING),
    )
