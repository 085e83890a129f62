"""How Tactful draws (extra ``plot``): one style, and files that are whole and always the same."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.errors import MissingExtraError, UsageError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
INK = "#22303c"
FAINT = "#9aa5b1"
COLOURS = ("#2f6f8f", "#e0a43a", "#7a4f9a", "#4f9a6b", "#c4553d", "#8a8f98", "#1b3a4b", "#b58db6")
_EDGE = 0.12
"""The white margin, in inches."""
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    # Names come from the user's files: a dollar sign in one is not a formula.
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "tactful",
}


def check_figure(path: Path) -> None:
    """Refuse what cannot be drawn, before anything is computed."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"{path}: found the ending '{path.suffix}'; expected {' or '.join(FORMATS)}."
        )
    try:
        import matplotlib.figure
        import matplotlib.layout_engine  # noqa: F401
    except ImportError:
        raise MissingExtraError("plot", "Drawing figures") from None


@contextmanager
def figure_file(path: Path, size: tuple[float, float], force: bool = False) -> Iterator["Figure"]:
    """Give an empty figure to draw on; it is written when the block ends well."""
    check_figure(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context(_STYLE):
        layout = ConstrainedLayoutEngine(w_pad=_EDGE, h_pad=_EDGE)
        figure = Figure(figsize=size, layout=layout, dpi=150)
        yield figure
        with atomic_path(path, force) as temporary:
            kind = path.suffix.lstrip(".").lower()
            # No date in the file: the same numbers give the same bytes.
            metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
            with warnings.catch_warnings():
                # A name in a script that the font lacks is drawn as boxes, which says enough.
                warnings.filterwarnings("ignore", message="Glyph .* missing from")
                figure.savefig(temporary, format=kind, metadata=metadata)


def set_title(axes: "Axes", title: str) -> None:
    """Write the title of a drawing, at the left."""
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold")


def or_gap(value: float | None) -> float:
    """Return a float; what is not known is drawn as a gap."""
    return float("nan") if value is None else float(value)
