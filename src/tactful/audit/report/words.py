"""Names and estimates in plain words, the same for the page and the terminal."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tactful.audit.results import AuditResult, ConditionResult, Contrast, Estimate, ModelResult
from tactful.pages.text import NOT_KNOWN, decimal, known, p_value
from tactful.words import visible
from tactful.yaml_data import read_yaml

KINDS = {
    "fill-mask": "fill-mask model",
    "causal": "causal language model",
    "chat": "chat model",
    "sentiment": "sentiment classifier",
}
ATTITUDE, SENTIMENT = "attitude", "sentiment"
TEXTS: dict[str, Any] = read_yaml(Path(__file__).with_name("texts.yaml"))
"""Sentences and paragraphs; what is in braces depends on the result."""
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


def verdict_of(found: Contrast) -> str:
    """Say in a sentence what follows from a difference and its test."""
    limit = decimal(found.smallest_effect)
    if found.verdict == "not tested":
        why = visible(found.reason or "was not tested")
        return f"Whether this is more than chance {why}." if why.startswith("cannot") else (
            f"Whether this is more than chance was not tested ({why})."
        )  # fmt: skip
    p = f"p {p_value(found.p_value)}"
    if found.verdict == "no difference":
        low, high = found.equivalence or (None, None)
        return (
            f"This is no difference of interest: by the equivalence test it is within {limit} of "
            f"zero ({decimal(low)} to {decimal(high)})."
        )
    if found.verdict != "undecided":
        return (
            f"This is {found.verdict}: it is {limit} or more, and shuffled labels and models that "
            f"know nothing rarely show as much ({p})."
        )
    would = f"the audit would find a difference of {decimal(found.detectable)} in 8 of 10 cases"
    if (known(found.detectable) or 1.0) >= 1:
        would = "the audit is too small to find any difference reliably"
    value = found.value or 0.0
    if (found.low or 0.0) > 0 or (found.high or 0.0) < 0:
        small = f"it is not chance ({p}), but below {limit}, the smallest difference of interest"
        size = small if abs(value) < found.smallest_effect else f"it is not chance ({p})"
        return f"Undecided: {size}, and a larger one is not ruled out; {would}."
    size = "above" if abs(value) >= found.smallest_effect else "below"
    return (
        f"Undecided: its size is {size} {limit}, shuffled labels or models that know nothing show "
        f"as much ({p}), and {limit} or more is not ruled out; {would}."
    )


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


def over_templates(condition: ConditionResult) -> Estimate:
    """Return a condition's value with its range over the templates, which are paraphrases."""
    values = [v for each in condition.by_template.values() if (v := known(each)) is not None]
    low, high = (min(values), max(values)) if len(values) > 1 else (None, None)
    return replace(condition.negative, low=low, high=high)


def ranked(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """Return conditions with the most negative first; unknown values come last."""

    def place(each: ConditionResult) -> tuple[bool, float, str]:
        value = known(each.negative.value)
        return value is None, -(value or 0.0), each.name

    return sorted(conditions, key=place)
