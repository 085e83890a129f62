"""Which classes each classifier gave, group by group (figure 4 of the paper)."""

from collections.abc import Mapping, Sequence

from tactful.audit.report.charts.svg import Axis, Drawing
from tactful.audit.report.words import known, percent, shorten
from tactful.audit.results import ModelResult

CLASSES = ("negative", "neutral", "positive")
GROUPS = {"stigmatized": "stigmatized", "others": "others", "baseline": "no condition named"}
_WIDTH, _LEFT, _RIGHT = 760, 150, 738
_ROW, _TOP, _HEAD, _GAP, _BOTTOM = 27, 6, 24, 14, 24
_ROOM_FOR_NUMBER = 38


def proportions(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Draw one stacked bar for each group of each classifier."""
    rows = [[g for g in GROUPS if g in model.proportions] for model in models]
    height = _TOP + sum(_HEAD + _ROW * len(groups) + _GAP for groups in rows) + _BOTTOM
    drawing = Drawing(
        "classes", _WIDTH, height, "Which classes each classifier gave",
        "For each classifier and group the shares of sentences called negative, neutral and "
        "positive: "
        + "; ".join(
            f"{names[m.run]}, {GROUPS[g]}, {percent(m.proportions[g].get('negative'))} negative"
            for m, groups in zip(models, rows, strict=True)
            for g in groups
        )
        + ".",
    )  # fmt: skip
    axis = Axis(0, 1, _LEFT, _RIGHT)
    top: float = _TOP
    drawing.percent_axis(axis, _TOP, height - _BOTTOM)
    for model, groups in zip(models, rows, strict=True):
        drawing.text(0, top + 15, shorten(names[model.run], 100), "name back")
        top += _HEAD
        for group in groups:
            drawing.text(_LEFT - 12, top + 15, GROUPS[group], "tick", "end")
            _bar(drawing, axis, top, model.proportions[group])
            top += _ROW
        top += _GAP
    return str(drawing)


def _bar(drawing: Drawing, axis: Axis, top: float, shares: Mapping[str, float]) -> None:
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
