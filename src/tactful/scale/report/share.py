"""How many of how many, with Wilson's interval: the same on the page and in the terminal."""

import math
from dataclasses import dataclass

from tactful.pages.text import NOT_KNOWN, fine_percent

_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many; of none, the share is not known."""

    found: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, from 0 to 1."""
        return self.found / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval (1927)."""
        if not self.of:
            return None
        share, square = self.found / self.of, _Z * _Z
        centre = (share + square / (2 * self.of)) / (1 + square / self.of)
        spread = math.sqrt(share * (1 - share) / self.of + square / (4 * self.of * self.of))
        half = _Z * spread / (1 + square / self.of)
        # Rounding must not put a share of 0 or 1 outside its own interval.
        return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))

    def __str__(self) -> str:
        return fine_percent(self.value)

    @property
    def bounds(self) -> str:
        """The interval in words."""
        if self.interval is None:
            return NOT_KNOWN
        return " to ".join(map(fine_percent, self.interval))
