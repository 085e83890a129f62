"""How good each annotator is, by several measures that see different things."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from tactful.aggregation.dawid_skene import fit_dawid_skene
from tactful.aggregation.glad import fit_glad
from tactful.aggregation.judgements import Gold, matching_labels, read_judgements
from tactful.aggregation.mace import fit_mace
from tactful.aggregation.majority import majority_vote
from tactful.aggregation.result import Aggregated
from tactful.errors import UsageError
from tactful.ratings import Numbers, Ratings

FEW_JUDGEMENTS = 20
FEW_GOLD = 10
_NEW_LABELS = ("dpm_scale", "mean_threshold")


@dataclass(frozen=True, slots=True, eq=False)
class SkillReport:
    """One row per annotator, in the order of the table; see :func:`skill_report`."""

    method: str
    """The method whose labels the annotators are compared with."""
    annotators: tuple[str, ...]
    judgements: Numbers
    agreement: Numbers
    """The share of an annotator's answers that are the aggregated label; NaN without any label."""
    gold_judgements: Numbers
    gold_accuracy: Numbers
    """The share that is right on known items; NaN where the annotator saw none."""
    dawid_skene_accuracy: Numbers
    mace_competence: Numbers
    glad_ability: Numbers
    warnings: tuple[str | None, ...]

    def table(self) -> pl.DataFrame:
        """Return the report as a table; what is undefined is null, and ``warning`` says why."""
        names = [each.name for each in fields(self)]
        numbers = names[names.index("judgements") : names.index("warnings")]
        frame = pl.DataFrame(
            {
                "annotator": pl.Series(self.annotators, dtype=pl.String),
                **{name: getattr(self, name) for name in numbers},
                "warning": pl.Series(self.warnings, dtype=pl.String),
            }
        )
        return frame.with_columns(pl.selectors.float().fill_nan(None)).with_columns(
            pl.col("judgements", "gold_judgements").cast(pl.Int64)
        )


def skill_report(
    table: Any,
    aggregated: Aggregated | None = None,
    *,
    gold: Gold | None = None,
    seed: int = 0,
) -> SkillReport:
    """Report on each annotator of a table.

    ``aggregated`` are the labels to compare with (by default the majority's); an annotator's own
    vote is in them, so that with few annotators per item this agreement flatters. ``gold`` is only
    used to count who was right on known items: the three models are fitted without it, so that
    gold judges them independently.
    """
    ratings = read_judgements(table)
    labels = majority_vote(ratings) if aggregated is None else aggregated
    if labels.method in _NEW_LABELS:
        raise UsageError(
            f"The labels of '{labels.method}' are not answers that an annotator could give; "
            "compare annotators with those of another method."
        )
    number = np.bincount(ratings.annotator, minlength=len(ratings.annotators)).astype(np.float64)
    agreement, _ = _share_right(ratings, labels.label_of())
    known = matching_labels(gold or {}, ratings.labels)
    accuracy, seen = _share_right(ratings, dict(known))
    return SkillReport(
        labels.method,
        ratings.annotators,
        number,
        agreement,
        seen,
        accuracy,
        fit_dawid_skene(ratings).accuracy,
        fit_mace(ratings, seed=seed).competence,
        fit_glad(ratings).ability,
        tuple(_warning(int(n), int(s), bool(gold)) for n, s in zip(number, seen, strict=True)),
    )


def _share_right(ratings: Ratings, truth: dict[str, str | None]) -> tuple[Numbers, Numbers]:
    """Return the share of right answers of each annotator, and over how many."""
    code = {label: at for at, label in enumerate(ratings.labels)}
    named = [truth.get(item) for item in ratings.items]
    # A gold label that no annotator gave never matches.
    right = np.array(
        [-1 if label is None else code.get(label, len(code)) for label in named], dtype=np.int64
    )
    counted = right[ratings.item] >= 0
    who = ratings.annotator[counted]
    hits = (right[ratings.item] == ratings.label)[counted].astype(np.float64)
    size = len(ratings.annotators)
    seen = np.bincount(who, minlength=size).astype(np.float64)
    total = np.bincount(who, hits, size)
    return np.divide(total, seen, out=np.full(size, np.nan), where=seen > 0), seen


def _warning(judgements: int, on_gold: int, has_gold: bool) -> str | None:
    found = []
    if judgements < FEW_JUDGEMENTS:
        noun = "judgement" if judgements == 1 else "judgements"
        found.append(f"only {judgements} {noun}: every estimate is uncertain")
    if has_gold and on_gold == 0:
        found.append("saw no known item")
    elif has_gold and on_gold < FEW_GOLD:
        found.append(f"only {on_gold} on known items: the accuracy on them is uncertain")
    return "; ".join(found) or None
