"""All conditions, the most negative first, with their intervals (figure 3 of the paper)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tactful.audit.report.charts.svg import LETTER, Axis, Drawing
from tactful.audit.report.words import NOT_KNOWN, known, percent, shorten
from tactful.words import counted, visible

_WIDTH, _LEFT, _RIGHT = 600, 266, 556
_ROW, _TOP, _BOTTOM = 15.5, 40, 24
_ONE_COLUMN = 40
"""More rows than this stand in two drawings side by side."""
_LONGEST = 41


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a condition, its value, and an interval or the values of single models."""

    name: str
    stigmatized: bool
    value: float | None
    low: float | None = None
    high: float | None = None
    singles: tuple[float, ...] = ()


def ranking(name: str, title: str, bars: Sequence[Bar], baseline: float | None) -> list[str]:
    """Draw the rows in their order, in one drawing or in two halves."""
    half = (len(bars) + 1) // 2
    parts = [bars] if len(bars) <= _ONE_COLUMN else [bars[:half], bars[half:]]
    rows = max(len(part) for part in parts)
    return [
        _part(f"{name}-{at}", _part_title(title, at, len(parts)), part, baseline, rows)
        for at, part in enumerate(parts, 1)
        if part
    ]


def _part_title(title: str, at: int, parts: int) -> str:
    return title if parts == 1 else f"{title}, part {at} of {parts}"


def _part(name: str, title: str, bars: Sequence[Bar], baseline: float | None, rows: int) -> str:
    height = _TOP + _ROW * rows + _BOTTOM
    first, last = bars[0], bars[-1]
    drawing = Drawing(
        name, _WIDTH, height, title,
        f"{counted(len(bars), 'condition')} from {visible(first.name)} ({percent(first.value)}) to "
        f"{visible(last.name)} ({percent(last.value)}), on a scale from 0 to 100 per cent. "
        "The table below holds all numbers.",
    )  # fmt: skip
    axis = Axis(0, 1, _LEFT, _RIGHT)
    bottom = _TOP + _ROW * len(bars)
    drawing.percent_axis(axis, _TOP - 6, bottom)
    drawing.text(axis(0.5), _TOP - 10, "one half", "tick", "middle")
    drawing.text(_RIGHT + 10, _TOP - 10, "%", "tick")
    _baseline(drawing, axis, baseline, bottom)
    for at, bar in enumerate(bars):
        _row(drawing, axis, _TOP + _ROW * (at + 0.5), bar)
    return str(drawing)


def _baseline(drawing: Drawing, axis: Axis, baseline: float | None, bottom: float) -> None:
    if baseline is None:
        return
    x = axis(baseline)
    drawing.line(x, 16, x, bottom, "baseline")
    words = f"no condition named: {percent(baseline)}"
    half = len(words) * LETTER * 0.45
    at = min(max(x, half), _WIDTH - half)
    drawing.text(at, 11, words, "tick", "middle")


def _row(drawing: Drawing, axis: Axis, y: float, bar: Bar) -> None:
    name = visible(bar.name)
    css = "stig" if bar.stigmatized else "other"
    drawing.line(_LEFT, y, _RIGHT, y, "row")
    drawing.text(_LEFT - 12, y + 4, shorten(name, _LONGEST), f"label {css}-text", "end")
    value = known(bar.value)
    if value is None:
        drawing.text(axis(0) + 4, y + 4, NOT_KNOWN, "tick")
        return
    tip = f"{name}: {percent(value)}"
    low, high = known(bar.low), known(bar.high)
    for single in bar.singles:
        drawing.line(axis(single), y - 4, axis(single), y + 4, f"{css} single")
    if low is not None and high is not None:
        drawing.line(axis(low), y, axis(high), y, f"{css} interval")
        tip += f" ({percent(low)} to {percent(high)})"
    drawing.mark(axis(value), y, bar.stigmatized, 3.6, tip=tip)
    drawing.text(_RIGHT + 10, y + 4, str(round(100 * value)), "tick")
