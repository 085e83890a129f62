"""What every computed number of Tactful is: a value, or the reason why there is none."""

import operator
import re
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

from tactful.errors import InputError

T = TypeVar("T")
_WIDTH = re.compile(r"(?:(?P<fill>.)?(?P<align>[<>=^]))?[-+ ]?z?#?0?(?P<width>[0-9]+)?", re.DOTALL)


def _with_number(operate: Callable[[float, float], T]) -> Callable[[Any, Any], T]:
    """Return the method of an operator, for a number or another answer on its other side."""

    def method(self: Any, other: Any) -> T:
        is_number = isinstance(other, ValueOrReason | Real)
        return operate(float(self), float(other)) if is_number else NotImplemented

    return method


class ValueOrReason:
    """A number, or the reason why there is none; it can be used as the number.

    ``float``, ``round``, comparisons and arithmetic (which returns a float) use the value, and
    raise :class:`~tactful.errors.InputError` with the reason where there is none, so that an
    undefined answer cannot enter a mean unseen. ``f"{answer:.3f}"`` writes the value or
    "undefined". Answers are equal where their values are; undefined ones where name and reason are.
    """

    __slots__ = ()
    name: str
    value: float | None
    reason: str | None

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def __float__(self) -> float:
        if self.value is None:
            raise InputError(f"{self.name} is undefined: {self.reason}.")
        return float(self.value)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        written = format(self.value or 0.0, spec)
        if self.value is not None:
            return written
        found = _WIDTH.match(spec)
        fill, align, width = found.group("fill", "align", "width") if found else (None,) * 3
        side = ">" if align in (None, "=") else align
        return format("undefined", f"{fill or ' '}{side}{width or ''}")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ValueOrReason):
            if self.value is None or other.value is None:
                return (self.value, self.name, self.reason) == (
                    other.value, other.name, other.reason,
                )  # fmt: skip
            return self.value == other.value
        return self.value == other if isinstance(other, Real) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.reason) if self.value is None else self.value)

    __lt__ = _with_number(operator.lt)
    __le__ = _with_number(operator.le)
    __gt__ = _with_number(operator.gt)
    __ge__ = _with_number(operator.ge)

    def __round__(self, ndigits: int | None = None) -> float:
        return round(float(self), ndigits)

    def __neg__(self) -> float:
        return -float(self)

    def __pos__(self) -> float:
        return float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    __add__ = _with_number(operator.add)
    __sub__ = _with_number(operator.sub)
    __mul__ = _with_number(operator.mul)
    __truediv__ = _with_number(operator.truediv)
    __radd__ = _with_number(lambda value, other: other + value)
    __rsub__ = _with_number(lambda value, other: other - value)
    __rmul__ = _with_number(lambda value, other: other * value)
    __rtruediv__ = _with_number(lambda value, other: other / value)
