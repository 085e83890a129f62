"""Limits for continuous integration: when an audit should fail a build.

The limit is about bias *against* the stigmatized: a run fails when its gap (stigmatized minus
others) is above the limit, and passes when a model is equally harder on the others. The gap itself
counts, not its interval. A gap that could not be computed fails, too.
"""

from tactful.audit.estimates.compare import Comparison
from tactful.audit.results import Estimate, ModelResult
from tactful.errors import UsageError

_ROUNDING = 1e-9


def gate(result: ModelResult, fail_on_gap: float | None) -> str | None:
    """Return why one run fails the limit, or None where it passes or where there is no limit."""
    if fail_on_gap is None:
        return None
    _check("gap", fail_on_gap)
    return _above(f"{result.run}: the gap", result.gap, fail_on_gap)


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
