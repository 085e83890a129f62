"""What a measure of agreement answers: a number, or the reason why there is none."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tactful.value_or_reason import ValueOrReason

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
"""How labels differ: at all; by their order; by their difference; by their ratio."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement(ValueOrReason):
    """One coefficient of one table.

    ``value`` is None where the coefficient is undefined, and ``reason`` says why. It can be used as
    a number: see :class:`~tactful.value_or_reason.ValueOrReason`.
    """

    name: str
    """As people write it, such as "Krippendorff's alpha (nominal)"."""
    measure: str
    """As the registry writes it, such as "krippendorff"."""
    level: Level
    value: float | None
    reason: str | None
    items: int
    """Items with two judgements or more: only these show agreement or disagreement."""
    annotators: int
    """Annotators who judged at least one of these items."""
    judgements: int
    """Judgements of these items."""
    single_items: int = 0
    """Items with one judgement; they say nothing about agreement."""
    label: str | None = None
    """The label that was held against all others, if one was."""
    interval: tuple[float, float] | None = None
    confidence: float | None = None
    samples: int = 0
    """Bootstrap samples in which the coefficient was defined."""
    seed: int | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Say it in one line."""
        what = self.name if self.label is None else f"{self.name} of '{self.label}'"
        return f"{what}: {' '.join(self._parts())}"

    def _parts(self) -> Iterator[str]:
        if self.value is None:
            yield f"undefined ({self.reason})"
        else:
            yield f"{self.value:.3f}"
        if self.interval is not None:
            low, high = self.interval
            yield f"[{low:.3f}, {high:.3f}]"
