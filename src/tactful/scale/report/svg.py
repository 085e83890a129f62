"""Small drawings; colours are classes, so that dark pages and paper work."""

from collections.abc import Sequence
from dataclasses import dataclass

from tactful.scale.report.words import safe


def number(value: float) -> str:
    """Write a coordinate, short and always the same."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values stand on a drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """Draw a straight line."""
    return (
        f'<line class="{css}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" '
        f'y2="{number(y2)}"/>'
    )


def box(x: float, y: float, width: float, height: float, css: str, tip: str = "") -> str:
    """Draw a rectangle; ``tip`` shows where the pointer rests."""
    shape = (
        f'<rect class="{css}" x="{number(x)}" y="{number(y)}" width="{number(max(width, 0))}" '
        f'height="{number(max(height, 0))}"'
    )
    return f"{shape}><title>{safe(tip)}</title></rect>" if tip else f"{shape}/>"


def disc(x: float, y: float, size: float, tip: str) -> str:
    """Draw a point."""
    return (
        f'<circle class="point" cx="{number(x)}" cy="{number(y)}" r="{number(size)}">'
        f"<title>{safe(tip)}</title></circle>"
    )


def path(points: Sequence[tuple[float, float]], css: str, *, filled: bool = False) -> str:
    """Draw a line through points, or the area that they enclose."""
    tag = "polygon" if filled else "polyline"
    listed = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<{tag} class="{css}" points="{listed}"/>'


def label(x: float, y: float, words: str, css: str = "tick", anchor: str = "start") -> str:
    """Write words; ``anchor`` is start, middle or end."""
    return (
        f'<text class="{css}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">'
        f"{safe(words)}</text>"
    )


def picture(parts: Sequence[str], width: float, height: float, words: str = "") -> str:
    """Return a drawing; without words it repeats what stands beside it, and is not read out."""
    said = f'role="img" aria-label="{safe(words)}"' if words else 'aria-hidden="true"'
    return f'<svg viewBox="0 0 {number(width)} {number(height)}" {said}>{"".join(parts)}</svg>'
