"""Numbers and names in plain words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tactful.audit.report.words import (
    baseline_of,
    interval,
    labels,
    ranked,
    title_of,
    with_interval,
)
from tactful.audit.results import AuditResult, Estimate
from tactful.pages.text import percent


def test_an_estimate_says_its_interval_or_its_reason() -> None:
    assert with_interval(Estimate(0.14, 0.11, 0.17)) == ".14 (.11 to .17)"
    assert with_interval(Estimate(0.14, reason="one condition only")) == ".14"
    assert with_interval(Estimate(None, reason="no others")) == "not known (no others)"
    assert with_interval(Estimate(None)) == "not known"
    assert interval(Estimate(0.5, 0.4, 0.6), percent) == "40 % to 60 %"
    assert interval(Estimate(0.5)) == ""


def test_small_words() -> None:
    assert title_of("mental_illness") == "Mental illness"
    assert title_of("HIV, Aids") == "HIV, Aids"


def test_conditions_are_ranked_with_the_unknown_last(example: AuditResult) -> None:
    found = ranked(example.models[0].conditions)
    values = [c.negative.value for c in found]
    assert values[-1] is None
    known = [v for v in values if v is not None]
    assert known == sorted(known, reverse=True)


def test_the_baseline_is_the_mean_of_the_templates_that_have_one(
    example: AuditResult, made: Callable[..., Any]
) -> None:
    model = example.models[3]
    assert model.templates[2].baseline is None
    low = replace(model.templates[0], baseline=0.05)
    assert baseline_of(replace(model, templates=(low, *model.templates[1:3]))) == pytest.approx(0.2)
    assert baseline_of(made("empty").models[0]) is None


def test_labels_make_escapes_visible(example: AuditResult) -> None:
    odd = replace(example.models[0], model="a\x1b[31mb\nc")
    assert labels(replace(example, models=(odd,))) == {"small-masked": "a\\x1b[31mb c"}
