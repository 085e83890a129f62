"""Names and estimates in plain words, the same for the page and the terminal."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from tactful.audit.results import AuditResult, ConditionResult, Estimate, ModelResult
from tactful.pages.text import NOT_KNOWN, decimal, known
from tactful.words import visible

KINDS = {
    "fill-mask": "fill-mask model",
    "causal": "causal language model",
    "sentiment": "sentiment classifier",
}
ATTITUDE, SENTIMENT = "attitude", "sentiment"
TEXTS: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("texts.yaml").read_text(encoding="utf-8")
)
"""Sentences and paragraphs; what is in braces depends on the result."""
_CORRECTIONS = {
    "holm": "Holm's method",
    "fdr": "the method of Benjamini and Hochberg",
}
_SEPARATE_WORDS = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


def interval(estimate: Estimate, write: Callable[[float], str] = decimal) -> str:
    """Write the interval alone: '.11 to .17', or nothing where there is none."""
    low, high = known(estimate.low), known(estimate.high)
    return "" if low is None or high is None else f"{write(low)} to {write(high)}"


def with_interval(estimate: Estimate) -> str:
    """Write a difference or a correlation: '.14 (.11 to .17)', or why there is none."""
    if known(estimate.value) is None:
        return f"{NOT_KNOWN} ({visible(estimate.reason)})" if estimate.reason else NOT_KNOWN
    bounds = interval(estimate)
    return decimal(estimate.value) + (f" ({bounds})" if bounds else "")


def effect(delta: float) -> str:
    """Say how large a Cliff's delta is, by the usual limits (Romano et al. 2006)."""
    size = abs(delta)
    limits = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
    return next((word for limit, word in limits if size < limit), "large")


def correction(name: str) -> str:
    """Say in words how p-values were corrected."""
    return _CORRECTIONS.get(name, visible(name))


def title_of(name: str) -> str:
    """Write an id as words, 'mental_illness' as 'Mental illness'; other names stay as they are."""
    shown = visible(name)
    if not _SEPARATE_WORDS.fullmatch(shown):
        return shown
    return shown[:1].upper() + shown[1:].replace("_", " ")


def kind_of(kind: str) -> str:
    """Return the kind of a model in words."""
    return KINDS.get(kind, visible(kind))


def side_of(model: ModelResult) -> str:
    """Return what a model's answers show: attitude or sentiment."""
    return SENTIMENT if model.kind == SENTIMENT else ATTITUDE


def group_of(condition: ConditionResult) -> str:
    """Return the group of a condition."""
    return "stigmatized" if condition.stigmatized else "other"


def labels(result: AuditResult) -> dict[str, str]:
    """Return the name of each run: its model, with the run where two runs have the same one."""
    models = [model.model for model in result.models]
    return {
        model.run: visible(
            model.model if models.count(model.model) == 1 else f"{model.model} ({model.run})"
        )
        for model in result.models
    }


def baseline_of(model: ModelResult) -> float | None:
    """Return how negative a model is where no condition is named: the mean over templates."""
    values = [v for each in model.templates if (v := known(each.baseline)) is not None]
    return sum(values) / len(values) if values else None


def ranked(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """Return conditions with the most negative first; unknown values come last."""

    def place(each: ConditionResult) -> tuple[bool, float, str]:
        value = known(each.negative.value)
        return value is None, -(value or 0.0), each.name

    return sorted(conditions, key=place)
