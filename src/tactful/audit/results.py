"""What an audit found, as plain records: the same for the terminal, JSON, CSV and the page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its interval; an undefined one is None, with the reason."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    """Why the value or the interval is missing."""


@dataclass(frozen=True, slots=True)
class GroupTests:
    """Tests of stigmatized against other conditions, one number for each condition."""

    mann_whitney_u: float | None
    mann_whitney_p: float | None
    permutation_p: float | None
    """Of the difference of means, two-sided."""
    cliffs_delta: float | None
    """How much more often a stigmatized condition is above another one than below: -1 to 1."""
    hedges_g: float | None
    reason: str | None = None
    smallest_p: float | None = None
    """The smallest permutation p that groups of these sizes can have; from .05 on, the test cannot
    find anything."""


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """How negative a model is about one condition."""

    condition: str
    name: str
    category: str
    stigmatized: bool
    negative: Estimate
    """The mean over questions, then sub-conditions, then templates."""
    to_baseline: float | None
    """``negative`` minus that of the prompts that name no condition."""
    to_others: float | None
    """Minus that of the conditions without stigma, prompt by prompt."""
    p_value: float | None
    """Of ``to_others``, two-sided, by flipping signs prompt by prompt."""
    p_corrected: float | None
    """Corrected for the number of conditions that were tested; None where ``smallest_p`` is not
    below .05, because then the test cannot find anything."""
    prompts: int
    by_template: Mapping[str, float | None]
    dimensions: Mapping[str, float] = field(default_factory=dict)
    smallest_p: float | None = None
    """The smallest ``p_corrected`` that this number of templates and questions allows."""


@dataclass(frozen=True, slots=True)
class TemplateResult:
    """One template: the two groups, their difference, and the prompts without a condition."""

    template: str
    stigmatized: float | None
    others: float | None
    gap: Estimate
    baseline: float | None


@dataclass(frozen=True, slots=True)
class CategoryResult:
    """One category: its stigmatized conditions, and the others where it has any."""

    category: str
    stigmatized: Estimate
    others: Estimate
    gap: float | None
    stigmatized_count: int
    others_count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which part of what a model said was rated."""

    seen: float
    """Mean probability of all words that were looked at."""
    rated: float
    """Share of that probability whose words are rated, irrelevant ones included."""
    irrelevant: float
    """Share of that probability on words rated as irrelevant."""
    unrated_words: tuple[tuple[str, float], ...]
    """The words that no rating covers and their share of the probability, the largest first."""
    prompts_without: int
    """Prompts of which no word was rated positive, negative or neutral."""


@dataclass(frozen=True, slots=True)
class ModelResult:
    """Everything about one run."""

    run: str
    model: str
    kind: str
    """``fill-mask``, ``causal`` or ``sentiment``."""
    stigmatized: Estimate
    others: Estimate
    gap: Estimate
    """Stigmatized minus others."""
    tests: GroupTests
    above_half: int
    """Stigmatized conditions whose ``negative`` is above one half."""
    above_half_others: int
    template_spread: float | None
    """The standard deviation over templates within a condition, averaged over conditions."""
    template_agreement: float | None
    """The mean rank correlation (Spearman) of the conditions between two templates."""
    conditions: tuple[ConditionResult, ...]
    templates: tuple[TemplateResult, ...]
    categories: tuple[CategoryResult, ...]
    coverage: Coverage | None = None
    proportions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Sentiment only: group (stigmatized, others, baseline) -> class -> share of the prompts."""
    dimensions: Mapping[str, float | None] = field(default_factory=dict)
    """Rank correlation of ``negative`` with each dimension of stigma, where they were given."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overall:
    """Conditions over all models of a side: the mean of P(negative), or of the share negative."""

    side: str
    """``attitude`` (fill-mask and causal) or ``sentiment``."""
    models: tuple[str, ...]
    negative: Mapping[str, float | None]
    """By condition."""
    above_half: int
    above_half_others: int
    always: int
    """Stigmatized conditions that are at 1: every classifier called every prompt negative."""
    always_others: int
    above_three_quarters: int
    above_three_quarters_others: int


@dataclass(frozen=True, slots=True)
class Correlation:
    """How far attitude and sentiment go together over the conditions (section 5.3)."""

    pearson: Estimate
    """With Fisher's interval."""
    p_value: float | None
    spearman: float | None
    conditions: int


@dataclass(frozen=True, slots=True)
class AuditResult:
    """All models together."""

    probe: str
    models: tuple[ModelResult, ...]
    overall: tuple[Overall, ...]
    correlation: Correlation | None
    correction: str
    repetitions: int
    seed: int
    notes: tuple[str, ...] = ()
    level: float = 0.95
    """Of all intervals."""

    def as_json(self) -> dict[str, Any]:
        """Return plain data, with the version of its form first."""
        return {"version": JSON_VERSION, **asdict(self)}


Results = AuditResult | Sequence[AuditResult]
"""One result, or one for each of several probes."""


def one_by_one(results: Results) -> list[AuditResult]:
    """Return a list, also of one."""
    return [results] if isinstance(results, AuditResult) else list(results)
