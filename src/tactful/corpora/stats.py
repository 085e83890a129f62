"""A table or figure of a paper, computed from the user's own files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Chart:
    """How a statistic is drawn: named series over shared positions."""

    kind: Literal["bars", "lines", "heatmap"]
    positions: Sequence[str] | Sequence[float]
    series: Mapping[str, Sequence[float | None]]
    x_label: str = ""
    y_label: str = ""


@dataclass(frozen=True, slots=True)
class Stat:
    """One table or figure: its cells, and what the paper says they should be."""

    id: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    chart: Chart | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the statistic as plain data, for JSON."""
        return asdict(self)


def here_and_paper(
    positions: Sequence[str],
    rows: Sequence[Sequence[Any]],
    here: int,
    paper: int,
    y_label: str,
) -> Chart:
    """Draw two columns of a table as bars: our number beside the paper's."""
    series = {"here": [row[here] for row in rows], "paper": [row[paper] for row in rows]}
    return Chart("bars", positions, series, y_label=y_label)


def percent(part: float, whole: float) -> float | None:
    """Return a percentage rounded to two places; of nothing there is none."""
    return round(100 * part / whole, 2) if whole else None
