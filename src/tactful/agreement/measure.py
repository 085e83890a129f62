"""What all measures have in common: what they are, and how one is applied to a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tactful import agreement
from tactful.agreement.answer import LEVELS, Agreement, Level
from tactful.agreement.prepared import Prepared, as_ratings, one_against_rest, prepare
from tactful.agreement.statistics import Statistics
from tactful.errors import UsageError
from tactful.ratings import Ratings
from tactful.registry import unknown_name
from tactful.resampling import percentile_interval
from tactful.words import counted

LEAST_DEFINED = 0.9
"""Where a smaller share of the bootstrap samples is defined, an interval would mislead."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient and its properties."""

    name: str
    titles: Mapping[Level, str]
    """The name that people use, for each level of measurement the coefficient has."""
    statistics: Callable[..., Statistics | str]
    """Takes :class:`Prepared` and a level; returns the reason where it is undefined."""
    source: str
    """The paper that defines it."""
    lowest: float | None = None
    """The least possible value; None where there is no bound."""
    chance_corrected: bool = True

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of measurement for which it is defined."""
        return tuple(self.titles)

    def title(self, level: Level) -> str:
        """Return the name that people use."""
        return self.titles.get(level) or next(iter(self.titles.values()))


@dataclass(frozen=True, slots=True)
class Resampling:
    """How an interval is made: percentiles of the value over samples of items."""

    samples: int = 0
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples < 0:
            raise UsageError(f"Found {self.samples} bootstrap samples; expected 0 or more.")
        if not 0 < self.confidence < 1:
            raise UsageError(
                f"Found the confidence {self.confidence:g}; expected more than 0 and less than 1."
            )
        if self.seed < 0:
            raise UsageError(f"Found the seed {self.seed}; expected 0 or more.")


def apply(
    measure: Coefficient,
    table: Any,
    level: Level = "nominal",
    *,
    labels: Sequence[Any] | None = None,
    resampling: Resampling | None = None,
    **options: Any,
) -> Agreement:
    """Compute a coefficient, and its interval where one is asked for."""
    check_level(level)
    ready = prepare(as_ratings(table), labels)
    answer = describe(measure, level, ready.ratings)
    if reason := _hopeless(measure, ready, level, answer):
        return replace(answer, reason=reason)
    statistics = measure.statistics(ready, level, **options)
    if isinstance(statistics, str):
        return replace(answer, reason=statistics)
    return evaluate(answer, statistics, resampling)


def apply_per_label(
    measure: Coefficient, table: Any, *, resampling: Resampling | None = None, **options: Any
) -> dict[str, Agreement]:
    """Hold each label against all others; two labels are all there are, so the level is nominal."""
    ratings = prepare(as_ratings(table)).ratings
    level = measure.levels[0]
    answers = {}
    for label in ratings.labels:
        binary = one_against_rest(ratings, label)
        order = binary.labels if level != "nominal" else None
        answer = apply(measure, binary, level, labels=order, resampling=resampling, **options)
        answers[label] = replace(answer, label=label)
    return answers


def check_level(level: str) -> None:
    """Refuse an unknown level of measurement."""
    if level not in LEVELS:
        raise unknown_name("level of measurement", level, list(LEVELS))


def describe(measure: Coefficient, level: Level, ratings: Ratings) -> Agreement:
    """Count what a coefficient can be computed from; the value is still to come."""
    raters = np.bincount(ratings.item, minlength=len(ratings.items))
    single = raters == 1
    annotators = ratings.annotator[~single[ratings.item]] if single.any() else ratings.annotator
    return Agreement(
        measure.title(level),
        measure.name,
        level,
        value=None,
        reason=None,
        items=int((raters > 1).sum()),
        annotators=int((np.bincount(annotators) > 0).sum()),
        judgements=annotators.size,
        single_items=int(single.sum()),
    )


def evaluate(answer: Agreement, statistics: Statistics, resampling: Resampling | None) -> Agreement:
    """Fill in the value, or the reason why there is none, and the interval."""
    value, reason = statistics.point()
    answer = replace(answer, value=value, reason=reason, notes=answer.notes + statistics.notes)
    if value is None or resampling is None or resampling.samples == 0:
        return answer
    if statistics.unfit is not None:
        return replace(answer, notes=(*answer.notes, f"no interval: {statistics.unfit}"))
    drawn = statistics.resample(resampling.samples, resampling.seed)
    defined = drawn[np.isfinite(drawn)]
    answer = replace(
        answer, confidence=resampling.confidence, samples=defined.size, seed=resampling.seed
    )
    if defined.size < LEAST_DEFINED * resampling.samples:
        note = (
            f"no interval: the coefficient is undefined in {resampling.samples - defined.size:,} "
            f"of {counted(resampling.samples, 'sample')}"
        )
        return replace(answer, notes=(*answer.notes, note))
    return replace(answer, interval=percentile_interval(defined, resampling.confidence))


def _hopeless(measure: Coefficient, ready: Prepared, level: Level, answer: Agreement) -> str | None:
    if level not in measure.titles:
        known = " and ".join(measure.levels)
        return f"it is defined for {known} labels only, not for {level} ones"
    if not len(ready.ratings):
        return "there are no judgements"
    if not answer.items:
        return "no item has two judgements"
    return None


def measure_agreement(
    table: Any,
    measure: str = "krippendorff",
    level: Level = "nominal",
    *,
    labels: Sequence[Any] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Agreement:
    """Compute the measure of that name; ``options`` are its own, such as Cohen's ``overlap``."""
    resampling = Resampling(bootstrap, confidence, seed)
    chosen = agreement.MEASURES.get(measure)
    return apply(chosen, table, level, labels=labels, resampling=resampling, **options)


def measure_per_label(
    table: Any,
    measure: str = "krippendorff",
    *,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> dict[str, Agreement]:
    """Compute the measure for each label against all others: label -> answer."""
    resampling = Resampling(bootstrap, confidence, seed)
    return apply_per_label(agreement.MEASURES.get(measure), table, resampling=resampling, **options)
