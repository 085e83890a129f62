"""Numbers and untrusted words as the page shows them."""

import math
import unicodedata
from dataclasses import dataclass
from html import escape

_JOINERS = "\u200c\u200d"
"""Scripts and emoji need them, and they show nothing by themselves."""
_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_Z = 1.959964
NOT_KNOWN = "not known"


def safe(text: str) -> str:
    """Escape text for HTML and SVG; what is invisible or turns a line around shows as its code."""
    return escape(text if text.isprintable() else "".join(map(_shown, text)))


def _shown(char: str) -> str:
    if char.isspace():
        return char if char in "\n\t" else " "
    if char in _JOINERS or unicodedata.category(char) not in _UNSAFE:
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def shortened(text: str, longest: int) -> str:
    """Return a text on one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


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
        return percent(self.value)


def percent(value: float | None) -> str:
    """Write a share: 0.0613 is '6.1 %'; small ones keep two digits, and nothing rounds to all."""
    if value is None:
        return NOT_KNOWN
    shown = 100 * value
    if shown == 0:
        text = "0"
    elif shown >= 10:
        text = "100" if shown == 100 else "over 99.9" if shown >= 99.95 else f"{shown:.1f}"
    elif shown >= 0.001:
        text = f"{shown:.{1 - math.floor(math.log10(shown))}f}"
    else:
        text = "under 0.001"
    return f"{text}\N{NO-BREAK SPACE}%"


def interval(share: Share) -> str:
    """Write the interval of a share, or that it is not known."""
    bounds = share.interval
    return NOT_KNOWN if bounds is None else f"{percent(bounds[0])} to {percent(bounds[1])}"
