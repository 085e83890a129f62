"""Small SVG charts, rendered by the server without scripts or inline styles; all text is escaped.

Colours and strokes come from ``owner.css``, so that charts support dark mode. Each chart has a name
for screen readers, and a table with the same figures beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from tactful.annotation.analysis.overview import StepProgress
from tactful.annotation.learning.curve import Point
from tactful.annotation.state.people import Person
from tactful.pages.svg import Axis, Drawing
from tactful.words import shorten

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
    told = ", ".join(f"{getattr(figures, status):,} {status}" for status in STATUSES)
    drawing, left = Drawing(_WIDTH, 14, f"{figures.title}: {told}"), 0.0
    for status in STATUSES:
        count = getattr(figures, status)
        width = count / figures.items * _WIDTH
        if count:
            drawing.box(left, 0, width, 14, f"fill-{status}")
        left += width
    return _markup(drawing, 'class="chart" preserveAspectRatio="none"')


def interval_chart(rows: Sequence[Interval], name: str) -> Markup:
    """Draw values up to 1 with their intervals, from 0 or below."""
    if not rows:
        return Markup("")
    values = [each for row in rows for each in (row.low, row.value) if each is not None]
    low = max(-1.0, min([0.0, *values]))
    drawing = Drawing(_WIDTH, _ROW * len(rows) + 24, name)
    bottom, place = drawing.height - 20, Axis(low, 1, _LABEL, _WIDTH - 50)
    for at in (tenth / 10 for tenth in range(-10, 11, 2) if tenth / 10 >= low):
        drawing.line(place(at), 0, place(at), bottom, "grid")
        drawing.text(place(at), bottom + 16, f"{at:g}", "tick", "middle")
    for at, row in enumerate(rows):
        middle = at * _ROW + _ROW / 2
        css, left = ("name minor", 12.0) if row.indent else ("name", 0.0)
        drawing.text(left, middle + 4, shorten(row.name, longest=_LONGEST_NAME), css)
        if row.value is None:
            drawing.text(place(low) + 4, middle + 4, "undefined")
            continue
        if row.low is not None and row.high is not None:
            drawing.line(place(row.low), middle, place(row.high), middle, "whisker")
        drawing.disc(place(row.value), middle, 4.5, "point")
        drawing.text(_WIDTH, middle + 4, f"{row.value:.2f}", "value", "end")
    return _markup(drawing)


def trust_chart(people: Sequence[Person], least: float | None, name: str) -> Markup:
    """Draw the trust of people by test, with the minimum as a dashed line."""
    longest = max((len(person.history) for person in people), default=0)
    if not longest:
        return Markup("")
    drawing, left = Drawing(_WIDTH, 220, name), 40.0
    x, y = Axis(1, max(longest, 2), left, _WIDTH - 12), Axis(0, 1, 196, 10)
    for at in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawing.line(left, y(at), _WIDTH, y(at), "grid")
        drawing.text(left - 6, y(at) + 4, f"{at:.0%}", "tick", "end")
    for test in sorted({1, (longest + 1) // 2, longest}):
        anchor = "start" if test == 1 else "end" if test == longest else "middle"
        drawing.text(x(test), drawing.height - 6, f"test {test}", "tick", anchor)
    if least is not None:
        drawing.line(left, y(least), _WIDTH, y(least), "limit")
    # Removed people are drawn last, on top.
    for person in sorted(people, key=lambda each: each.status != "active"):
        points = [(x(at), y(trust)) for at, (_, trust) in enumerate(person.history, 1)]
        css, tip = f"trust {person.status}", f"{person.name}: {person.history[-1][1]:.0%}"
        if len(points) == 1:
            drawing.disc(*points[0], 3, css, tip)
        else:
            drawing.path(points, css, tip)
    return _markup(drawing)


def curve_chart(points: Sequence[Point], name: str) -> Markup:
    """Draw the score of a model by number of labels, with intervals."""
    if not points:
        return Markup("")
    drawing, left = Drawing(_WIDTH, 220, name), 40.0
    most = points[-1].labels
    x, y = Axis(0, max(most, 1), left, _WIDTH - 16), Axis(0, 1, 196, 10)
    for at in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawing.line(left, y(at), _WIDTH, y(at), "grid")
        drawing.text(left - 6, y(at) + 4, f"{at:g}", "tick", "end")
    for labels in sorted({0, most // 2, most}):
        anchor = "end" if labels == most else "middle"
        drawing.text(x(labels), drawing.height - 6, f"{labels:,}", "tick", anchor)
    for point in points:
        drawing.line(x(point.labels), y(point.low), x(point.labels), y(point.high), "whisker")
    if len(points) > 1:
        drawing.path([(x(point.labels), y(point.score)) for point in points], "trust")
    for point in points:
        tip = f"{point.labels:,} labels: {point.score:.3f}"
        drawing.disc(x(point.labels), y(point.score), 4, "point", tip)
    return _markup(drawing)


def day_chart(days: Sequence[tuple[str, int]], name: str) -> Markup:
    """Draw the answers of each day as bars."""
    most = max((count for _, count in days), default=0)
    if not most:
        return Markup("")
    drawing, bottom = Drawing(_WIDTH, 120, name), 100.0
    step = _WIDTH / len(days)
    for at, (day, count) in enumerate(days):
        tall = count / most * (bottom - 18)
        middle = at * step + step / 2
        drawing.box(at * step + 4, bottom - tall, step - 8, tall, "day")
        drawing.text(middle, bottom + 16, _day(day, at == 0), "tick", "middle")
        if count:
            drawing.text(middle, bottom - tall - 4, f"{count:,}", "value", "middle")
    return _markup(drawing, 'class="chart days"')


def _day(day: str, is_first: bool) -> str:
    """Return the day of the month, with the month where one begins."""
    at = date.fromisoformat(day)
    return f"{at.day} {at:%b}" if is_first or at.day == 1 else str(at.day)


def heat(count: int, most: int) -> int:
    """Return the colour intensity of a confusion cell, from 0 to 9."""
    return 0 if not count or not most else max(1, round(count / most * 9))


def _markup(drawing: Drawing, attributes: str = 'class="chart"') -> Markup:
    """Return a drawing for a template."""
    # A drawing escapes all words in it.
    return Markup(str(drawing).replace("<svg", f"<svg {attributes}", 1))  # noqa: S704
