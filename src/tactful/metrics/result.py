"""What a measure answers: a number, or the reason why there is none; and how it is registered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, TypeVar

from tactful.errors import UsageError
from tactful.value_or_reason import ValueOrReason

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, eq=False)
class Measure(ValueOrReason):
    """The answer of one measure: a value, or None and the reason why it is undefined.

    It can be used as a number: see :class:`~tactful.value_or_reason.ValueOrReason`.
    """

    name: str
    value: float | None
    reason: str | None = None
    """Why the value is undefined, or (with a value) which policy replaced an undefined one."""
    parts: Mapping[str, "Measure"] = field(default_factory=dict)
    """What the value was made from: precision and recall of an F-measure, the repetitions."""
    items: int | None = None
    """How many items were measured."""

    def __post_init__(self) -> None:
        if self.value is None and not self.reason:
            raise ValueError(f"{self.name}: an undefined measure needs its reason")
        if self.value is not None and isnan(self.value):
            raise ValueError(f"{self.name}: NaN is not an answer; give None and the reason")

    def __str__(self) -> str:
        """Say it in one line."""
        if self.value is None:
            return f"{self.name}: undefined ({self.reason})"
        return f"{self.name}: {self.value:.4f}"


@dataclass(frozen=True, slots=True)
class Spec:
    """What is known about a measure, so that laws and tables can be made for all of them."""

    function: Callable[..., Measure]
    takes: str
    """The kind of its input; ``tests/metrics/test_laws.py`` makes inputs of each kind."""
    low: float
    high: float
    perfect: float | None
    """The value when the prediction equals the gold answers; None where it depends on the data."""
    higher_is_better: bool = True


MEASURES: dict[str, Spec] = {}
"""Every measure by name; :func:`measure` adds to it."""


def measure(
    takes: str,
    *,
    low: float,
    high: float,
    perfect: float | None,
    higher_is_better: bool = True,
) -> Callable[[Function], Function]:
    """Register a function that returns one :class:`Measure` under its own name."""

    def register(function: Function) -> Function:
        name, module = function.__name__, function.__module__
        if name in MEASURES and MEASURES[name].function.__module__ != module:
            raise UsageError(
                f"{module} registers a measure '{name}', which "
                f"{MEASURES[name].function.__module__} has registered already; rename one of them."
            )
        MEASURES[name] = Spec(function, takes, low, high, perfect, higher_is_better)
        return function

    return register
