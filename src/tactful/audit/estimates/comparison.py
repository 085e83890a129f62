"""What comparing two runs found, as plain records."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tactful.audit.results import JSON_VERSION, Estimate


@dataclass(frozen=True, slots=True)
class Change:
    """A figure in both runs, and the second minus the first."""

    before: Estimate
    after: Estimate
    change: Estimate
    """Of a group: its interval comes from drawing the same conditions in both runs."""


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
    p_value: float | None
    """By changing signs of the differences, prompt by prompt; None with fewer than 6 of them."""
    p_corrected: float | None
    """Corrected for the number of conditions that were tested."""


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
    gap: Change
    p_value: float | None
    """Of the change of the gap, two-sided, by dealing the changes of the conditions out anew; None
    where there are too few conditions for any to be found."""
    conditions: tuple[ConditionChange, ...]
    """Those that changed most first."""
    categories: tuple[CategoryChange, ...]
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """The settings that differ: their values before and after."""
    only_before: tuple[str, ...] = ()
    """Conditions that have a value before, but none after."""
    only_after: tuple[str, ...] = ()
    correction: str = "holm"
    repetitions: int = 2000
    seed: int = 0
    level: float = 0.95
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain data, with the version of its form first."""
        return {"version": JSON_VERSION, **asdict(self)}
