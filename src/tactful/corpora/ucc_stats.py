"""Table 1 and figures 2 and 4 of the Unhealthy Comment Corpus."""

import numpy as np
import polars as pl

from tactful.corpora.stats import Chart, Stat, percent
from tactful.words import counted

NAMES = {
    "antagonistic": "Antagonistic/Insulting/Trolling",
    "condescending": "Condescending/Patronising",
    "dismissive": "Dismissive",
    "generalisation": "Generalisation",
    "generalisation_unfair": "(Unfair) Generalisation",
    "hostile": "Hostile",
    "sarcastic": "Sarcastic",
    "unhealthy": "Unhealthy",
}
PAPER_PERCENT = {
    "antagonistic": 4.7,
    "condescending": 5.5,
    "dismissive": 3.1,
    "generalisation_unfair": 2.0,
    "hostile": 2.5,
    "sarcastic": 4.3,
    "unhealthy": 7.5,
}
SIX_ATTRIBUTES = [name for name in PAPER_PERCENT if name != "unhealthy"]
"""The paper's six: its generalisation is the unfair one (section 1)."""
_GRID = np.linspace(0.5, 1.0, 101)


def ucc_stats(comments: pl.DataFrame) -> list[Stat]:
    """Compute proportions, confidence densities and correlations."""
    frame = comments.with_columns(
        (1 - pl.col("healthy")).alias("unhealthy"),
        pl.col("healthy_confidence").alias("unhealthy_confidence"),
    )
    return [_table_1(frame), *_figure_2(frame), _figure_4(frame)]


def _table_1(frame: pl.DataFrame) -> Stat:
    rows = []
    for name, title in NAMES.items():
        positive = int(frame[name].sum())
        rows.append((title, positive, percent(positive, frame.height), PAPER_PERCENT.get(name)))
    return Stat(
        "table-1",
        "Share of comments with each attribute",
        "Price et al. 2020, table 1",
        ("attribute", "comments", "percent", "paper percent"),
        tuple(rows),
        (
            f"{counted(frame.height, 'comment')}.",
            "The corpus splits the paper's one generalisation row in two: any, and unfair.",
        ),
        Chart(
            "bars",
            list(NAMES.values()),
            {
                "here": [row[2] for row in rows],
                "paper": [row[3] for row in rows],
            },
            y_label="percent of comments",
        ),
    )


def _figure_2(frame: pl.DataFrame) -> list[Stat]:
    """Densities of the confidence, for comments labelled no (2a) and yes (2b)."""
    stats = []
    for figure, value, word in (("figure-2a", 0, "no"), ("figure-2b", 1, "yes")):
        rows, curves = [], {}
        for name, title in NAMES.items():
            confidence = frame.filter(pl.col(name) == value)[f"{name}_confidence"].to_numpy()
            if not confidence.size:
                rows.append((title, 0, None, None, None))
                continue
            low, middle, high = np.quantile(confidence, [0.25, 0.5, 0.75]).round(4).tolist()
            rows.append((title, confidence.size, low, middle, high))
            curves[title] = density(confidence, _GRID).round(4).tolist()
        stats.append(
            Stat(
                figure,
                f"Confidence of comments labelled '{word}'",
                f"Price et al. 2020, {figure.replace('-', ' ')}",
                ("attribute", "comments", "lower quartile", "median", "upper quartile"),
                tuple(rows),
                ("Gaussian kernel density; bandwidth by Scott's rule, at least 0.01.",),
                Chart("lines", _GRID.round(4).tolist(), curves, "confidence", "density"),
            )
        )
    return stats


def density(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Estimate a density on a grid with Gaussian kernels (Rosenblatt 1956).

    Scott's bandwidth, with a floor: where nearly all confidences are 1 it would be zero.
    """
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    bandwidth = max(spread * values.size ** (-1 / 5), 0.01)
    # Confidences repeat a lot: weigh the distinct ones rather than every comment.
    points, weights = np.unique(values, return_counts=True)
    scaled = (grid[:, None] - points[None, :]) / bandwidth
    kernels: np.ndarray = np.exp(-0.5 * scaled**2) / (bandwidth * np.sqrt(2 * np.pi))
    mean: np.ndarray = (kernels * weights).sum(axis=1) / values.size
    return mean


def _figure_4(frame: pl.DataFrame) -> Stat:
    """Correlations among the comments that have at least one of the six attributes."""
    pool = frame.filter(pl.any_horizontal([pl.col(name) == 1 for name in SIX_ATTRIBUTES]))
    names = list(NAMES)
    cells = [[_correlation(pool, a, b) for b in names] for a in names]
    notes = [
        f"{counted(pool.height, 'comment')} with at least one of the six attributes; Pearson's r.",
        "The paper adds the 'toxicity' of the Perspective API, which is not in the corpus.",
    ]
    if any(cell is None for row in cells for cell in row):
        notes.append("An empty cell: one of the two is the same for all these comments.")
    return Stat(
        "figure-4",
        "Correlations between attributes",
        "Price et al. 2020, figure 4",
        ("attribute", *names),
        tuple((NAMES[name], *row) for name, row in zip(names, cells, strict=True)),
        tuple(notes),
        Chart(
            "heatmap",
            list(NAMES.values()),
            {NAMES[name]: row for name, row in zip(names, cells, strict=True)},
        ),
    )


def _correlation(pool: pl.DataFrame, first: str, second: str) -> float | None:
    a, b = pool[first].to_numpy().astype(float), pool[second].to_numpy().astype(float)
    if a.size < 2 or a.std() == 0 or b.std() == 0:
        return None
    return round(float(np.corrcoef(a, b)[0, 1]), 3)
