"""Small SVG charts, rendered by the server without scripts or inline styles; all text is escaped.

Colours and strokes come from ``owner.css``, so that charts support dark mode. Each chart has a name
for screen readers, and a table with the same figures beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from tactful.annotation.analysis.overview import StepProgress, TrustLine

STATUSES = ("done", "disputed", "open", "waiting")
_WIDTH = 640.0
_ROW = 26.0
_LABEL = 276.0
_LONGEST_NAME = 38


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval, or neither."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    indent: bool = False


def progress_bar(figures: StepProgress) -> Markup:
    """Draw how many items of a step are done, disputed, open and waiting."""
    if not figures.items:
        return Markup("")
    parts, left = [], 0.0
    for status in STATUSES:
        count = getattr(figures, status)
        width = count / figures.items * _WIDTH
        if count:
            parts.append(_tag("rect", f"fill-{status}", x=left, y=0, width=width, height=14))
        left += width
    told = ", ".join(f"{getattr(figures, status):,} {status}" for status in STATUSES)
    return _svg(14, f"{figures.title}: {told}", parts, preserveAspectRatio="none")


def interval_chart(rows: Sequence[Interval], name: str) -> Markup:
    """Draw values up to 1 with their intervals, from 0 or below."""
    if not rows:
        return Markup("")
    values = [each for row in rows for each in (row.low, row.value) if each is not None]
    low = max(-1.0, min([0.0, *values]))
    height = _ROW * len(rows) + 24
    span = _WIDTH - _LABEL - 50

    def place(value: float) -> float:
        return _LABEL + (max(value, low) - low) / (1 - low) * span

    parts = []
    for at in (tenth / 10 for tenth in range(-10, 11, 2) if tenth / 10 >= low):
        parts.append(_line("grid", place(at), 0, place(at), height - 20))
        parts.append(_text("tick", place(at), height - 4, f"{at:g}", "middle"))
    for at, row in enumerate(rows):
        middle = at * _ROW + _ROW / 2
        style, left = ("name minor", 12.0) if row.indent else ("name", 0.0)
        parts.append(_text(style, left, middle + 4, _short(row.name)))
        if row.value is None:
            parts.append(_text("tick", place(low) + 4, middle + 4, "undefined"))
            continue
        if row.low is not None and row.high is not None:
            parts.append(_line("whisker", place(row.low), middle, place(row.high), middle))
        parts.append(_tag("circle", "point", cx=place(row.value), cy=middle, r=4.5))
        parts.append(_text("value", _WIDTH, middle + 4, f"{row.value:.2f}", "end"))
    return _svg(height, name, parts)


def trust_chart(lines: Sequence[TrustLine], least: float | None, name: str) -> Markup:
    """Draw the trust of people by test, with the minimum as a dashed line."""
    longest = max((len(line.points) for line in lines), default=0)
    if not longest:
        return Markup("")
    height, left, bottom = 220.0, 40.0, 196.0

    def x(test: int) -> float:
        return left + (test - 1) / max(longest - 1, 1) * (_WIDTH - left - 12)

    def y(trust: float) -> float:
        return bottom - trust * (bottom - 10)

    parts = []
    for at in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_line("grid", left, y(at), _WIDTH, y(at)))
        parts.append(_text("tick", left - 6, y(at) + 4, f"{at:.0%}", "end"))
    for test in sorted({1, (longest + 1) // 2, longest}):
        anchor = "start" if test == 1 else "end" if test == longest else "middle"
        parts.append(_text("tick", x(test), height - 6, f"test {test}", anchor))
    if least is not None:
        parts.append(_line("limit", left, y(least), _WIDTH, y(least)))
    # Removed people are drawn last, on top.
    for line in sorted(lines, key=lambda each: each.status != "active"):
        points = " ".join(
            f"{_number(x(at))},{_number(y(trust))}" for at, (_, trust) in enumerate(line.points, 1)
        )
        title = Markup("<title>{}</title>").format(f"{line.name}: {line.points[-1][1]:.0%}")
        if len(line.points) == 1:
            only = line.points[0][1]
            parts.append(_tag("circle", f"trust {line.status}", title, cx=x(1), cy=y(only), r=3))
        else:
            parts.append(_tag("polyline", f"trust {line.status}", title, points=points))
    return _svg(height, name, parts)


def day_chart(days: Sequence[tuple[str, int]], name: str) -> Markup:
    """Draw the answers of each day as bars."""
    most = max((count for _, count in days), default=0)
    if not most:
        return Markup("")
    height, bottom = 120.0, 100.0
    step = _WIDTH / len(days)
    parts = []
    for at, (day, count) in enumerate(days):
        tall = count / most * (bottom - 18)
        middle = at * step + step / 2
        parts.append(
            _tag("rect", "day", x=at * step + 4, y=bottom - tall, width=step - 8, height=tall)
        )
        parts.append(_text("tick", middle, height - 4, _day(day, at == 0), "middle"))
        if count:
            parts.append(_text("value", middle, bottom - tall - 4, f"{count:,}", "middle"))
    return _svg(height, name, parts, style="chart days")


def _day(day: str, is_first: bool) -> str:
    """Return the day of the month, with the month where one begins."""
    at = date.fromisoformat(day)
    return f"{at.day} {at:%b}" if is_first or at.day == 1 else str(at.day)


def heat(count: int, most: int) -> int:
    """Return the colour intensity of a confusion cell, from 0 to 9."""
    return 0 if not count or not most else max(1, round(count / most * 9))


def _svg(
    height: float, name: str, parts: Iterable[Markup], style: str = "chart", **attributes: str
) -> Markup:
    return _tag(
        "svg",
        style,
        Markup("").join(parts),
        viewBox=f"0 0 {_number(_WIDTH)} {_number(height)}",
        role="img",
        aria_label=name,
        **attributes,
    )


def _line(style: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return _tag("line", style, x1=x1, y1=y1, x2=x2, y2=y2)


def _text(style: str, x: float, y: float, words: str, anchor: str = "start") -> Markup:
    return _tag("text", style, Markup.escape(words), x=x, y=y, text_anchor=anchor)


def _tag(name: str, style: str, inside: Markup | str = "", **attributes: str | float) -> Markup:
    """Return an element; attributes and content are escaped, unless they are markup."""
    told = Markup("").join(
        Markup(' {}="{}"').format(
            key.replace("_", "-"), each if isinstance(each, str) else _number(each)
        )
        for key, each in {"class": style, **attributes}.items()
    )
    return Markup("<{}{}>{}</{}>").format(name, told, inside, name)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
