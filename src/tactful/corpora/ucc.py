"""The Unhealthy Comment Corpus (Price et al. 2020): seven attributes of news-site comments.

Two kinds of file: one row per comment with labels and confidences, and ``unhealthy_full.csv`` with
one row per judgement (unit, worker, trust, answers).
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
import polars as pl

from tactful.corpora.corpus import Corpus
from tactful.corpora.files.grouping import grouped
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.schema import JUDGEMENT, TRAIT, gather, judgement, labels_of, meta_of
from tactful.corpora.stats import Chart, Stat, here_and_paper, percent
from tactful.words import counted

ATTRIBUTES = {
    "antagonistic": ("antagonize", "antagonise"),
    "condescending": (),
    "dismissive": (),
    "generalisation": ("generalization",),
    "generalisation_unfair": ("generalization_unfair",),
    "healthy": (),
    "hostile": (),
    "sarcastic": (),
}
"""Tactful's name of each attribute, and how the releases spell it where they differ."""

UNIT = Column("unit", "id", ("_unit_id",))
COMMENT = Column("comment")

COMMENTS = TableSpec(
    "comments",
    (
        UNIT,
        Column("trusted_judgments", "integer", ("_trusted_judgments",), low=1, high=1_000_000),
        COMMENT,
        *(
            column
            for name, spellings in ATTRIBUTES.items()
            for column in (
                Column(name, "flag", spellings),
                Column(
                    f"{name}_confidence",
                    "number",
                    tuple(f"{spelling}:confidence" for spelling in (name, *spellings)),
                    low=0,
                    high=1,
                ),
            )
        ),
    ),
    ("train.csv", "val.csv", "test.csv"),
    key=("unit",),
)
_TRAITS = ("country", "region", "city", "channel")
JUDGEMENTS = TableSpec(
    "judgements",
    (
        UNIT,
        Column("worker", "id", ("_worker_id",)),
        Column("trust", "number", ("_trust",), low=0, high=1),
        Column("comment", required=False, empty="null"),
        *(Column(name, "flag", spellings, empty="null") for name, spellings in ATTRIBUTES.items()),
        *(Column(name, "id", (f"_{name}",), required=False, empty="null") for name in _TRAITS),
    ),
    ("unhealthy_full.csv",),
    key=("unit", "worker"),
)


class UnhealthyComments(Corpus):
    """Comments of a news site, judged by a crowd on seven attributes."""

    name = "ucc"
    title = "the Unhealthy Comment Corpus"
    paper = "Price et al. 2020 (Workshop on Online Abuse and Harms)"
    licence = "CC BY-NC-SA 4.0"
    lang = "en"
    folder = "unhealthy_comments"
    tables = (COMMENTS, JUDGEMENTS)
    splits = (("train", "train"), ("val", "val"), ("test", "test"))
    stratify = (
        "unhealthy",
        *(f"unhealthy.{name}" for name in ATTRIBUTES if name != "healthy"),
    )
    releases = (
        Release("all comments", {"comments": 44_355}, "section 3"),
        Release("the validation part", {"comments": 4_427}, "the authors' val.csv", counted=True),
        Release(
            "all judgements",
            {"judgements": 244_468, "judged comments": 44_355, "workers": 588},
            "section 3",
        ),
    )
    traps = (
        "'healthy' is the question that was asked; Tactful's 'unhealthy' is its opposite.",
        "Some releases spell 'antagonize', some 'antagonise'.",
        "A confidence belongs to the label beside it, yes or no, and is at least 0.5, except for "
        "'generalisation_unfair': it was asked only after a yes to 'generalisation', so its "
        "confidence can be lower, down to 0.",
        "Some comments have more than the 3 to 5 judgements of section 3: in val.csv one in 30, "
        "and up to 166, as hidden test questions would.",
    )

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield comments with labels and confidences and, where they are here, all judgements."""
        if not self.has("judgements"):
            for batch in self.batches("comments"):
                yield _comments(batch, self.extra_columns(batch, "comments"))
            return
        shapes = [self.empty("comments"), self.empty("judgements")]
        rows = chain(shapes, self.batches("comments"), self.batches("judgements"))
        for frame in grouped(rows, "unit", self.settings.batch_rows):
            # A comment and its judgements are in different files, and are joined here.
            judged = frame.filter(pl.col("worker").is_not_null())
            extra = self.extra_columns(judged, "judgements")
            known = {column.name for column in COMMENTS.columns}
            examples = _judged(judged, [name for name in extra if name not in known])
            labelled = frame.filter(pl.col("healthy_confidence").is_not_null())
            # Columns that only the judgements have are empty here, and so left out.
            yield _merge(_comments(labelled, self.extra_columns(labelled, "comments")), examples)

    def counts(self) -> dict[str, int]:
        """Count comments, judgements and workers."""
        counts = {"comments": self.rows("comments")} if self.has("comments") else {}
        if self.has("judgements"):
            judged = self.columns("judgements", "unit", "worker")
            counts["judgements"] = judged.height
            counts["judged comments"] = judged["unit"].n_unique()
            counts["workers"] = judged["worker"].n_unique()
        return counts

    def stats(self) -> list[Stat]:
        """Compute table 1 and figures 2 and 4, where there are labels."""
        return ucc_stats(self.read("comments")) if self.has("comments") else []


def _comments(batch: pl.DataFrame, extra: list[str]) -> pl.DataFrame:
    names = {f"unhealthy.{name}": name for name in ATTRIBUTES if name != "healthy"}
    labels = {"unhealthy": "unhealthy", **names}
    confidences = {"unhealthy": "healthy_confidence"} | {
        label: f"{name}_confidence" for label, name in names.items()
    }
    return batch.with_columns((1 - pl.col("healthy")).alias("unhealthy")).select(
        pl.col("unit").alias("id"),
        "split",
        pl.col("unit").alias("group"),
        pl.col("comment").alias("text"),
        labels_of(labels, confidences),
        meta_of(["trusted_judgments", *extra]),
    )


def _judged(rows: pl.DataFrame, extra: list[str]) -> pl.DataFrame:
    """Turn judgement rows into one row per comment that keeps every answer."""
    questions = {
        "unhealthy": 1 - pl.col("healthy").cast(pl.Int64),
        **{f"unhealthy.{name}": pl.col(name) for name in ATTRIBUTES if name != "healthy"},
    }
    answers = [
        judgement(pl.col("worker"), question, answer, answer, pl.col("trust"))
        for question, answer in questions.items()
    ]
    traits = [
        pl.struct(
            pl.col("worker").alias("annotator"),
            pl.lit(name).alias("name"),
            pl.col(name).cast(pl.String).replace("", None).alias("value"),
        )
        for name in (*_TRAITS, *extra)
    ]
    return (
        rows.with_columns(gather(answers, JUDGEMENT, "judgements"), gather(traits, TRAIT, "traits"))
        .group_by(pl.col("unit").alias("id"), maintain_order=True)
        .agg(
            pl.col("split").first(),
            pl.col("unit").first().alias("group"),
            pl.col("comment").drop_nulls().first().alias("text"),
            pl.col("judgements").explode().drop_nulls(),
            pl.col("traits").explode().drop_nulls(),
        )
    )


def _merge(labelled: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """Put labels and judgements of the same comment into one row."""
    both = labelled.join(judged, on="id", how="full", coalesce=True, maintain_order="left_right")
    shared = [pl.coalesce(name, f"{name}_right").alias(name) for name in ("split", "group", "text")]
    return both.with_columns(shared).drop("split_right", "group_right", "text_right")


# ---- the tables of the paper --------------------------------------------------------------------

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
        here_and_paper(list(NAMES.values()), rows, 2, 3, "percent of comments"),
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
    names, titles = list(NAMES), list(NAMES.values())
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
        tuple((title, *row) for title, row in zip(titles, cells, strict=True)),
        tuple(notes),
        Chart("heatmap", titles, dict(zip(titles, cells, strict=True))),
    )


def _correlation(pool: pl.DataFrame, first: str, second: str) -> float | None:
    a, b = pool[first].to_numpy().astype(float), pool[second].to_numpy().astype(float)
    if a.size < 2 or a.std() == 0 or b.std() == 0:
        return None
    return round(float(np.corrcoef(a, b)[0, 1]), 3)
