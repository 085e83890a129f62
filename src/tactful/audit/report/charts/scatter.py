"""The attitude of language models against the sentiment of classifiers (section 5.3)."""

from collections.abc import Sequence

from tactful.audit.report.charts.svg import Axis, Drawing
from tactful.audit.report.words import percent, with_interval
from tactful.audit.results import Correlation
from tactful.words import counted, visible

_WIDTH, _HEIGHT = 620, 560
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 596, 26, 508

Point = tuple[str, bool, float, float]
"""A condition's name, whether it is stigmatized, its attitude and its sentiment."""


def scatter(points: Sequence[Point], correlation: Correlation) -> str:
    """Draw one mark for each condition."""
    drawing = Drawing(
        "scatter", _WIDTH, _HEIGHT, "Attitude of language models and sentiment of classifiers",
        f"One mark for each of {counted(len(points), 'condition')}: how negative language models "
        "are about it, from left to right, and how often classifiers call it negative, from bottom "
        f"to top. Correlation {with_interval(correlation.pearson)}.",
    )  # fmt: skip
    across, up = Axis(0, 1, _LEFT, _RIGHT), Axis(0, 1, _BOTTOM, _TOP)
    drawing.percent_axis(across, _TOP, _BOTTOM)
    for step in range(5):
        share = step / 4
        drawing.line(_LEFT, up(share), _RIGHT, up(share), "half" if step == 2 else "grid")
        drawing.text(_LEFT - 10, up(share) + 4, f"{round(100 * share)} %", "tick", "end")
    drawing.text(
        (_LEFT + _RIGHT) / 2, _BOTTOM + 38, "negative attitude (language models)", "label", "middle"
    )
    drawing.text(0, 10, "called negative (classifiers)", "label")
    for name, stigmatized, attitude, sentiment in points:
        tip = f"{visible(name)}: attitude {percent(attitude)}, sentiment {percent(sentiment)}"
        drawing.mark(across(attitude), up(sentiment), stigmatized, 4.4, "seen-through", tip)
    return str(drawing)
