"""Any measure by its name, for the whole table or label by label."""

from collections.abc import Sequence
from typing import Any

from tactful.agreement import MEASURES
from tactful.agreement.answer import Agreement, Level
from tactful.agreement.measure import Resampling, apply, apply_per_label


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
    chosen = MEASURES.get(measure)
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
    return apply_per_label(MEASURES.get(measure), table, resampling=resampling, **options)
