"""Drawing agreement as PNG or SVG (extra ``plot``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.agreement.answer import Agreement
from tactful.agreement.curve import Curve
from tactful.figures import COLOURS, FAINT, INK, figure_file, or_gap, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_curves(curves: Mapping[str, Curve], path: Path, force: bool = False) -> None:
    """Draw each curve over the threshold of trust, with its interval where it has one."""
    with figure_file(path, (7.5, 4.5), force) as figure:
        axes = figure.subplots()
        for at, (name, curve) in enumerate(curves.items()):
            colour, style = COLOURS[at % 8], ("-", "--")[at // 8 % 2]
            values = [or_gap(answer.value) for answer in curve.answers]
            axes.plot(
                curve.thresholds, values, style, label=name, color=colour, marker="o", markersize=3
            )
            ends = [answer.interval or (None, None) for answer in curve.answers]
            low, high = ([or_gap(end[side]) for end in ends] for side in (0, 1))
            axes.fill_between(curve.thresholds, low, high, color=colour, alpha=0.12, linewidth=0)
        axes.set_xlabel("trust that an annotator must have")
        axes.set_ylabel(next(iter(curves.values())).answers[0].name)
        if len(curves) > 1:
            figure.legend(loc="outside right upper", frameon=False, fontsize=8)
        set_title(axes, "Agreement by trust")


def draw_bars(blocks: Mapping[str, Sequence[Agreement]], path: Path, force: bool = False) -> None:
    """Draw every coefficient of every question as a bar lying down, with its interval."""
    series = list(dict.fromkeys(answer.name for answers in blocks.values() for answer in answers))
    size = (7.5, 2.2 + 0.2 * len(blocks) * max(len(series), 1))
    with figure_file(path, size, force) as figure:
        axes = figure.subplots()
        height = 0.8 / max(len(series), 1)
        for at, name in enumerate(series):
            for row, answers in enumerate(blocks.values()):
                for answer in answers:
                    if answer.name == name:
                        place = row + (at - (len(series) - 1) / 2) * height
                        _bar(axes, place, height, answer, COLOURS[at % 8], row == 0)
        axes.set_yticks(range(len(blocks)), list(blocks))
        axes.invert_yaxis()
        axes.set_xlim(right=1)
        axes.axvline(0, color=FAINT, linewidth=0.8)
        figure.legend(loc="outside lower left", frameon=False, fontsize=8, ncols=3)
        set_title(axes, "Agreement")


def _bar(
    axes: "Axes", place: float, height: float, answer: Agreement, colour: str, named: bool
) -> None:
    value = 0.0 if answer.value is None else answer.value
    # A name that starts with an underscore is left out of the legend: each coefficient once.
    label = answer.name if named else f"_{answer.name}"
    axes.barh(place, value, height * 0.9, color=colour, label=label)
    if answer.value is None:
        axes.text(0.01, place, "undefined", va="center", fontsize=7)
    if answer.interval is not None:
        axes.plot(answer.interval, (place, place), color=INK, linewidth=1)
