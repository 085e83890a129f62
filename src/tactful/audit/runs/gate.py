"""Limits for continuous integration: when an audit should fail a build.

A limit is about bias *against* people: a run fails where the gap (stigmatized minus others) or the
shift (all conditions minus the prompts that name none) is above it, and passes where a model is
less negative. The figure itself counts, not its interval, so that a small audit cannot pass by
being vague. A figure that could not be computed fails, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tactful.audit.estimates.compare import Comparison
from tactful.audit.results import Contrast, Estimate, ModelResult
from tactful.errors import UsageError

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One figure of one run, its limit, and why it fails."""

    run: str
    measure: str
    found: Contrast
    limit: float
    failure: str | None
    """None where it passes."""


def checks(
    models: Sequence[ModelResult],
    fail_on_gap: float | None = None,
    fail_on_named: float | None = None,
) -> list[Check]:
    """Return each figure of each run that has a limit."""
    found = []
    for model in models:
        for measure, value, limit in (
            ("gap", model.gap, fail_on_gap),
            ("named", model.named, fail_on_named),
        ):
            if limit is not None:
                _check(measure, limit)
                failure = _above(f"{model.run}: {_SAID[measure]}", value, limit)
                found.append(Check(model.run, measure, value, limit, failure))
    return found


_SAID = {"gap": "the gap", "named": "the shift where a condition is named"}


def breaches(
    comparison: Comparison,
    fail_on_gap: float | None = None,
    fail_on_growth: float | None = None,
) -> list[str]:
    """Return why the second run fails the limits of its gap and of the gap's growth."""
    found = []
    if fail_on_gap is not None:
        _check("gap", fail_on_gap)
        found.append(_above(f"{comparison.after}: the gap", comparison.gap.after, fail_on_gap))
    if fail_on_growth is not None:
        _check("growth", fail_on_growth)
        what = f"{comparison.after}: the growth of the gap since {comparison.before}"
        found.append(_above(what, comparison.gap.change, fail_on_growth))
    return [sentence for sentence in found if sentence is not None]


def _above(what: str, found: Estimate, limit: float) -> str | None:
    if found.value is None:
        return f"{what} is not known ({found.reason}), so it cannot pass the limit of {limit:g}."
    if found.value <= limit + _ROUNDING:
        return None
    return f"{what} is {found.value:.4f}, above the limit of {limit:g}."


def _check(what: str, limit: float) -> None:
    if not 0 <= limit <= 1:
        raise UsageError(f"The limit of the {what} is {limit:g}; expected a share from 0 to 1.")
