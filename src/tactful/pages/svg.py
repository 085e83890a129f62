"""Charts in SVG. Colours are CSS classes, so charts follow dark pages and paper."""

from collections.abc import Sequence
from dataclasses import dataclass

from tactful.pages.text import Html, safe

LETTER = 6.1
"""The approximate width of a letter of a label, in units of the drawing."""


def number(value: float) -> str:
    """Write a coordinate, short and always the same."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values to places on the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value; values outside are put at the edge."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


class Drawing:
    """One picture.

    Screen readers get ``title``, and ``description`` where there is an id as ``name``. Without a
    title they skip the picture: it only repeats the words beside it.
    """

    def __init__(
        self, width: float, height: float, title: str = "", description: str = "", name: str = ""
    ) -> None:
        self.name, self.width, self.height = name, width, height
        self.title, self.description = title, description
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """Draw a straight line."""
        self._add("line", css, x1=x1, y1=y1, x2=x2, y2=y2)

    def box(self, x: float, y: float, width: float, height: float, css: str, tip: str = "") -> None:
        """Draw a rectangle; ``tip`` shows where the pointer rests."""
        self._add("rect", css, tip, x=x, y=y, width=max(width, 0), height=max(height, 0))

    def disc(self, x: float, y: float, size: float, css: str, tip: str = "") -> None:
        """Draw a point."""
        self._add("circle", css, tip, cx=x, cy=y, r=size)

    def diamond(self, x: float, y: float, size: float, css: str, tip: str = "") -> None:
        """Draw a square on its corner, about as large as a disc of that size."""
        wide = size * 1.25
        corners = ((x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y))
        self._add("polygon", css, tip, points=corners)

    def path(
        self,
        points: Sequence[tuple[float, float]],
        css: str,
        tip: str = "",
        *,
        filled: bool = False,
    ) -> None:
        """Draw a line through points, or the area that they enclose."""
        self._add("polygon" if filled else "polyline", css, tip, points=points)

    def text(
        self, x: float, y: float, words: str, css: str = "tick", anchor: str = "start"
    ) -> None:
        """Write words; ``anchor`` is start, middle or end."""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(
            f'<text class="{css}" x="{number(x)}" y="{number(y)}"{side}>{safe(words)}</text>'
        )

    def percent_axis(self, axis: Axis, top: float, bottom: float) -> None:
        """Draw the lines of a scale from 0 to 100 %, with one half marked, and label them."""
        for step in range(5):
            x = axis(step / 4)
            self.line(x, top, x, bottom, "half" if step == 2 else "grid")
            self.text(x, bottom + 14, f"{25 * step} %", "tick", "middle")

    def _add(
        self, tag: str, css: str, tip: str = "", **places: float | Sequence[tuple[float, float]]
    ) -> None:
        written = "".join(f' {name}="{_place(value)}"' for name, value in places.items())
        close = f"><title>{safe(tip)}</title></{tag}>" if tip else "/>"
        self._parts.append(f'<{tag} class="{css}"{written}{close}')

    def __str__(self) -> str:
        """Return the markup."""
        name, words, inner = self.name, 'aria-hidden="true"', "".join(self._parts)
        if name:
            words = f'id="{name}" role="img" aria-labelledby="{name}-title {name}-desc"'
            inner = (
                f'<title id="{name}-title">{safe(self.title)}</title>'
                f'<desc id="{name}-desc">{safe(self.description)}</desc>{inner}'
            )
        elif self.title:
            words = f'role="img" aria-label="{safe(self.title)}"'
        box = f"0 0 {number(self.width)} {number(self.height)}"
        return Html(f'<svg viewBox="{box}" {words}>{inner}</svg>')


def _place(value: float | Sequence[tuple[float, float]]) -> str:
    if isinstance(value, int | float):
        return number(value)
    return " ".join(f"{number(x)},{number(y)}" for x, y in value)
