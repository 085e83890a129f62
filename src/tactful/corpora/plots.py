"""Drawing statistics as PNG or SVG (extra ``plot``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.corpora.stats import Chart, Stat
from tactful.figures import COLOURS, INK, figure_file, or_gap, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator


def write_plot(stat: Stat, path: Path, force: bool = False) -> None:
    """Draw the chart of a statistic; the ending of the file's name chooses the format."""
    if stat.chart is None:
        raise ValueError(f"{stat.id} has no chart")
    with figure_file(path, _size(stat.chart), force) as figure:
        axes = figure.subplots()
        kinds = {"bars": _bars, "lines": _lines, "heatmap": _heatmap}
        draw = kinds[stat.chart.kind] if _known(stat.chart) else _nothing
        draw(axes, stat.chart)
        set_title(axes, stat.title)
        figure.supxlabel(stat.source, x=0.01, ha="left", fontsize=7, color="#6b7785")


def _size(chart: Chart) -> tuple[float, float]:
    if chart.kind == "heatmap":
        return max(6.0, 3.2 + 0.62 * len(chart.positions)), 1.8 + 0.34 * len(chart.series)
    if chart.kind == "bars":
        bars = len(chart.positions) * max(len(chart.series), 1)
        # A label along the axis needs the room of its words.
        return 7.5, max(1.6 + 0.22 * bars, 1.8 + 0.07 * len(chart.x_label))
    return 7.5, 4.5


def _nothing(axes: "Axes", chart: Chart) -> None:
    """Say that there are no values, where an empty frame would leave one guessing."""
    axes.set_axis_off()
    axes.text(0.0, 0.5, "There are no values to draw.", transform=axes.transAxes)


def _bars(axes: "Axes", chart: Chart) -> None:
    """Draw bars lying down, so that long names can be read."""
    count = max(len(chart.series), 1)
    height = 0.8 / count
    for at, (name, values) in enumerate(chart.series.items()):
        places = [i + (at - (count - 1) / 2) * height for i in range(len(chart.positions))]
        drawn = [0.0 if value is None else value for value in values]
        bars = axes.barh(places, drawn, height * 0.9, label=name, color=COLOURS[at % 8])
        texts = ["" if value is None else f"{value:,g}" for value in values]
        axes.bar_label(bars, texts, padding=3, fontsize=7)
    axes.set_yticks(range(len(chart.positions)), [str(name) for name in chart.positions])
    axes.invert_yaxis()
    axes.margins(x=0.12)
    if not any(_known(chart)):
        axes.set_xlim(0, 1)
    axes.xaxis.set_major_locator(_ticks(_known(chart)))
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.set_xlabel(chart.y_label)
    axes.set_ylabel(chart.x_label)
    if count > 1:
        axes.figure.legend(loc="outside upper right", frameon=False, ncols=count)


def _lines(axes: "Axes", chart: Chart) -> None:
    styles = ("-", "--")
    for at, (name, values) in enumerate(chart.series.items()):
        axes.plot(
            _numbers(chart.positions),
            _numbers(values),
            styles[at // 4 % 2],
            label=name,
            color=COLOURS[at % 8],
            linewidth=1.6,
        )
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    axes.set_ylim(bottom=0)
    axes.figure.legend(loc="outside right upper", frameon=False, fontsize=8)


def _heatmap(axes: "Axes", chart: Chart) -> None:
    cells = [_numbers(row) for row in chart.series.values()]
    known = _known(chart)
    signed = any(value < 0 for value in known)
    top = max((abs(value) for value in known), default=1) or 1
    image = axes.imshow(
        cells,
        aspect="auto",
        cmap="RdBu_r" if signed else "Blues",
        vmin=-top if signed else 0,
        vmax=top,
    )
    axes.set_xticks(
        range(len(chart.positions)),
        [str(p) for p in chart.positions],
        rotation=40,
        ha="right",
        rotation_mode="anchor",
    )
    axes.set_yticks(range(len(chart.series)), list(chart.series))
    axes.set_xlabel(chart.x_label)
    axes.spines[:].set_visible(False)
    for y, row in enumerate(chart.series.values()):
        for x, value in enumerate(row):
            if value is not None:
                dark = abs(value) > 0.6 * top
                axes.text(
                    x,
                    y,
                    f"{value:g}",
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="white" if dark else INK,
                )
    axes.figure.colorbar(image, ax=axes, shrink=0.8, ticks=_ticks(known))


def _known(chart: Chart) -> list[float]:
    return [value for row in chart.series.values() for value in row if value is not None]


def _ticks(values: Sequence[float]) -> "Locator":
    """Choose where an axis has ticks: there is no half of a counted thing."""
    from matplotlib.ticker import MaxNLocator

    whole = all(float(value).is_integer() for value in values)
    return MaxNLocator(8, steps=[1, 2, 2.5, 5, 10], integer=whole)


def _numbers(values: Sequence[Any]) -> list[float]:
    return [or_gap(value) for value in values]
