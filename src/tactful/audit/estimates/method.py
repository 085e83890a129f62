"""How intervals and tests are computed: repetitions, seed, level and the smallest effect."""

import math
from dataclasses import dataclass
from typing import Any

from tactful.audit.estimates.statistics import as_float
from tactful.audit.results import Estimate
from tactful.errors import UsageError
from tactful.resampling import Numbers, percentile_interval

SMALLEST_EFFECT = 0.05
"""The smallest difference of interest, unless the caller names another one."""


def untestable(what: str, smallest_p: float) -> str:
    """Say that a test with this little data cannot find anything."""
    return (
        f"cannot be tested with this few {what}: the smallest possible p is "
        f"{f'{smallest_p:.3f}'.removeprefix('0')}; use more"
    )


@dataclass(frozen=True, slots=True)
class Method:
    """The options of intervals and tests."""

    repetitions: int = 2000
    seed: int = 0
    level: float = 0.95
    smallest_effect: float = SMALLEST_EFFECT

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise UsageError(f"Found {self.repetitions} repetitions; expected 1 or more.")
        if self.seed < 0:
            raise UsageError(f"Found the seed {self.seed}; expected 0 or more.")
        if not 0.5 < self.level < 1:
            raise UsageError(f"Found the level {self.level:g}; expected a share from .5 to 1.")
        if not 0 <= self.smallest_effect < 1:
            raise UsageError(
                f"Found the smallest effect {self.smallest_effect:g}; expected a share from 0 to 1."
            )

    @property
    def alpha(self) -> float:
        """Below this a p-value is significant."""
        return round(1 - self.level, 12)

    @property
    def draws(self) -> dict[str, Any]:
        """The options of a test of the resampling kit, without its level."""
        return {"repetitions": self.repetitions, "seed": self.seed}

    def estimate(
        self, value: float, samples: Numbers, missing: str, fixed: str | None = None
    ) -> Estimate:
        """Return a value and the interval of its samples.

        ``missing`` says why the value is missing if it is NaN; ``fixed`` why samples cannot vary.
        """
        if math.isnan(value):
            return Estimate(None, reason=missing)
        found = None if fixed is not None else percentile_interval(samples, self.level)
        if found is None:
            return Estimate(float(value), reason=fixed or "no sample of it has a value")
        return Estimate(as_float(value), *found)
