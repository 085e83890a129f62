"""Drawing with SVG: shapes, marks and an axis. Colours are classes, so that dark pages work."""

from dataclasses import dataclass
from html import escape

from tactful.words import shown_text

LETTER = 6.1
"""About how wide a letter of a label is, in units of the drawing."""


def safe(text: str) -> str:
    """Escape text for HTML and SVG, and show what would be invisible or turn a line around."""
    return escape(shown_text(text))


def number(value: float) -> str:
    """Write a coordinate, short and always the same."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values stand on the drawing, from left to right."""

    low: float
    high: float
    left: float
    right: float

    def __call__(self, value: float) -> float:
        """Return the place of a value; what lies outside stands at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


class Drawing:
    """One picture with a title and a description for those who do not see it."""

    def __init__(self, name: str, width: float, height: float, title: str, description: str):
        self.name, self.width, self.height = name, width, height
        self.title, self.description = title, description
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """Draw a straight line."""
        self._parts.append(
            f'<line class="{css}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" '
            f'y2="{number(y2)}"/>'
        )

    def box(self, x: float, y: float, width: float, height: float, css: str, tip: str = "") -> None:
        """Draw a rectangle; ``tip`` shows where the pointer rests."""
        shape = (
            f'<rect class="{css}" x="{number(x)}" y="{number(y)}" width="{number(max(width, 0))}" '
            f'height="{number(height)}"'
        )
        self._close(shape, "rect", tip)

    def text(self, x: float, y: float, words: str, css: str = "", anchor: str = "start") -> None:
        """Write words; ``anchor`` is start, middle or end."""
        kind = f' class="{css}"' if css else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(
            f'<text{kind} x="{number(x)}" y="{number(y)}"{side}>{safe(words)}</text>'
        )

    def mark(
        self, x: float, y: float, stigmatized: bool, size: float, css: str = "", tip: str = ""
    ) -> None:
        """Draw one condition: a disc where it is stigmatized, else an open diamond."""
        css = f"{'stig' if stigmatized else 'other'} {css}".strip()
        if stigmatized:
            shape = f'<circle class="{css}" cx="{number(x)}" cy="{number(y)}" r="{number(size)}"'
            self._close(shape, "circle", tip)
            return
        wide = size * 1.25
        points = ((x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y))
        path = " ".join(f"{number(left)},{number(top)}" for left, top in points)
        self._close(f'<polygon class="{css}" points="{path}"', "polygon", tip)

    def _close(self, shape: str, tag: str, tip: str) -> None:
        self._parts.append(f"{shape}><title>{safe(tip)}</title></{tag}>" if tip else f"{shape}/>")

    def percent_axis(self, axis: Axis, top: float, bottom: float) -> None:
        """Draw the lines of a scale from 0 to 100 %, with one half marked, and label them."""
        for step in range(5):
            share = step / 4
            css = "half" if step == 2 else "grid"
            self.line(axis(share), top, axis(share), bottom, css)
            self.text(axis(share), bottom + 14, f"{round(100 * share)} %", "tick", "middle")

    def __str__(self) -> str:
        """Return the markup."""
        name = self.name
        return (
            f'<svg id="{name}" viewBox="0 0 {number(self.width)} {number(self.height)}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{safe(self.title)}</title>'
            f'<desc id="{name}-desc">{safe(self.description)}</desc>{"".join(self._parts)}</svg>'
        )
