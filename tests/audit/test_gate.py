"""Limits for continuous integration."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from tactful.audit.estimates.compare import compare_runs
from tactful.audit.estimates.figures import audit_result
from tactful.audit.results import Contrast, ModelResult
from tactful.audit.runs.gate import breaches, checks
from tactful.errors import UsageError

PLANTED = runpy.run_path(str(Path(__file__).parent / "planted_runs.py"))
planted_run = PLANTED["planted_run"]


@pytest.fixture
def result() -> ModelResult:
    (model,) = audit_result([planted_run()], repetitions=20).models
    return model


def with_gap(result: ModelResult, gap: float | None) -> ModelResult:
    return replace(result, gap=Contrast(gap, reason=None if gap is not None else "nobody knows"))


def gate(result: ModelResult, limit: float | None) -> str | None:
    found = checks([result], limit)
    assert len(found) == (limit is not None)
    return found[0].failure if found else None


def test_a_gap_above_the_limit_fails(result: ModelResult) -> None:
    sentence = gate(with_gap(result, 0.2), 0.1)
    assert sentence == "planted: the gap is 0.2000, above the limit of 0.1."


@pytest.mark.parametrize("gap", [0.1, 0.0, 0.05, -0.4, 0.1 + 1e-12])
def test_a_gap_at_or_below_the_limit_passes(result: ModelResult, gap: float) -> None:
    assert gate(with_gap(result, gap), 0.1) is None


def test_without_a_limit_all_passes(result: ModelResult) -> None:
    assert gate(with_gap(result, 1.0), None) is None


def test_a_gap_that_is_not_known_fails(result: ModelResult) -> None:
    sentence = gate(with_gap(result, None), 0.1)
    assert sentence is not None
    assert "not known (nobody knows)" in sentence


@pytest.mark.parametrize("limit", [-0.1, 1.5, float("nan")])
def test_limits_that_are_no_shares_are_refused(result: ModelResult, limit: float) -> None:
    with pytest.raises(UsageError, match="expected a share from 0 to 1"):
        gate(result, limit)


def test_a_planted_bias_fails_and_none_passes() -> None:
    biased, fair = (
        audit_result([planted_run(gap=gap, between=0.02)], repetitions=20).models[0]
        for gap in (0.25, 0.0)
    )
    assert gate(biased, 0.1) is not None
    assert gate(fair, 0.1) is None


def test_a_model_that_condemns_every_group_alike_fails_by_the_shift_alone() -> None:
    harsh = planted_run(levels=[0.9] * 32, within=0.02)
    (model,) = audit_result([harsh], repetitions=100).models
    gap, named = checks([model], 0.05, 0.05)
    assert gap.failure is None
    assert (named.run, named.measure, named.limit) == ("planted", "named", 0.05)
    assert named.failure is not None
    assert named.failure.startswith("planted: the shift where a condition is named is 0.4")


def test_breaches_of_a_comparison() -> None:
    before = planted_run(gap=0.05, between=0.01, name="before")
    after = planted_run(gap=0.3, between=0.01, name="after", seed=1)
    grown = compare_runs(before, after, repetitions=20)
    assert breaches(grown) == []
    gap, growth = breaches(grown, fail_on_gap=0.1, fail_on_growth=0.05)
    assert gap.startswith("after: the gap is 0.")
    assert growth.startswith("after: the growth of the gap since before is 0.")
    assert breaches(grown, fail_on_gap=0.5, fail_on_growth=0.5) == []
    assert len(breaches(grown, fail_on_growth=0.05)) == 1
    shrunk = compare_runs(after, before, repetitions=20)
    assert breaches(shrunk, fail_on_gap=0.1, fail_on_growth=0.0) == []
    with pytest.raises(UsageError, match="limit of the growth"):
        breaches(grown, fail_on_growth=2.0)
