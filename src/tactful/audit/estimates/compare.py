"""Two runs of one probe: did a new model, or a change of one, make the gap smaller or larger?"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from tactful.audit.estimates.contrasts import compare_each, compare_groups, compare_named
from tactful.audit.estimates.grid import Grid, grid_of
from tactful.audit.estimates.groups import Groups
from tactful.audit.estimates.method import SMALLEST_EFFECT, Method
from tactful.audit.estimates.nulls import Scores, null_scores
from tactful.audit.estimates.statistics import as_float, mean_known
from tactful.audit.results import JSON_VERSION, Contrast, Estimate
from tactful.audit.runs.run import Run
from tactful.errors import UsageError
from tactful.ratings import Numbers
from tactful.words import counted

_PROMPT = ("condition", "form", "question", "template")


@dataclass(frozen=True, slots=True)
class Change:
    """The mean of a group in both runs, and the second minus the first."""

    before: Estimate
    after: Estimate
    change: Estimate
    """Its interval comes from drawing the same conditions in both runs."""


@dataclass(frozen=True, slots=True)
class ContrastChange:
    """A difference in both runs, and the second minus the first, with its test."""

    before: Contrast
    after: Contrast
    change: Contrast


@dataclass(frozen=True, slots=True)
class ConditionChange:
    """One condition in both runs."""

    condition: str
    name: str
    category: str
    stigmatized: bool
    before: float | None
    after: float | None
    change: float | None
    to_others: Contrast
    """The change minus the mean change of the conditions without stigma."""


@dataclass(frozen=True, slots=True)
class CategoryChange:
    """One category in both runs."""

    category: str
    stigmatized_before: float | None
    stigmatized_after: float | None
    stigmatized_change: float | None
    gap_before: float | None
    """None where a category has no conditions without stigma."""
    gap_after: float | None
    gap_change: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of one probe, over the prompts and conditions that both have."""

    before: str
    """The name of the run."""
    after: str
    before_model: str
    after_model: str
    kind: str
    probe: str
    stigmatized: Change
    others: Change
    gap: ContrastChange
    named: ContrastChange
    conditions: tuple[ConditionChange, ...]
    """Those that changed most first."""
    categories: tuple[CategoryChange, ...]
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """The settings that differ: their values before and after."""
    only_before: tuple[str, ...] = ()
    """Conditions that have a value before, but none after."""
    only_after: tuple[str, ...] = ()
    repetitions: int = 2000
    seed: int = 0
    level: float = 0.95
    smallest_effect: float = SMALLEST_EFFECT
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain data, with the version of its form first."""
        return {"version": JSON_VERSION, **asdict(self)}


def compare_runs(
    before: Run,
    after: Run,
    *,
    repetitions: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    smallest_effect: float = SMALLEST_EFFECT,
) -> Comparison:
    """Compare two runs over the prompts that both asked and the conditions that both know.

    The interval of a group's change draws the same conditions in both runs. The change of each
    condition is one number, and the change of the gap is tested as the gap of one run is: a change
    that is the same for all conditions is no change of the gap.
    """
    method = Method(repetitions, seed, level, smallest_effect)
    _check(before, after)
    notes: list[str] = []
    first, second = _grids(before, after, notes)
    both = np.stack([first.negative, second.negative], axis=1)
    only_before, only_after = _missing(before, after), _missing(after, before)
    for names, there in ((only_before, before), (only_after, after)):
        if names:
            notes.append(
                f"Only '{there.name}' has a value for {', '.join(names)}: left out of the groups."
            )
    # A sum of both is unknown where one of them is.
    paired = np.where(np.isnan(both.sum(axis=1, keepdims=True)), np.nan, both)
    settings = _settings(before, after)
    if settings:
        notes.append(f"The runs differ in {', '.join(settings)}: changes may come from that.")
    if before.fingerprint == after.fingerprint:
        notes.append("Both runs are of the same weights and options.")
    groups = Groups(first, paired, method)
    flags = first.stigmatized
    bare = np.array([first.baseline, second.baseline])
    nulls = null_scores(after.rows, first.conditions, method)
    heavy = null_scores(after.rows, first.conditions, method, heavy=True)
    gaps = [compare_groups(each, flags, nulls, method) for each in _columns(paired)]
    shifts = [
        compare_named(each, float(base), after.kind, nulls, method)
        for each, base in zip(_columns(paired), [*bare, bare[1] - bare[0]], strict=True)
    ]
    return Comparison(
        before=before.name,
        after=after.name,
        before_model=before.model,
        after_model=after.model,
        kind=after.kind,
        probe=after.probe,
        stigmatized=Change(groups.mean(0, 0), groups.mean(0, 1), groups.change_of(0)),
        others=Change(groups.mean(1, 0), groups.mean(1, 1), groups.change_of(1)),
        gap=ContrastChange(*gaps),
        named=ContrastChange(*shifts),
        conditions=_conditions(first, second, both, heavy, method),
        categories=_categories(first, paired),
        settings=settings,
        only_before=only_before,
        only_after=only_after,
        notes=tuple(notes),
        **asdict(method),
    )


def _check(before: Run, after: Run) -> None:
    if before.probe != after.probe:
        raise UsageError(
            f"Found runs of different probes: '{before.name}' of {before.probe}, '{after.name}' "
            f"of {after.probe}; expected one probe; audit one of the models again."
        )
    if before.kind != after.kind:
        raise UsageError(
            f"Found runs of different kinds: '{before.name}' is {before.kind}, '{after.name}' is "
            f"{after.kind}; expected the same kind, because they are measured in different ways."
        )
    shared = before.conditions.join(after.conditions, on="condition", suffix="_after")
    moved = shared.filter(pl.col("stigmatized") != pl.col("stigmatized_after"))
    if len(moved):
        raise UsageError(
            f"The condition '{moved['condition'][0]}' is stigmatized in one run and not in the "
            f"other, though both are of {after.probe}; expected the same conditions; audit one of "
            "the models again."
        )


def _grids(before: Run, after: Run, notes: list[str]) -> tuple[Grid, Grid]:
    """Arrange both runs in the same way, with the prompts that both asked only."""
    rows = [
        one.rows.join(other.rows.select(_PROMPT), on=_PROMPT, how="semi", nulls_equal=True)
        for one, other in ((before, after), (after, before))
    ]
    if not len(rows[0]):
        raise UsageError(
            f"Found no prompt that both '{before.name}' and '{after.name}' asked; expected the "
            "same conditions and templates; audit one of the models again."
        )
    left = len(before.rows) + len(after.rows) - len(rows[0]) - len(rows[1])
    if left:
        notes.append(
            f"{counted(left, 'prompt')} of one run only {'is' if left == 1 else 'are'} left out."
        )
    # Conditions of either run, those of the first in their order, then what only the second has.
    known = pl.concat([before.conditions, after.conditions]).unique(
        "condition", keep="first", maintain_order=True
    )
    first, second = (
        grid_of(replace(run, rows=found.sort(_PROMPT, nulls_last=True), conditions=known))
        for run, found in zip((before, after), rows, strict=True)
    )
    return first, second


def _columns(paired: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return before, after and the change."""
    return paired[:, 0], paired[:, 1], paired[:, 1] - paired[:, 0]


def _conditions(
    first: Grid, second: Grid, both: Numbers, nulls: Scores, method: Method
) -> tuple[ConditionChange, ...]:
    """Return the conditions, those that changed most first."""
    changes = both[:, 1] - both[:, 0]
    to_others = compare_each(changes, second.cells - first.cells, first.stigmatized, nulls, method)
    found = [
        ConditionChange(
            condition,
            first.names[index],
            first.categories[index],
            bool(first.stigmatized[index]),
            as_float(both[index, 0]),
            as_float(both[index, 1]),
            as_float(changes[index]),
            to_others[index],
        )
        for index, condition in enumerate(first.conditions)
        if not np.isnan(both[index]).all()
    ]
    return tuple(sorted(found, key=lambda c: 1.0 if c.change is None else -abs(c.change)))


def _categories(grid: Grid, paired: Numbers) -> tuple[CategoryChange, ...]:
    names = np.array(grid.categories, dtype=object)
    results = []
    for category in dict.fromkeys(grid.categories):
        chosen = names == category
        stigmatized = mean_known(paired[chosen & grid.stigmatized], axis=0)
        gap = stigmatized - mean_known(paired[chosen & ~grid.stigmatized], axis=0)
        figures = [
            as_float(value)
            for pair in (stigmatized, gap)
            for value in (pair[0], pair[1], pair[1] - pair[0])
        ]
        results.append(CategoryChange(category, *figures))
    return tuple(results)


def _missing(run: Run, other: Run) -> tuple[str, ...]:
    """Return the conditions for which only the first of two runs has a value."""
    there, elsewhere = (
        set(one.rows.filter(pl.col("negative").is_not_null())["condition"]) for one in (run, other)
    )
    ids: list[str] = run.conditions["condition"].to_list()
    return tuple(name for name in ids if name in there and name not in elsewhere)


def _settings(before: Run, after: Run) -> dict[str, tuple[Any, Any]]:
    keys = dict.fromkeys([*before.settings, *after.settings])
    pairs = {key: (before.settings.get(key), after.settings.get(key)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}
