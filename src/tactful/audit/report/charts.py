"""The charts of the page: groups, classes, conditions, templates, and attitude by sentiment."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tactful.audit.report.words import interval, title_of, with_interval
from tactful.audit.results import ConditionResult, Correlation, Estimate, ModelResult
from tactful.pages.svg import LETTER, Axis, Drawing
from tactful.pages.text import NOT_KNOWN, decimal, known, percent
from tactful.words import counted, shorten, visible

CLASSES = ("negative", "neutral", "positive")
GROUPS = {"stigmatized": "stigmatized", "others": "others", "baseline": "no condition named"}
_WIDE, _LEFT, _RIGHT = 760, 178, 630
_WHISKER = 1.5
"""Tukey's: a whisker ends at the last point within this many box lengths."""
_GOLDEN = 0.618
_ROOM_FOR_NUMBER = 38
_ONE_COLUMN = 40
"""More rows than this are split into two drawings side by side."""
_STEPS = (0.02, 0.05, 0.1, 0.25, 0.5)
_MOST_TICKS = 9


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a ranking: a condition, its value, and an interval or the single models."""

    name: str
    stigmatized: bool
    value: float | None
    low: float | None = None
    high: float | None = None
    singles: tuple[float, ...] = ()


Point = tuple[str, bool, float, float]
"""A condition's name, whether it is stigmatized, its attitude and its sentiment."""


def mark(
    drawing: Drawing, x: float, y: float, stigmatized: bool, size: float, css: str, tip: str
) -> None:
    """Draw one condition: a disc where it is stigmatized, otherwise an open diamond."""
    draw = drawing.disc if stigmatized else drawing.diamond
    draw(x, y, size, f"{'stig' if stigmatized else 'other'} {css}".strip(), tip)


def boxplots(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Draw two boxes for each model, with every condition as a point (figure 2 of the paper)."""
    each, top, bottom = 84, 22, 26
    height = top + each * len(models) + bottom
    said = "; ".join(
        f"{names[m.run]}, stigmatized {percent(m.stigmatized.value)}, "
        f"others {percent(m.others.value)}"
        for m in models
    )
    drawing = Drawing(
        _WIDE, height, "How negative each model is, by group of conditions",
        "For each model two boxes of P(negative), from 0 to 100 per cent, one point for each "
        f"condition: {said}.",
        "boxes",
    )  # fmt: skip
    axis = Axis(0, 1, _LEFT, _RIGHT)
    drawing.text(_RIGHT + 14, 12, "difference")
    drawing.percent_axis(axis, top, height - bottom)
    for at, model in enumerate(models):
        y = top + each * at
        if at:
            drawing.line(0, y, _WIDE, y, "grid")
        drawing.text(0, y + 18, shorten(names[model.run], longest=80), "name back")
        for middle, label in ((y + 32, "stigmatized"), (y + 63, "others")):
            drawing.text(_LEFT - 12, middle + 4, label, anchor="end")
            members = [c for c in model.conditions if c.stigmatized == (label == "stigmatized")]
            _box(drawing, axis, middle, members)
        drawing.text(_RIGHT + 14, y + 42, decimal(model.gap.value), "figure")
        drawing.text(_RIGHT + 14, y + 58, interval(model.gap))
    return str(drawing)


def _box(drawing: Drawing, axis: Axis, y: float, conditions: Sequence[ConditionResult]) -> None:
    points = [(c, v) for c in conditions if (v := known(c.negative.value)) is not None]
    if not points:
        drawing.text(axis.start + 6, y + 4, NOT_KNOWN)
        return
    stigmatized = points[0][0].stigmatized
    css = "stig" if stigmatized else "other"
    values = np.array([value for _, value in points])
    first, median, third = (float(v) for v in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = _WHISKER * (third - first)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    for at, (condition, value) in enumerate(points):
        # Spread by a rule instead of at random: the same numbers give the same page.
        shift = 18 * ((at * _GOLDEN) % 1) - 9
        tip = f"{visible(condition.name)}: {percent(value)}"
        mark(drawing, axis(value), y + shift, stigmatized, 2.4, "point", tip)
    drawing.line(axis(float(inside.min())), y, axis(first), y, f"{css} whisker")
    drawing.line(axis(third), y, axis(float(inside.max())), y, f"{css} whisker")
    drawing.box(axis(first), y - 10, axis(third) - axis(first), 20, f"{css} quartiles")
    drawing.line(axis(median), y - 10, axis(median), y + 10, f"{css} median")


def proportions(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Draw one stacked bar for each group of each classifier (figure 4 of the paper)."""
    left, row, top, head, gap, bottom = 150, 27, 6, 24, 14, 24
    rows = [(m, [g for g in GROUPS if g in m.proportions]) for m in models]
    height = top + sum(head + row * len(groups) + gap for _, groups in rows) + bottom
    said = "; ".join(
        f"{names[m.run]}, {GROUPS[g]}, {percent(m.proportions[g].get('negative'))} negative"
        for m, groups in rows
        for g in groups
    )
    drawing = Drawing(
        _WIDE, height, "Which classes each classifier gave",
        "For each classifier and group the shares of sentences called negative, neutral and "
        f"positive: {said}.",
        "classes",
    )  # fmt: skip
    axis = Axis(0, 1, left, _WIDE - 22)
    drawing.percent_axis(axis, top, height - bottom)
    y: float = top
    for model, groups in rows:
        drawing.text(0, y + 15, shorten(names[model.run], longest=100), "name back")
        y += head
        for group in groups:
            drawing.text(left - 12, y + 15, GROUPS[group], anchor="end")
            _stack(drawing, axis, y, model.proportions[group])
            y += row
        y += gap
    return str(drawing)


def _stack(drawing: Drawing, axis: Axis, top: float, shares: Mapping[str, float]) -> None:
    start = 0.0
    for name in CLASSES:
        share = known(shares.get(name))
        if not share:
            continue
        left, right = axis(start), axis(start + share)
        drawing.box(left, top, right - left, 21, f"class {name}", f"{name}: {percent(share)}")
        if right - left >= _ROOM_FOR_NUMBER:
            drawing.text((left + right) / 2, top + 15, percent(share), f"on-{name}", "middle")
        start += share


def ranking(name: str, title: str, bars: Sequence[Bar], baseline: float | None) -> list[str]:
    """Draw the conditions in their order, in one drawing or two halves (figure 3 of the paper)."""
    half = (len(bars) + 1) // 2
    parts = [bars] if len(bars) <= _ONE_COLUMN else [bars[:half], bars[half:]]
    rows = max(len(part) for part in parts)
    return [
        _ranked(
            f"{name}-{at}",
            title if len(parts) == 1 else f"{title}, part {at} of {len(parts)}",
            part,
            baseline,
            rows,
        )
        for at, part in enumerate(parts, 1)
        if part
    ]


def _ranked(name: str, title: str, bars: Sequence[Bar], baseline: float | None, rows: int) -> str:
    width, axis, row, top = 600, Axis(0, 1, 266, 556), 15.5, 40
    first, last = bars[0], bars[-1]
    drawing = Drawing(
        width, top + row * rows + 24, title,
        f"{counted(len(bars), 'condition')} from {visible(first.name)} ({percent(first.value)}) to "
        f"{visible(last.name)} ({percent(last.value)}), on a scale from 0 to 100 per cent. "
        "The table below has all numbers.",
        name,
    )  # fmt: skip
    bottom = top + row * len(bars)
    drawing.percent_axis(axis, top - 6, bottom)
    drawing.text(axis(0.5), top - 10, "one half", anchor="middle")
    drawing.text(axis.end + 10, top - 10, "%")
    if baseline is not None:
        drawing.line(axis(baseline), 16, axis(baseline), bottom, "baseline")
        words = f"no condition named: {percent(baseline)}"
        half = len(words) * LETTER * 0.45
        drawing.text(min(max(axis(baseline), half), width - half), 11, words, anchor="middle")
    for at, bar in enumerate(bars):
        _bar(drawing, axis, top + row * (at + 0.5), bar)
    return str(drawing)


def _bar(drawing: Drawing, axis: Axis, y: float, bar: Bar) -> None:
    name = visible(bar.name)
    css = "stig" if bar.stigmatized else "other"
    drawing.line(axis.start, y, axis.end, y, "row")
    label = shorten(name, longest=41)
    drawing.text(axis.start - 12, y + 4, label, f"label {css}-text", "end")
    value = known(bar.value)
    if value is None:
        drawing.text(axis(0) + 4, y + 4, NOT_KNOWN)
        return
    tip = f"{name}: {percent(value)}"
    low, high = known(bar.low), known(bar.high)
    for single in bar.singles:
        drawing.line(axis(single), y - 4, axis(single), y + 4, f"{css} single")
    if low is not None and high is not None:
        drawing.line(axis(low), y, axis(high), y, f"{css} interval")
        tip += f" ({percent(low)} to {percent(high)})"
    mark(drawing, axis(value), y, bar.stigmatized, 3.6, "", tip)
    drawing.text(axis.end + 10, y + 4, str(round(100 * value)))


def scatter(points: Sequence[Point], correlation: Correlation) -> str:
    """Draw the attitude of language models against the sentiment of classifiers (section 5.3)."""
    across, up = Axis(0, 1, 62, 596), Axis(0, 1, 508, 26)
    drawing = Drawing(
        620, 560, "Attitude of language models and sentiment of classifiers",
        f"One mark for each of {counted(len(points), 'condition')}: how negative language models "
        "are about it, from left to right, and how often classifiers call it negative, from bottom "
        f"to top. Correlation {with_interval(correlation.pearson)}.",
        "scatter",
    )  # fmt: skip
    drawing.percent_axis(across, up.end, up.start)
    for step in range(5):
        y = up(step / 4)
        drawing.line(across.start, y, across.end, y, "half" if step == 2 else "grid")
        drawing.text(across.start - 10, y + 4, f"{25 * step} %", anchor="end")
    middle = (across.start + across.end) / 2
    drawing.text(middle, up.start + 38, "negative attitude (language models)", "label", "middle")
    drawing.text(0, 10, "called negative (classifiers)", "label")
    for name, stigmatized, attitude, sentiment in points:
        tip = f"{visible(name)}: attitude {percent(attitude)}, sentiment {percent(sentiment)}"
        mark(drawing, across(attitude), up(sentiment), stigmatized, 4.4, "seen-through", tip)
    return str(drawing)


def gaps(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Draw the difference of the groups in each template, below that of all templates."""
    row, head, space, top, bottom = 19, 26, 8, 8, 26
    height = top + sum(head + row * (1 + len(m.templates)) + space for m in models) + bottom
    said = "; ".join(
        f"{names[m.run]}: all templates {with_interval(m.gap)}, "
        + ", ".join(f"{title_of(t.template)} {decimal(t.gap.value)}" for t in m.templates)
        for m in models
    )
    drawing = Drawing(
        _WIDE, height, "The difference between the groups in each template",
        f"Stigmatized minus others with intervals: {said}.",
        "gaps",
    )  # fmt: skip
    axis, step = _gap_axis([e for m in models for e in (m.gap, *(t.gap for t in m.templates))])
    for at in range(round(axis.low / step), round(axis.high / step) + 1):
        x = axis(at * step)
        drawing.line(x, top, x, height - bottom, "half" if at == 0 else "grid")
        label = decimal(at * step) if at else "0"
        drawing.text(x, height - bottom + 14, label, anchor="middle")
    y: float = top
    for model in models:
        drawing.text(0, y + 16, shorten(names[model.run], longest=100), "name back")
        y += head
        _gap_row(drawing, axis, y + row / 2, "all templates", model.gap, first=True)
        for template in model.templates:
            y += row
            _gap_row(drawing, axis, y + row / 2, title_of(template.template), template.gap)
        y += row + space
    return str(drawing)


def _gap_axis(estimates: Sequence[Estimate]) -> tuple[Axis, float]:
    """Return an axis that holds all values and zero, and the step of its lines."""
    numbers = [
        v for e in estimates for each in (e.value, e.low, e.high) if (v := known(each)) is not None
    ]
    low, high = min([0.0, *numbers]), max([0.1, *numbers])
    step = next((s for s in _STEPS if (high - low) / s <= _MOST_TICKS), _STEPS[-1])
    return Axis(step * math.floor(low / step), step * math.ceil(high / step), _LEFT, _RIGHT), step


def _gap_row(
    drawing: Drawing, axis: Axis, y: float, label: str, gap: Estimate, *, first: bool = False
) -> None:
    css = "label" if first else "tick"
    drawing.text(_LEFT - 12, y + 4, shorten(label, longest=26), css, "end")
    value, low, high = known(gap.value), known(gap.low), known(gap.high)
    if value is None:
        drawing.text(_RIGHT + 14, y + 4, NOT_KNOWN)
        return
    if low is not None and high is not None:
        drawing.line(axis(low), y, axis(high), y, "stig interval")
    tip = f"{label}: {with_interval(gap)}"
    mark(drawing, axis(value), y, True, 5 if first else 3.6, "", tip)
    drawing.text(_RIGHT + 14, y + 4, decimal(value), "figure" if first else "tick")
    drawing.text(_RIGHT + 58, y + 4, interval(gap))
