"""What an audit found, as plain records: the same for the terminal, JSON, CSV and the page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

JSON_VERSION = 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its interval; an undefined one is None, with the reason."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    """Why the value or the interval is missing."""


Verdict = Literal["more negative", "less negative", "no difference", "undecided", "not tested"]


@dataclass(frozen=True, slots=True)
class Contrast(Estimate):
    """A difference, its test, and what follows from both.

    The interval holds the differences that the test does not reject, so it leaves out 0 exactly
    where the test finds a difference.
    """

    p_value: float | None = None
    """Two-sided: the largest of ``nulls``."""
    nulls: Mapping[str, float] = field(default_factory=dict)
    """Null model -> p-value: ``shuffled`` labels or signs, random ``words``, random ``lengths``."""
    smallest_p: float | None = None
    """The smallest p-value that this number of conditions allows."""
    equivalence: tuple[float, float] | None = None
    """The interval of the two one-sided tests (TOST): at 1 - 2 alpha, so 90 % for .05."""
    detectable: float | None = None
    """The smallest difference that would be found with a probability of 80 %."""
    smallest_effect: float = 0.05
    """Nothing below it is called more negative."""
    verdict: Verdict = "not tested"


@dataclass(frozen=True, slots=True)
class Refusals:
    """How often a model refused to answer. A refusal is neither negative nor positive."""

    refused: int
    prompts: int
    stigmatized: float | None
    """The share of the prompts about a condition that were refused, averaged over conditions."""
    others: float | None
    baseline: float | None
    difference: Contrast
    """Stigmatized minus others."""


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """How negative a model is about one condition."""

    condition: str
    name: str
    category: str
    stigmatized: bool
    negative: Estimate
    """The mean over questions, then sub-conditions, then templates; it has no interval."""
    to_baseline: float | None
    """``negative`` minus that of the prompts that name no condition."""
    to_others: Contrast
    """Minus the mean of the conditions without stigma. The test asks whether it is further from
    them than they are from one another; its p-value and interval hold for all conditions together.
    """
    prompts: int
    by_template: Mapping[str, float | None]
    dimensions: Mapping[str, float] = field(default_factory=dict)
    refused: int = 0
    """Prompts that were refused; they are not in ``prompts``."""


@dataclass(frozen=True, slots=True)
class TemplateResult:
    """One template: the two groups, their difference, and the prompts without a condition."""

    template: str
    stigmatized: float | None
    others: float | None
    gap: Contrast
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
    """``fill-mask``, ``causal``, ``chat`` or ``sentiment``."""
    stigmatized: Estimate
    others: Estimate
    gap: Contrast
    """Stigmatized minus others."""
    named: Contrast
    """All conditions minus the prompts that name none: it also finds a model that is negative
    about every group."""
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
    refusals: Refusals | None = None
    """None where nothing was refused."""
    created: str = ""
    """When the model was asked."""


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
    repetitions: int
    seed: int
    notes: tuple[str, ...] = ()
    level: float = 0.95
    """Of all intervals."""
    smallest_effect: float = 0.05
    """The smallest difference of interest: nothing below it is called more negative."""
    plan: Mapping[str, Any] | None = None
    """The plan that was fixed before the runs: its hash, and where the runs deviate from it."""

    def as_json(self) -> dict[str, Any]:
        """Return plain data, with the version of its form first."""
        return {"version": JSON_VERSION, **asdict(self)}


Results = AuditResult | Sequence[AuditResult]
"""One result, or one for each of several probes."""


def one_by_one(results: Results) -> list[AuditResult]:
    """Return a list, also of one."""
    return [results] if isinstance(results, AuditResult) else list(results)
