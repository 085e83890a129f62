"""A run as an array: conditions by templates by sub-conditions by questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.audit.estimates.statistics import mean_known
from tactful.audit.runs.run import Run
from tactful.errors import InputError
from tactful.resampling import Numbers, divide

OUTCOME, REFUSED = "outcome", "refused"
"""A column that rows may have, and its value where a model refused to answer."""


@dataclass(frozen=True, eq=False)
class Grid:
    """How negative a run is, prompt by prompt; NaN where nothing was asked or is known.

    ``values`` and ``weights`` have the axes condition, template, form, question. The value of a
    condition is the sum of its values times their weights, which add up to 1.
    """

    conditions: tuple[str, ...]
    names: tuple[str, ...]
    categories: tuple[str, ...]
    stigmatized: NDArray[np.bool_]
    templates: tuple[str, ...]
    questions: tuple[str | None, ...]
    values: Numbers
    weights: Numbers
    counts: Numbers
    """How many prompts each value comes from: 0 or 1, or more where one was asked again."""
    asked: NDArray[np.int64]
    """By condition: the prompts, those without a value included."""
    baselines: Numbers
    """By template: the prompts that name no condition."""
    baseline: float
    """Of all templates together."""
    refused: NDArray[np.int64]
    """By condition, the prompts without a condition last: those that were refused."""
    bare: int
    """How many prompts name no condition."""

    @cached_property
    def negative(self) -> Numbers:
        """Each condition's value."""
        return _weighted(self.values, self.weights, (1, 2, 3))

    @cached_property
    def by_template(self) -> Numbers:
        """Each condition's value in each template."""
        return _weighted(self.values, self.weights, (2, 3))

    @cached_property
    def cells(self) -> Numbers:
        """Each condition's values, one for each template and question, sub-conditions averaged."""
        over_forms = mean_known(self.values, axis=2)
        return over_forms.reshape(len(self.conditions), -1)

    @property
    def prompts(self) -> NDArray[np.int64]:
        """How many prompts each condition's value rests on."""
        number: NDArray[np.int64] = self.counts.sum(axis=(1, 2, 3)).astype(np.int64)
        return number

    @property
    def totals(self) -> Numbers:
        """The sum over these prompts: how many a classifier called negative."""
        total: Numbers = (np.nan_to_num(self.values) * self.counts).sum(axis=(1, 2, 3))
        return total


def grid_of(run: Run) -> Grid:
    """Arrange the rows of a run.

    Language models (section 4.3): the mean over the questions, then over the sub-conditions, then
    over the templates. Classifiers: every prompt of a condition counts the same. A refused prompt
    is asked, and has no value.
    """
    about = run.conditions
    ids = tuple(about["condition"].to_list())
    rows, refused = answered(run.rows)
    _check(run, ids)
    templates = tuple(rows["template"].unique(maintain_order=True).to_list())
    questions = tuple(rows["question"].unique(maintain_order=True).to_list())
    forms = rows["form"].unique(maintain_order=True).to_list()
    places = (
        # The prompts without a condition come after the last one.
        _codes(rows["condition"].to_list(), (*ids, None)),
        _codes(rows["template"].to_list(), templates),
        _codes(rows["form"].to_list(), forms),
        _codes(rows["question"].to_list(), questions),
    )
    shape = (len(ids) + 1, len(templates), len(forms), len(questions))
    measured = rows["negative"].is_not_null().to_numpy()
    sums, counts = np.zeros(shape), np.zeros(shape)
    known = tuple(place[measured] for place in places)
    np.add.at(sums, known, rows["negative"].drop_nulls().to_numpy())
    np.add.at(counts, known, 1.0)
    values = divide(sums, counts)
    weights = _stepwise(counts > 0)
    if run.kind == "sentiment":
        weights = np.nan_to_num(divide(counts, counts.sum(axis=(1, 2, 3), keepdims=True)))
    bare_values, bare_weights = values[-1:], weights[-1:]
    asked = np.bincount(places[0], minlength=shape[0])
    return Grid(
        ids,
        tuple(about["name"].to_list()),
        tuple(about["category"].to_list()),
        about["stigmatized"].to_numpy().astype(np.bool_),
        templates,
        questions,
        values[:-1],
        weights[:-1],
        counts[:-1],
        asked[:-1].astype(np.int64),
        _weighted(bare_values, bare_weights, (2, 3))[0],
        float(_weighted(bare_values, bare_weights, (1, 2, 3))[0]),
        np.bincount(places[0][refused], minlength=shape[0]).astype(np.int64),
        int(asked[-1]),
    )


def answered(rows: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.bool_]]:
    """Return rows in which no refusal has a value, and which of them were refused."""
    if OUTCOME not in rows.columns:
        return rows, np.zeros(len(rows), dtype=np.bool_)
    refused = (pl.col(OUTCOME) == REFUSED).fill_null(False)
    value = pl.when(refused).then(None).otherwise(pl.col("negative"))
    return rows.with_columns(negative=value), rows.select(refused).to_series().to_numpy()


def _stepwise(known: NDArray[np.bool_]) -> Numbers:
    """Weigh questions, then sub-conditions, then templates, each the same as its like."""
    weights = np.ones(known.shape)
    for axis in (3, 2, 1):
        there = known.any(axis=tuple(range(axis + 1, 4)), keepdims=True)
        number = there.sum(axis=axis, keepdims=True)
        weights *= np.nan_to_num(divide(there, number))
    return weights


def _weighted(values: Numbers, weights: Numbers, axes: tuple[int, ...]) -> Numbers:
    total = weights.sum(axis=axes)
    found = np.where(weights > 0, np.nan_to_num(values) * weights, 0.0).sum(axis=axes)
    return divide(found, total)


def _codes(found: Sequence[object], known: Sequence[object]) -> NDArray[np.int64]:
    place = {name: index for index, name in enumerate(known)}
    return np.array([place[name] for name in found], dtype=np.int64)


def _check(run: Run, ids: Sequence[str]) -> None:
    stray = set(run.rows["condition"].drop_nulls()) - set(ids)
    if stray:
        raise InputError(
            f"Run '{run.name}': found prompts about '{min(stray)}'; expected the conditions of "
            f"the probe '{run.probe}' only; audit the model again."
        )
    wrong = run.rows["negative"].drop_nulls()
    wrong = wrong.filter(~wrong.is_between(0, 1))
    if len(wrong):
        raise InputError(
            f"Run '{run.name}': found the value {wrong[0]:g}; expected a share from 0 to 1; "
            "audit the model again."
        )
