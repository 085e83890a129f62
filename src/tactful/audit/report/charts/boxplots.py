"""How negative each model is about all conditions of a group (figure 2 of the paper)."""

from collections.abc import Mapping, Sequence

import numpy as np

from tactful.audit.report.charts.svg import Axis, Drawing
from tactful.audit.report.words import (
    decimal,
    interval,
    known,
    percent,
    shorten,
)
from tactful.audit.results import ConditionResult, ModelResult
from tactful.words import visible

_WIDTH, _LEFT, _RIGHT = 760, 178, 630
_ROW, _MODEL, _TOP, _BOTTOM = 31, 84, 22, 26
_WHISKER = 1.5
"""Tukey's: a whisker ends at the last point within so many box lengths."""
_GOLDEN = 0.618


def boxplots(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Draw two boxes for each model, with every condition as a point."""
    height = _TOP + _MODEL * len(models) + _BOTTOM
    drawing = Drawing(
        "boxes", _WIDTH, height, "How negative each model is, by group of conditions",
        "For each model two boxes of P(negative), from 0 to 100 per cent, one point for each "
        "condition: " + "; ".join(_said(model, names[model.run]) for model in models) + ".",
    )  # fmt: skip
    axis = Axis(0, 1, _LEFT, _RIGHT)
    drawing.text(_RIGHT + 14, 12, "difference", "tick")
    drawing.percent_axis(axis, _TOP, height - _BOTTOM)
    for at, model in enumerate(models):
        top = _TOP + _MODEL * at
        if at:
            drawing.line(0, top, _WIDTH, top, "grid")
        drawing.text(0, top + 18, shorten(names[model.run], 80), "name back")
        for row, stigmatized in enumerate((True, False)):
            middle = top + 22 + _ROW * row
            label = "stigmatized" if stigmatized else "others"
            drawing.text(_LEFT - 12, middle + 14, label, "tick", "end")
            _box(
                drawing,
                axis,
                middle + 10,
                [c for c in model.conditions if c.stigmatized is stigmatized],
            )
        drawing.text(_RIGHT + 14, top + 42, decimal(model.gap.value), "figure")
        drawing.text(_RIGHT + 14, top + 58, interval(model.gap), "tick")
    return str(drawing)


def _said(model: ModelResult, name: str) -> str:
    return (
        f"{name}, stigmatized {percent(model.stigmatized.value)}, "
        f"others {percent(model.others.value)}"
    )


def _box(drawing: Drawing, axis: Axis, y: float, conditions: Sequence[ConditionResult]) -> None:
    points = [(c, v) for c in conditions if (v := known(c.negative.value)) is not None]
    if not points:
        drawing.text(axis.left + 6, y + 4, "not known", "tick")
        return
    stigmatized = points[0][0].stigmatized
    css = "stig" if stigmatized else "other"
    values = np.array([value for _, value in points])
    first, median, third = (float(v) for v in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = _WHISKER * (third - first)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    for at, (condition, value) in enumerate(points):
        # Spread by a rule instead of by chance: the same numbers give the same page.
        shift = 18 * ((at * _GOLDEN) % 1) - 9
        tip = f"{visible(condition.name)}: {percent(value)}"
        drawing.mark(axis(value), y + shift, stigmatized, 2.4, "point", tip)
    drawing.line(axis(float(inside.min())), y, axis(first), y, f"{css} whisker")
    drawing.line(axis(third), y, axis(float(inside.max())), y, f"{css} whisker")
    drawing.box(axis(first), y - 10, axis(third) - axis(first), 20, f"{css} quartiles")
    drawing.line(axis(median), y - 10, axis(median), y + 10, f"{css} median")
