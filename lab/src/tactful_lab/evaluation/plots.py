"""Curves: those of ``tactful evaluate scores --plot``, and ROC curves of a reproduced table."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tactful.figures import COLOURS, FAINT, figure_file, set_title
from tactful.metrics import precision_recall_curve, reliability_bins, roc_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def write_curves(gold: Any, systems: dict[str, Any], path: Path, force: bool = False) -> None:
    """Draw the three curves of each system side by side."""
    with figure_file(path, (11, 4), force) as figure:
        roc, recall, reliability = figure.subplots(1, 3)
        for colour, (name, scores) in zip(COLOURS, systems.items(), strict=False):
            _draw(roc, roc_curve, gold, scores, name, colour)
            _draw(recall, precision_recall_curve, gold, scores, name, colour)
            bins = reliability_bins(gold, scores, bins=10)
            reliability.plot(
                [each.score for each in bins],
                [each.positive for each in bins],
                marker="o",
                label=name,
                color=colour,
            )
        _dress(roc, "ROC curve", "false positive rate", "true positive rate", diagonal=True)
        _dress(recall, "Precision and recall", "recall", "precision", diagonal=False)
        _dress(reliability, "Reliability", "mean score", "share of positives", diagonal=True)
        figure.legend(*reliability.get_legend_handles_labels(), loc="outside lower center", ncols=2)


Systems = Mapping[str, tuple[Any, Any]]
"""Gold and scores of each system; systems need not be measured on the same items."""
_COLUMNS = 4


def write_roc_curves(panels: Mapping[str, Systems], path: Path, force: bool = False) -> None:
    """Draw the ROC curves of several systems, a panel for each label."""
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    names = list(dict.fromkeys(name for systems in panels.values() for name in systems))
    colours = {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(names)}
    with figure_file(path, (3.2 * columns, 3.3 * rows + 0.6), force) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).flat
        drawn: dict[Any, Any] = {}
        for axes, (title, systems) in zip(grid, panels.items(), strict=False):
            for name, (gold, scores) in systems.items():
                _draw(axes, roc_curve, gold, scores, name, colours[name])
            _dress(axes, title, "false positive rate", "true positive rate", diagonal=True)
            handles, labels = axes.get_legend_handles_labels()
            drawn |= dict(zip(labels, handles, strict=True))
        for axes in list(figure.axes)[len(panels) :]:
            axes.set_axis_off()
        figure.legend(list(drawn.values()), list(drawn), loc="outside lower center", ncols=4)


def _draw(axes: "Axes", curve: Any, gold: Any, scores: Any, name: str, colour: str) -> None:
    if len(np.unique(gold)) < 2:
        axes.text(0.5, 0.5, "undefined:\ngold has one class", ha="center", va="center")
        return
    points = curve(gold, scores)
    # Between two thresholds precision holds, and does not slide: average precision adds up steps.
    steps = "steps-pre" if curve is precision_recall_curve else "default"
    axes.plot(points.x, points.y, drawstyle=steps, label=name, color=colour, linewidth=1.6)


def _dress(axes: "Axes", title: str, x_label: str, y_label: str, diagonal: bool) -> None:
    if diagonal:
        axes.plot([0, 1], [0, 1], color=FAINT, linestyle=":", linewidth=1)
    axes.set(xlabel=x_label, ylabel=y_label, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    set_title(axes, title)
