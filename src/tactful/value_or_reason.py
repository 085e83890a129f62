"""What every computed number of Tactful is: a value, or the reason why there is none."""

import re
from numbers import Real
from typing import Any

from tactful.errors import InputError

_WIDTH = re.compile(r"(?:(?P<fill>.)?(?P<align>[<>=^]))?[-+ ]?z?#?0?(?P<width>[0-9]+)?", re.DOTALL)


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

    def __lt__(self, other: Any) -> bool:
        return float(self) < float(other) if _is_number(other) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return float(self) <= float(other) if _is_number(other) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return float(self) > float(other) if _is_number(other) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return float(self) >= float(other) if _is_number(other) else NotImplemented

    def __round__(self, ndigits: int | None = None) -> float:
        return round(float(self), ndigits)

    def __neg__(self) -> float:
        return -float(self)

    def __pos__(self) -> float:
        return float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    def __add__(self, other: Any) -> float:
        return float(self) + float(other) if _is_number(other) else NotImplemented

    def __sub__(self, other: Any) -> float:
        return float(self) - float(other) if _is_number(other) else NotImplemented

    def __mul__(self, other: Any) -> float:
        return float(self) * float(other) if _is_number(other) else NotImplemented

    def __truediv__(self, other: Any) -> float:
        return float(self) / float(other) if _is_number(other) else NotImplemented

    def __radd__(self, other: Any) -> float:
        return float(other) + float(self) if _is_number(other) else NotImplemented

    def __rsub__(self, other: Any) -> float:
        return float(other) - float(self) if _is_number(other) else NotImplemented

    def __rmul__(self, other: Any) -> float:
        return float(other) * float(self) if _is_number(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> float:
        return float(other) / float(self) if _is_number(other) else NotImplemented


def _is_number(value: object) -> bool:
    return isinstance(value, ValueOrReason | Real)
