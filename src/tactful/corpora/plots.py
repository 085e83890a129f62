"""Drawing statistics as PNG or SVG (extra ``plot``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.corpora.stats import Chart, Stat
from tactful.errors import MissingExtraError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK = "#22303c"
_COLOURS = ("#2f6f8f", "#e0a43a", "#7a4f9a", "#4f9a6b", "#c4553d", "#8a8f98", "#1b3a4b", "#b58db6")
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": "#9aa5b1",
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "text.color": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "tactful",
}


def write_plot(stat: Stat, path: Path, force: bool = False) -> None:
    """Draw the chart of a statistic; the ending of the file's name chooses the format."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plot", "Drawing figures") from None
    if stat.chart is None:
        raise ValueError(f"{stat.id} has no chart")
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=_size(stat.chart), layout="constrained", dpi=150)
        axes = figure.subplots()
        {"bars": _bars, "lines": _lines, "heatmap": _heatmap}[stat.chart.kind](axes, stat.chart)
        axes.set_title(stat.title, loc="left", fontsize=11, fontweight="bold")
        figure.supxlabel(stat.source, x=0.01, ha="left", fontsize=7, color="#6b7785")
        with atomic_path(path, force) as temporary:
            # No date in the file: the same numbers give the same bytes.
            kind = path.suffix.lstrip(".").lower()
            metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(temporary, format=kind, metadata=metadata)


def _size(chart: Chart) -> tuple[float, float]:
    if chart.kind == "heatmap":
        return 3.2 + 0.62 * len(chart.positions), 1.8 + 0.34 * len(chart.series)
    if chart.kind == "bars":
        return 7.5, 1.6 + 0.22 * len(chart.positions) * max(len(chart.series), 1)
    return 7.5, 4.5


def _bars(axes: "Axes", chart: Chart) -> None:
    """Draw bars lying down, so that long names can be read."""
    count = max(len(chart.series), 1)
    height = 0.8 / count
    for at, (name, values) in enumerate(chart.series.items()):
        places = [i + (at - (count - 1) / 2) * height for i in range(len(chart.positions))]
        drawn = [0.0 if value is None else value for value in values]
        bars = axes.barh(places, drawn, height * 0.9, label=name, color=_COLOURS[at % 8])
        texts = ["" if value is None else f"{value:,g}" for value in values]
        axes.bar_label(bars, texts, padding=3, fontsize=7)
    axes.set_yticks(range(len(chart.positions)), [str(name) for name in chart.positions])
    axes.invert_yaxis()
    axes.margins(x=0.12)
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
            color=_COLOURS[at % 8],
            linewidth=1.6,
        )
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    axes.set_ylim(bottom=0)
    axes.figure.legend(loc="outside right upper", frameon=False, fontsize=8)


def _heatmap(axes: "Axes", chart: Chart) -> None:
    nothing = float("nan")
    cells = [[nothing if v is None else v for v in row] for row in chart.series.values()]
    known = [v for row in chart.series.values() for v in row if v is not None]
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
                    color="white" if dark else _INK,
                )
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def _numbers(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values]
