"""Soft labels: a distribution over the labels for each item, instead of one of them."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from tactful.aggregation.judgements import judged, read_judgements, shares
from tactful.aggregation.result import NO_JUDGEMENT, Aggregated
from tactful.aggregation.trust_weighted import NOBODY
from tactful.errors import UsageError
from tactful.ratings import Numbers


@dataclass(frozen=True, slots=True, eq=False)
class SoftLabels:
    """A distribution per item, in the order of the table."""

    source: str
    """What it is made of: ``votes``, ``trust`` or the posteriors of a method, by its name."""
    items: tuple[str, ...]
    classes: tuple[str, ...]
    probabilities: Numbers
    """Items by classes; each row adds up to 1, or is NaN where ``why`` has a reason."""
    why: tuple[str | None, ...]

    def entropy(self) -> Numbers:
        """Return how undecided each item is: 0 if certain, 1 if all classes are equally likely."""
        if len(self.classes) < 2:
            return np.asarray(0.0 * self.probabilities.sum(axis=1))
        logs = np.log(np.where(self.probabilities > 0, self.probabilities, 1.0))
        return np.asarray(-(self.probabilities * logs).sum(axis=1) / np.log(len(self.classes)))

    def table(self) -> pl.DataFrame:
        """Return item, a column ``probability.LABEL`` per class, and why a row is empty."""
        columns = {"item": pl.Series(self.items, dtype=pl.String)}
        for at, name in enumerate(self.classes):
            column = pl.Series(self.probabilities[:, at], dtype=pl.Float64)
            columns[f"probability.{name}"] = column.fill_nan(None)
        columns["why"] = pl.Series(self.why, dtype=pl.String)
        return pl.DataFrame(columns)


def soft_labels(
    source: Any, *, weights: Literal["votes", "trust"] = "votes", trust: str = "trust"
) -> SoftLabels:
    """Return the distribution of the answers, or the posteriors of a method's result.

    ``source`` is a table of judgements, whose answers count equally (``votes``) or by the column
    ``trust``, or what a method returned.
    """
    if isinstance(source, Aggregated):
        return _from_posteriors(source)
    if weights not in ("votes", "trust"):
        raise UsageError(f"Found weights='{weights}'; expected 'votes' or 'trust'.")
    by_trust = weights == "trust"
    ratings = read_judgements(source, trust=trust if by_trust else None)
    if by_trust and ratings.trust is None:
        raise UsageError("Weighing by trust needs each annotator's trust in the table.")
    data = judged(ratings)
    counts = data.ratings.counts(data.ratings.trust if by_trust else None)
    width = len(ratings.labels)
    probabilities = data.spread(shares(counts))[:, :width]
    reason = NOBODY if by_trust else NO_JUDGEMENT
    return SoftLabels(
        weights, ratings.items, ratings.labels, probabilities, _reasons(probabilities, reason)
    )


def _from_posteriors(result: Aggregated) -> SoftLabels:
    if result.posteriors is None:
        raise UsageError(
            f"The method '{result.method}' gives labels without probabilities; take another one "
            "for soft labels, or the answers themselves."
        )
    why = _reasons(result.posteriors, NO_JUDGEMENT)
    return SoftLabels(result.method, result.items, result.classes, result.posteriors, why)


def _reasons(probabilities: Numbers, reason: str) -> tuple[str | None, ...]:
    # Without any label there is no column; the sum of nothing is 0, which is no distribution.
    total = probabilities.sum(axis=1).tolist()
    return tuple(None if whole > 0 else reason for whole in total)
