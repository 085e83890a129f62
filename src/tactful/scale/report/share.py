"""How many of how many, with Wilson's interval: the same on the page and in the terminal."""

from dataclasses import dataclass

from tactful.pages.text import NOT_KNOWN, fine_percent
from tactful.resampling import wilson_interval


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
        return wilson_interval(self.found, self.of) if self.of else None

    def __str__(self) -> str:
        return fine_percent(self.value)

    @property
    def bounds(self) -> str:
        """The interval in words."""
        if self.interval is None:
            return NOT_KNOWN
        return " to ".join(map(fine_percent, self.interval))
