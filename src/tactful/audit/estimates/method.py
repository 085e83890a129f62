"""How intervals and tests are computed: repetitions, seed, level and correction."""

import math
from dataclasses import dataclass

from tactful.audit.estimates.statistics import CORRECTIONS, as_float
from tactful.audit.results import Estimate
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.resampling import Numbers, PermutationTest, percentile_interval, permutation_test

ALPHA = 0.05
"""Below this a p-value is called significant."""
FEWEST_CELLS = 6
"""A test by signs of fewer numbers can never be below .05: 2 / 2 ** 5 is .06."""


def untestable(what: str, smallest_p: float) -> str:
    """Say that a test with this little data cannot find anything."""
    return (
        f"cannot be tested with this few {what}: the smallest possible p is "
        f"{f'{smallest_p:.3f}'.removeprefix('0')}; use more"
    )


_SIGN_FLIPS = 20_000
"""Fewer could not tell .05 from chance after a correction for a hundred conditions."""


@dataclass(frozen=True, slots=True)
class Method:
    """The options of intervals, tests and corrections."""

    correction: str = "holm"
    """``holm``, or ``fdr`` for Benjamini and Hochberg."""
    repetitions: int = 2000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.correction not in CORRECTIONS:
            raise unknown_name("correction", self.correction, list(CORRECTIONS))
        if self.repetitions < 1:
            raise UsageError(f"Found {self.repetitions} repetitions; expected 1 or more.")
        if self.seed < 0:
            raise UsageError(f"Found the seed {self.seed}; expected 0 or more.")
        if not 0 < self.level < 1:
            raise UsageError(f"Found the level {self.level:g}; expected a share between 0 and 1.")

    @property
    def sign_flips(self) -> int:
        """How many changes of signs are tried where there are too many for all."""
        return max(self.repetitions, _SIGN_FLIPS)

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

    def difference(self, first: Numbers, second: Numbers) -> PermutationTest | None:
        """Test the difference of two groups."""
        return permutation_test(
            first, second, level=self.level, repetitions=self.repetitions, seed=self.seed
        )

    def corrected(self, p_values: list[float | None]) -> list[float | None]:
        """Correct the p-values that there are for their number."""
        known = [p for p in p_values if p is not None]
        answers = iter(CORRECTIONS[self.correction](known).tolist() if known else [])
        return [None if p is None else next(answers) for p in p_values]
