"""All that is measured about spans: of all of them, and of those of each id."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from tactful.agreement.answer import Agreement
from tactful.agreement.report import Request
from tactful.agreement.spans import F1, span_agreement, span_f1
from tactful.words import counted

PAIR_MEAN = "_pair_mean"


@dataclass(frozen=True)
class SpanReadings:
    """The spans, who read what, and the texts that were read."""

    spans: pl.DataFrame
    readings: pl.DataFrame
    texts: dict[str, str]
    unread: int
    """Texts that have no row in the table of spans."""

    @property
    def ids(self) -> dict[str, int]:
        """How many spans have each id."""
        return dict(self.spans.group_by("id").len().sort("id").iter_rows())

    @property
    def unmarked(self) -> int:
        """The number of readings without any span."""
        return self.readings.height - self.spans.select("item", "annotator").n_unique()


@dataclass
class SpanAnswers:
    """All answers about one pair of files."""

    read: SpanReadings
    pairs: int
    """Pairs of annotators who read a text in common."""
    measures: list[Agreement]
    per_label: list[Agreement] = field(default_factory=list)


def measure_spans(read: SpanReadings, unit: Any, request: Request) -> SpanAnswers:
    """Compute the agreement of all spans and, if requested, of the spans of each id."""
    pairs = _pairs(read.readings)
    answers = SpanAnswers(
        read,
        pairs.select("annotator", "annotator_right").n_unique(),
        list(_answers(read, unit, None, pairs, request)),
    )
    if request.per_label:
        for name in read.ids:
            answers.per_label += _answers(read, unit, name, pairs, request)
    return answers


def _answers(
    read: SpanReadings, unit: Any, label: str | None, pairs: pl.DataFrame, request: Request
) -> Iterator[Agreement]:
    options: dict[str, Any] = {
        "category": label,
        "seen": list(read.readings.iter_rows()),
        "bootstrap": request.bootstrap,
        "confidence": request.confidence,
        "seed": request.seed,
    }
    for measure in request.measures:
        yield span_agreement(read.spans, read.texts, measure, unit, **options)
    spans = read.spans if label is None else read.spans.filter(pl.col("id") == label)
    for match in F1:
        pooled = span_f1(read.spans, read.texts, match, **options)
        yield pooled
        yield _pair_mean(pooled, spans, pairs, match)


def _pairs(readings: pl.DataFrame) -> pl.DataFrame:
    """Return every two annotators of each text, once."""
    return readings.join(readings, on="item").filter(
        pl.col("annotator") < pl.col("annotator_right")
    )


def _pair_mean(
    pooled: Agreement, spans: pl.DataFrame, pairs: pl.DataFrame, match: str
) -> Agreement:
    """Return the mean of F1 over pairs, each by itself; the pooled F1 weighs them by their spans.

    A pair that marked nothing in the texts they share has no F1, and does not count.
    """
    two = ["annotator", "annotator_right"]
    if match == "overlap":
        places = pl.int_ranges("start", "end").alias("place")
        marks = spans.select("item", "annotator", "id", places).explode("place").unique()
    else:
        marks = spans
    own = marks.group_by("item", "annotator").len()
    each = (
        pairs.join(own, on=["item", "annotator"], how="left")
        .join(own, left_on=["item", two[1]], right_on=["item", "annotator"], how="left", suffix="2")
        .group_by(two)
        .agg((pl.col("len").fill_null(0) + pl.col("len2").fill_null(0)).sum().alias("each"))
    )
    same = [name for name in marks.columns if name != "annotator"]
    both = marks.join(marks, on=same).filter(pl.col(two[0]) < pl.col(two[1])).group_by(two).len()
    f1 = (
        each.filter(pl.col("each") > 0)
        .join(both, on=two, how="left")
        .select(2 * pl.col("len").fill_null(0) / pl.col("each"))
        .to_series()
    )
    value = f1.mean()
    return replace(
        pooled,
        name=f"{pooled.name}, mean over pairs",
        measure=f"{pooled.measure}{PAIR_MEAN}",
        value=value if isinstance(value, float) else None,
        interval=None,
        confidence=None,
        samples=0,
        seed=None,
        notes=(f"over {f1.len():,} of {counted(each.height, 'pair')} of annotators",),
    )
