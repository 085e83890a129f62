"""How agreement changes with what is left out: distrusted annotators, or contested items.

Price et al. (2020, figure 5) raise the trust that an annotator must have; Pérez-Almendros et al.
(2020, section 4.2.1) leave out the paragraphs that anybody called borderline. Both say something
about the task and nothing about how good the labels would be: what is left is what is easy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.measure import measure_agreement
from tactful.agreement.prepared import as_ratings, without_items
from tactful.errors import InputError, UsageError
from tactful.ratings import Numbers, Ratings

_STEPS_PER_UNIT = 20


@dataclass(frozen=True, slots=True)
class Curve:
    """A coefficient at each threshold of trust."""

    measure: str
    level: Level
    thresholds: tuple[float, ...]
    answers: tuple[Agreement, ...]

    def frame(self) -> pl.DataFrame:
        """Return the curve as a table, a row per threshold."""
        numbers = dict.fromkeys(("threshold", "value", "low", "high"), pl.Float64)
        counts = dict.fromkeys(("items", "annotators", "judgements"), pl.Int64)
        rows = [
            (
                step,
                a.value,
                *(a.interval or (None, None)),
                a.items,
                a.annotators,
                a.judgements,
                a.reason,
            )
            for step, a in zip(self.thresholds, self.answers, strict=True)
        ]
        return pl.DataFrame(rows, schema={**numbers, **counts, "reason": pl.String}, orient="row")


def trust_curve(
    table: Any,
    measure: str = "krippendorff",
    level: Level = "nominal",
    *,
    trust: str = "trust",
    thresholds: Sequence[float] | None = None,
    labels: Sequence[Any] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Curve:
    """Compute a measure from the judgements whose trust is at least a threshold, for each one.

    Without ``thresholds`` they go from the least trust in the table in steps of 0.05 to the most.
    """
    ratings = as_ratings(table, trust)
    steps = _steps(_trust(ratings)) if thresholds is None else tuple(map(float, thresholds))
    answers = tuple(
        measure_agreement(
            at_least(ratings, step),
            measure,
            level,
            labels=labels,
            bootstrap=bootstrap,
            confidence=confidence,
            seed=seed,
            **options,
        )
        for step in steps
    )
    return Curve(measure, level, steps, answers)


def leave_out(table: Any, labels: Sequence[Any]) -> Ratings:
    """Leave out the items that any annotator gave one of ``labels``, with all their judgements."""
    if isinstance(labels, str):
        raise UsageError(f"Found the labels {labels!r}; expected a list of labels.")
    return without_items(as_ratings(table), labels)


def at_least(ratings: Ratings, threshold: float) -> Ratings:
    """Keep the judgements whose trust is at least a threshold."""
    return ratings.keep(_trust(ratings) >= threshold)


def _trust(ratings: Ratings) -> Numbers:
    if ratings.trust is None:
        raise InputError("Found judgements without trust; expected the trust in each annotator.")
    return ratings.trust


def _steps(trust: Numbers) -> tuple[float, ...]:
    if not trust.size:
        return ()
    low, high = float(trust.min()), float(trust.max())
    first = int(np.floor(low * _STEPS_PER_UNIT)) + 1
    last = int(np.floor(high * _STEPS_PER_UNIT + 1e-9))
    return (low, *(step / _STEPS_PER_UNIT for step in range(first, last + 1)))
