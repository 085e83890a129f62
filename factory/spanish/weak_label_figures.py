"""How good the weak labels are, where there are labels to compare them with.

StereoImmigrants has labelled sentences for eight of DETESTS' ten categories (by our mapping), and
the part of DETOXIS tells stereotypes from the rest. The rules were written from the definitions and
never fitted to these sentences, but their writer had seen counts of the commonest words of each
code: figures on StereoImmigrants are a little too good, those on DETOXIS are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factory.spanish.mapping import load_mapping, mapped_labels
from tactful.corpora.detests import CATEGORIES
from tactful.corpora.detoxis import Detoxis
from tactful.corpora.stereoimmigrants import ENOUGH, StereoImmigrants
from tactful.detectors.models.stereotype_rules import label
from tactful.metrics.detection import precision_score, recall_score
from tactful.metrics.ranking import roc_auc_score
from tactful.metrics.result import Measure

THRESHOLD = 0.5
"""A weak label of at least this is a vote for the category; a mapped one a sentence that has it."""


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """What the rules of one category do on agreed sentences of StereoImmigrants."""

    category: str
    positives: int
    auc: Measure
    """Against all other agreed sentences and the sentences without a stereotype."""
    auc_among_stereotypes: Measure
    """Against the agreed sentences with another stereotype only."""
    precision: Measure
    recall: Measure

    def as_row(self) -> dict[str, object]:
        """Return plain values for a card; what is undefined is None, and ``reason`` says why."""
        measures = {
            "auc": self.auc,
            "auc_among_stereotypes": self.auc_among_stereotypes,
            "precision": self.precision,
            "recall": self.recall,
        }
        values = {
            name: None if each.value is None else round(each.value, 3)
            for name, each in measures.items()
        }
        reason = next((each.reason for each in measures.values() if each.reason), None)
        return {"category": self.category, "positives": self.positives, **values, "reason": reason}


def rule_figures(data_folder: Path) -> list[RuleFigures]:
    """Measure every rule set on the agreed sentences of ``stereoimmigrants`` in a folder.

    At least three of five annotators agree with the expert's category (the authors' rule). Where
    the mapping gives a category less than a half, the sentence is neither for nor against it and
    is left out.
    """
    texts, codes, negatives = _agreed(data_folder / StereoImmigrants.folder)
    mapped = mapped_labels(codes)
    votes = label([*texts, *negatives])
    gold = np.vstack([mapped, np.zeros((len(negatives), len(CATEGORIES)))])
    is_stereotype = np.arange(len(gold)) < len(texts)
    return [
        _figures(name, gold[:, column], votes[:, column], is_stereotype)
        for column, name in enumerate(CATEGORIES)
    ]


def stereotype_auc(data_folder: Path) -> Measure:
    """Measure how well the strongest vote of a comment finds stereotypes in DETOXIS."""
    frame = Detoxis(data_folder / Detoxis.folder).read("comments")
    votes = label(frame["comment"].to_list())
    return roc_auc_score(frame["stereotype"].to_numpy(), votes.max(axis=1))


def figures_table(figures: Sequence[RuleFigures]) -> str:
    """Return the figures as a Markdown table for a card."""
    names = ("category", "positives", "auc", "auc_among_stereotypes", "precision", "recall")
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for each in figures:
        row = each.as_row()
        lines.append("| " + " | ".join(_cell(row[name]) for name in names) + " |")
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _agreed(folder: Path) -> tuple[list[str], list[str], list[str]]:
    corpus = StereoImmigrants(folder)
    frame = corpus.read("stereotypes")
    agreeing = pl.sum_horizontal(
        [pl.col(f"category{n}") == pl.col("expert_category") for n in range(1, 6)]
    )
    kept = frame.filter(agreeing >= ENOUGH)
    others = corpus.read("non-stereotypes")
    return kept["sentence"].to_list(), kept["expert"].to_list(), others["sentence"].to_list()


def _figures(
    name: str,
    gold: NDArray[np.float64],
    votes: NDArray[np.float64],
    is_stereotype: NDArray[np.bool_],
) -> RuleFigures:
    clear = (gold == 0) | (gold >= THRESHOLD)
    truth = (gold >= THRESHOLD).astype(np.int64)
    if not truth.any():
        reason = load_mapping().without_data.get(name) or "No sentence here has the category."
        absent = [Measure(each, None, reason) for each in ("ROC AUC", "precision", "recall")]
        return RuleFigures(name, 0, absent[0], absent[0], absent[1], absent[2])
    inner = clear & is_stereotype
    voted = (votes >= THRESHOLD).astype(np.int64)
    return RuleFigures(
        name,
        int(truth.sum()),
        roc_auc_score(truth[clear], votes[clear]),
        roc_auc_score(truth[inner], votes[inner]),
        precision_score(truth[clear], voted[clear]),
        recall_score(truth[clear], voted[clear]),
    )
