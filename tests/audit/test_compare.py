"""Two runs: changes of the gap, of conditions and categories, and what differs besides."""

import json
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tactful.audit.estimates.compare import compare_runs
from tactful.audit.estimates.figures import audit_result
from tactful.audit.runs.run import Run
from tactful.errors import UsageError

PLANTED = runpy.run_path(str(Path(__file__).parent / "planted_runs.py"))
planted_run = PLANTED["planted_run"]

LEVELS = np.random.default_rng(8).normal(0.4, 0.06, 32)


def shifted(amount: float, stigmatized_only: bool = True, **more: Any) -> Run:
    levels = LEVELS.copy()
    levels[: 20 if stigmatized_only else 32] += amount
    run: Run = planted_run(levels=levels, **{"name": "after", "seed": 2, "within": 0.04, **more})
    return run


def test_gaps_are_those_of_each_run_alone() -> None:
    before, after = shifted(0.0, name="before", seed=1), shifted(0.15)
    found = compare_runs(before, after)
    alone = [audit_result([run]).models[0] for run in (before, after)]
    assert found.gap.before.value == pytest.approx(alone[0].gap.value)
    assert found.gap.after.value == pytest.approx(alone[1].gap.value)
    assert found.stigmatized.after.value == pytest.approx(alone[1].stigmatized.value)
    assert found.others.change.value == pytest.approx(
        (alone[1].others.value or 0) - (alone[0].others.value or 0)
    )
    assert (found.before, found.after, found.probe) == ("before", "after", "small 1.0")
    assert found.notes == ()


def test_a_planted_growth_is_found() -> None:
    found = compare_runs(shifted(0.0, name="before", seed=1), shifted(0.15))
    assert found.gap.change.value == pytest.approx(0.15, abs=0.03)
    assert found.gap.change.p_value == 1 / 2001
    assert found.gap.change.verdict == "more negative"
    changed = [c for c in found.conditions if c.to_others.verdict == "more negative"]
    assert {c.condition for c in changed} == {f"c{index}" for index in range(20)}
    sizes = [abs(c.change or 0) for c in found.conditions]
    assert sizes == sorted(sizes, reverse=True)
    assert len(found.categories) == 3
    for category in found.categories:
        assert category.stigmatized_change == pytest.approx(0.15, abs=0.03)
        assert category.gap_change == pytest.approx(0.15, abs=0.05)


def test_the_interval_of_the_change_is_paired() -> None:
    found = compare_runs(shifted(0.0, name="before", seed=1), shifted(0.15))

    def width(estimate: Any) -> float:
        return float(estimate.high - estimate.low)

    # Conditions differ much from one another, and little from themselves.
    assert width(found.gap.change) < 0.6 * width(found.gap.after)


def test_a_change_that_is_the_same_for_all_is_no_change_of_the_gap() -> None:
    found = compare_runs(shifted(0.0, name="before", seed=1), shifted(0.2, stigmatized_only=False))
    assert found.stigmatized.change.value == pytest.approx(0.2, abs=0.03)
    assert found.gap.change.value == pytest.approx(0, abs=0.03)
    assert found.gap.change.p_value is not None
    assert found.gap.change.p_value > 0.05
    assert found.named.change.value == pytest.approx(0.2, abs=0.03)


def test_a_run_with_itself_has_not_changed() -> None:
    run = shifted(0.1)
    found = compare_runs(run, run)
    assert found.gap.change.value == 0
    assert (found.gap.change.low, found.gap.change.high) == (0, 0)
    assert found.gap.change.p_value == 1
    assert found.gap.change.verdict == "no difference"
    assert {c.to_others.verdict for c in found.conditions} == {"not tested"}
    assert "Both runs are of the same weights and options." in found.notes


def test_the_order_of_rows_and_conditions_makes_no_difference() -> None:
    before, after = shifted(0.0, name="before", seed=1), shifted(0.15)
    mixed = replace(
        after,
        rows=after.rows.sample(fraction=1, shuffle=True, seed=3),
        conditions=after.conditions.reverse(),
    )
    assert compare_runs(before, mixed) == compare_runs(before, after)


def test_backwards_changes_its_sign() -> None:
    before, after = shifted(0.0, name="before", seed=1), shifted(0.15)
    there, back = compare_runs(before, after), compare_runs(after, before)
    assert back.gap.change.value == pytest.approx(-(there.gap.change.value or 0))
    assert back.gap.change.low == pytest.approx(-(there.gap.change.high or 0))


def test_settings_that_differ_are_named() -> None:
    before = shifted(0.0, name="before", settings={"wording": "paper", "top": 50})
    after = shifted(0.0, settings={"wording": "published", "top": 50, "grammar": "corrected"})
    found = compare_runs(before, after, repetitions=50)
    assert found.settings == {"wording": ("paper", "published"), "grammar": (None, "corrected")}
    assert any("differ in wording, grammar" in note for note in found.notes)


def test_conditions_of_one_run_only_are_named_and_left_out() -> None:
    before, after = shifted(0.0, name="before", seed=1), shifted(0.15)
    others = ~pl.col("condition").is_in(["c3", "c30"]).fill_null(False)
    fewer = replace(after, rows=after.rows.filter(others))
    found = compare_runs(before, fewer)
    assert found.only_before == ("c3", "c30")
    assert found.only_after == ()
    assert any("Only 'before' has a value for c3, c30" in note for note in found.notes)
    assert any("56 prompts of one run only are left out" in note for note in found.notes)
    assert {"c3", "c30"}.isdisjoint(c.condition for c in found.conditions)
    same = replace(before, rows=before.rows.filter(others))
    assert found.gap.before.value == pytest.approx(audit_result([same]).models[0].gap.value)


def test_a_condition_whose_answers_cannot_be_rated_after_is_kept_without_a_change() -> None:
    before, after = shifted(0.0, name="before", seed=1), shifted(0.15)
    unrated = pl.when(pl.col("condition") == "c3").then(None).otherwise(pl.col("negative"))
    found = compare_runs(before, replace(after, rows=after.rows.with_columns(negative=unrated)))
    assert found.only_before == ("c3",)
    last = found.conditions[-1]
    assert last.condition == "c3"
    assert last.before is not None
    assert (last.after, last.change, last.to_others.value) == (None,) * 3


def test_templates_of_one_run_only_are_left_out_of_both() -> None:
    before, after = shifted(0.0, name="before", seed=1), shifted(0.0, seed=1)
    fewer = replace(after, rows=after.rows.filter(pl.col("template") != "t0"))
    found = compare_runs(before, fewer, repetitions=50)
    assert found.gap.change.value == pytest.approx(0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probe": "other 1.0"}, "runs of different probes"),
        ({"kind": "causal"}, "runs of different kinds"),
        ({"rows": shifted(0.0).rows[:0]}, "Found no prompt that both"),
        (
            {"conditions": shifted(0.0).conditions.with_columns(stigmatized=pl.lit(False))},
            "'c0' is stigmatized in one run and not in the other",
        ),
    ],
)
def test_runs_that_cannot_be_compared(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare_runs(shifted(0.0, name="before"), replace(shifted(0.0), **change))


def test_bad_options_are_refused() -> None:
    with pytest.raises(UsageError, match="smallest effect"):
        compare_runs(shifted(0.0), shifted(0.0), smallest_effect=2.0)


def test_all_is_json() -> None:
    found = compare_runs(shifted(0.0, name="before"), shifted(0.1), repetitions=50)
    data = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert next(iter(data)) == "version"
    assert data["gap"]["change"]["value"] == pytest.approx(found.gap.change.value)


@pytest.mark.slow
def test_no_change_gives_even_p_values_and_intervals_that_cover_it() -> None:
    p_values, hits = [], 0
    for seed in range(200):
        pair = [
            shifted(0.0, name=str(side), seed=2 * seed + side, within=0.1, templates=2, questions=4)
            for side in (0, 1)
        ]
        found = compare_runs(*pair, repetitions=400, level=0.9)
        p_values.append(found.gap.change.p_value)
        assert found.gap.change.low is not None
        assert found.gap.change.high is not None
        hits += found.gap.change.low <= 0 <= found.gap.change.high
    shares = np.array(p_values, dtype=float)
    assert 0.43 < shares.mean() < 0.57
    assert 0.05 < (shares < 0.1).mean() < 0.16
    assert 0.83 <= hits / 200 <= 0.95
