"""The mean of binarised answers, binarised again (Sap et al. 2020, section 4.2 and footnote 8).

"Yes", "probably" and "maybe" count as 1 and all other answers as 0; the mean is 1 again from a
threshold of .5 on. In the corpus' aggregated files the means are over rows, and over the answers as
they stand (0.66 for "probably"); both are offered here, and neither is chosen in silence.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from tactful.aggregation.judgements import judged, read_judgements
from tactful.aggregation.result import Aggregated, settle
from tactful.aggregation.ties import Ties
from tactful.errors import InputError, UsageError
from tactful.ratings import Numbers, Ratings, as_frame

CLASSES = ("0", "1")
POSITIVE = ("yes", "probably", "maybe")
"""The answers that footnote 8 counts as 1 where answers are words."""
NEGATIVE = ("no", "probably not")

_ROW = "\x1f"


def mean_above_threshold(
    table: Any,
    *,
    over: Literal["annotators", "rows"] = "annotators",
    threshold: float = 0.5,
    binarise_at: float | None = 0.5,
    positive: Collection[str] | None = None,
    ties: Ties = "highest",
    seed: int = 0,
) -> Aggregated:
    """Label an item 1 where the mean of its binarised answers reaches ``threshold``, else 0.

    ``over`` says what the mean is over. With ``annotators`` each has one vote, which is the mean of
    their rows if they have several. With ``rows`` a worker who wrote four statements counts four
    times, as in the authors' aggregated files.

    Answers that are numbers (from 0 to 1) count as 1 from ``binarise_at`` on; with None they are
    averaged as they stand, as in those files. Answers that are words count as 1 if they are among
    ``positive``; without it, they must be yes, probably, maybe, probably not or no.

    A mean that is exactly the threshold is a tie: by default it is 1. The confidence is the mean,
    or what is missing to 1 where the label is 0.
    """
    if over not in ("annotators", "rows"):
        raise UsageError(f"Found over='{over}'; expected 'annotators' or 'rows'.")
    if not 0 < threshold <= 1:
        raise UsageError(f"Found a threshold of {threshold:g}; expected a number above 0, up to 1.")
    ratings = _read_rows(table)
    data = judged(ratings)
    votes = data.ratings
    values = _values(votes, binarise_at, positive)[votes.label] if len(votes) else np.zeros(0)
    weights = np.ones(len(votes)) if over == "rows" else _one_per_annotator(votes)
    size = len(votes.items)
    mean = np.bincount(votes.item, values * weights, size) / np.bincount(votes.item, weights, size)
    return Aggregated(
        "mean_threshold",
        **settle(
            ratings.items,
            data,
            np.stack([np.full(size, threshold), mean], axis=1),
            posteriors=np.stack([1 - mean, mean], axis=1),
            classes=CLASSES,
            ties=ties,
            seed=seed,
            measure=f"share of the {over}" if binarise_at is not None else f"mean of the {over}",
            weight=values,
            weight_name="what each counts",
        ),
    )


def _read_rows(table: Any) -> Ratings:
    """Read a table in which an annotator may have several rows for an item."""
    if isinstance(table, Ratings):
        return table
    frame = as_frame(table, ("item", "annotator", "label"))
    if not {"item", "annotator"} <= set(frame.columns):
        return read_judgements(frame)
    pair = ["item", "annotator"]
    number = pl.int_range(pl.len()).over(pair).cast(pl.String)
    numbered = frame.with_columns(pl.col("annotator").cast(pl.String) + _ROW + number)
    ratings = read_judgements(numbered)
    names = [name.partition(_ROW)[0] for name in ratings.annotators]
    once = list(dict.fromkeys(names))
    code = {name: at for at, name in enumerate(once)}
    merged = np.array([code[name] for name in names], dtype=np.int64)
    annotator = merged[ratings.annotator] if len(ratings) else ratings.annotator
    return replace(ratings, annotators=tuple(once), annotator=annotator)


def _values(
    ratings: Ratings, binarise_at: float | None, positive: Collection[str] | None
) -> Numbers:
    """Return what each label counts."""
    values = ratings.values
    if positive is not None:
        wanted = {positive} if isinstance(positive, str) else set(positive)
        return np.array([float(label in wanted) for label in ratings.labels])
    if values is None:
        folded = [label.casefold() for label in ratings.labels]
        other = [
            label
            for label, known in zip(ratings.labels, folded, strict=True)
            if known not in POSITIVE + NEGATIVE
        ]
        if other:
            raise InputError(
                f"Found the answers {', '.join(map(repr, other[:5]))}; expected numbers from 0 to "
                f"1, or {', '.join(POSITIVE + NEGATIVE)}; say with 'positive' which count as 1."
            )
        return np.array([float(label in POSITIVE) for label in folded])
    if not ((values >= 0) & (values <= 1)).all():
        outside = [ratings.labels[at] for at in np.flatnonzero(~((values >= 0) & (values <= 1)))]
        raise InputError(
            f"Found the answers {', '.join(outside[:5])}; expected numbers from 0 to 1; say with "
            "'positive' which answers count as 1."
        )
    return values if binarise_at is None else (values >= binarise_at).astype(np.float64)


def _one_per_annotator(ratings: Ratings) -> Numbers:
    """Weigh rows so that all rows of one annotator about one item are one vote."""
    pair = ratings.item * max(len(ratings.annotators), 1) + ratings.annotator
    _, place, rows = np.unique(pair, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / rows[place])
