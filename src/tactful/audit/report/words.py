"""Numbers and names in plain words, the same for the page and the terminal."""

import math
import re
from collections.abc import Sequence

from tactful.audit.results import AuditResult, ConditionResult, Estimate, ModelResult
from tactful.words import visible

NOT_KNOWN = "not known"
MINUS = "\N{MINUS SIGN}"
KINDS = {
    "fill-mask": "fill-mask model",
    "causal": "causal language model",
    "sentiment": "sentiment classifier",
}
ATTITUDE, SENTIMENT = "attitude", "sentiment"
_CORRECTIONS = {
    "holm": "Holm's method",
    "fdr": "the method of Benjamini and Hochberg",
}
_SEPARATE_WORDS = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


def known(value: float | None) -> float | None:
    """Return a number that can be shown; what is no number is not known."""
    return value if value is not None and math.isfinite(value) else None


def percent(value: float | None) -> str:
    """Write a share: 0.613 is '61 %'; what rounds to none or all, but is not, says so."""
    value = known(value)
    if value is None:
        return NOT_KNOWN
    whole = round(100 * value)
    if whole == 0 and value > 0:
        return "under 1 %"
    if whole == 100 and value < 1:
        return "over 99 %"
    return f"{whole} %"


def decimal(value: float | None, digits: int = 2) -> str:
    """Write a number without the zero before its point: '.14', '-.05', '1.00'."""
    value = known(value)
    if value is None:
        return NOT_KNOWN
    text = f"{abs(value):.{digits}f}".removeprefix("0")
    minus = MINUS if value < 0 and float(text) else ""
    return minus + text


def interval(estimate: Estimate, write: str = "decimal") -> str:
    """Write the interval alone: '.11 to .17', or nothing where there is none."""
    low, high = known(estimate.low), known(estimate.high)
    if low is None or high is None:
        return ""
    form = percent if write == "percent" else decimal
    return f"{form(low)} to {form(high)}"


def with_interval(estimate: Estimate) -> str:
    """Write a difference or a correlation: '.14 (.11 to .17)', or why there is none."""
    if known(estimate.value) is None:
        return f"{NOT_KNOWN} ({visible(estimate.reason)})" if estimate.reason else NOT_KNOWN
    bounds = interval(estimate)
    return decimal(estimate.value) + (f" ({bounds})" if bounds else "")


def p_value(value: float | None) -> str:
    """Write a p-value with its sign: '= .023', '< .001', '> .99'."""
    value = known(value)
    if value is None:
        return NOT_KNOWN
    if value < 0.001:
        return "< .001"
    return "> .99" if value > 0.99 else f"= {decimal(value, 3)}"


def listed(parts: Sequence[str]) -> str:
    """Join words as a sentence does: 'a, b and c'."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def effect(delta: float) -> str:
    """Say how large a Cliff's delta is, by the usual marks (Romano et al. 2006)."""
    size = abs(delta)
    marks = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
    return next((word for mark, word in marks if size < mark), "large")


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
    """Say what sort of model it is."""
    return KINDS.get(kind, visible(kind))


def side_of(model: ModelResult) -> str:
    """Return on which side a model stands: attitude or sentiment."""
    return SENTIMENT if model.kind == SENTIMENT else ATTITUDE


def labels(result: AuditResult) -> dict[str, str]:
    """Return how each run is called: by its model, with the run where two have the same one."""
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
    """Return conditions with the most negative first; what is not known comes last."""

    def place(each: ConditionResult) -> tuple[bool, float, str]:
        value = known(each.negative.value)
        return value is None, -(value or 0.0), each.name

    return sorted(conditions, key=place)


def shorten(text: str, longest: int) -> str:
    """Cut a name that is too long for its place on a drawing."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
