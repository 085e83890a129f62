"""The difference of the groups, template by template: does it hang on the wording?"""

import math
from collections.abc import Mapping, Sequence

from tactful.audit.report.charts.svg import Axis, Drawing
from tactful.audit.report.words import decimal, interval, known, shorten, title_of, with_interval
from tactful.audit.results import Estimate, ModelResult

_WIDTH, _LEFT, _RIGHT = 760, 178, 630
_ROW, _HEAD, _GAP, _TOP, _BOTTOM = 19, 26, 8, 8, 26
_STEPS = (0.02, 0.05, 0.1, 0.25, 0.5)
_MOST_TICKS = 9


def gaps(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Draw a row for each template of each model, below the row of all its templates."""
    height = _TOP + sum(_HEAD + _ROW * (1 + len(m.templates)) + _GAP for m in models) + _BOTTOM
    drawing = Drawing(
        "gaps", _WIDTH, height, "The difference of the groups in each template",
        "Stigmatized minus others with intervals: "
        + "; ".join(
            f"{names[m.run]}: all templates {with_interval(m.gap)}, "
            + ", ".join(f"{title_of(t.template)} {decimal(t.gap.value)}" for t in m.templates)
            for m in models
        )
        + ".",
    )  # fmt: skip
    axis, step = _axis([e for m in models for e in (m.gap, *(t.gap for t in m.templates))])
    _grid(drawing, axis, step, height - _BOTTOM)
    top: float = _TOP
    for model in models:
        drawing.text(0, top + 16, shorten(names[model.run], 100), "name back")
        top += _HEAD
        rows = [
            ("all templates", model.gap),
            *((title_of(t.template), t.gap) for t in model.templates),
        ]
        for at, (label, gap) in enumerate(rows):
            _row(drawing, axis, top + _ROW / 2, label, gap, first=not at)
            top += _ROW
        top += _GAP
    return str(drawing)


def _axis(estimates: Sequence[Estimate]) -> tuple[Axis, float]:
    """Return an axis that holds all values and nought, and the step of its lines."""
    numbers = [
        v for e in estimates for each in (e.value, e.low, e.high) if (v := known(each)) is not None
    ]
    low, high = min([0.0, *numbers]), max([0.1, *numbers])
    step = next((s for s in _STEPS if (high - low) / s <= _MOST_TICKS), _STEPS[-1])
    return Axis(step * math.floor(low / step), step * math.ceil(high / step), _LEFT, _RIGHT), step


def _grid(drawing: Drawing, axis: Axis, step: float, bottom: float) -> None:
    for at in range(round(axis.low / step), round(axis.high / step) + 1):
        x = axis(at * step)
        drawing.line(x, _TOP, x, bottom, "half" if at == 0 else "grid")
        drawing.text(x, bottom + 14, decimal(at * step) if at else "0", "tick", "middle")


def _row(drawing: Drawing, axis: Axis, y: float, label: str, gap: Estimate, *, first: bool) -> None:
    drawing.text(_LEFT - 12, y + 4, shorten(label, 26), "label" if first else "tick", "end")
    value, low, high = known(gap.value), known(gap.low), known(gap.high)
    if value is None:
        drawing.text(_RIGHT + 14, y + 4, "not known", "tick")
        return
    if low is not None and high is not None:
        drawing.line(axis(low), y, axis(high), y, "stig interval")
    drawing.mark(axis(value), y, True, 5 if first else 3.6, tip=f"{label}: {with_interval(gap)}")
    drawing.text(_RIGHT + 14, y + 4, decimal(value), "figure" if first else "tick")
    drawing.text(_RIGHT + 58, y + 4, interval(gap), "tick")
