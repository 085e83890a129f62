"""Figures of the embedded Spanish detector on texts that its folds held out.

Calibration and threshold of each fold come from the other folds, so that no text takes part in
choosing what it is measured by.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factory.spanish.sources import (
    CATEGORY_IDS,
    COLUMNS,
    COMMENT,
    COMMENTS,
    FOLDS,
    SPEECH,
    SPEECHES,
    SpanishSources,
)
from tactful.corpora import load_corpus
from tactful.detectors.base import sigmoid
from tactful.settings import Settings
from tactful.training.calibrate import best_threshold, platt

FIVE = {
    "xenophobia": 0,
    "suffering": 1,
    "economic": 2,
    "migration": 3,
    "others": 3,
    "culture": 0,
    "benefits": 4,
    "health": 4,
    "security": 4,
}
"""DETESTS' categories as the five of StereoImmigrants (Sánchez-Junquera et al. 2021, section 3):
victims of xenophobia, suffering victims, economic resource, collective and personal threat."""
FIVE_HEADS = (
    "stereoimmigrants.xenophobia_victims",
    "stereoimmigrants.suffering_victims",
    "stereoimmigrants.economic_resource",
    "stereoimmigrants.collective_threat",
    "stereoimmigrants.personal_threat",
)
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Held:
    """The held-out texts of one corpus: what is true, and the probabilities of its expert."""

    gold: NDArray[np.int64]
    chances: Numbers
    found: NDArray[np.int64]
    """1 where the threshold of the other folds is reached."""
    folds: NDArray[np.int64]


def held_out(sources: SpanishSources, logits: Numbers, corpus: str) -> Held:
    """Return the answers on one corpus; ``logits`` are texts x columns."""
    column = {COMMENTS: COMMENT, SPEECHES: SPEECH}[corpus]
    rows = sources.rows(corpus)
    values = logits[rows, COLUMNS.index(column)]
    gold = np.array([sources.texts[row].targets[column] >= 0.5 for row in rows], dtype=np.int64)
    folds = np.array([sources.texts[row].fold for row in rows], dtype=np.int64)
    chances, found = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    for fold in range(FOLDS):
        inner, outer = folds != fold, folds == fold
        slope, intercept = platt(values[inner], gold[inner].astype(np.float64))
        threshold = best_threshold(sigmoid(slope * values[inner] + intercept))
        chances[outer] = sigmoid(slope * values[outer] + intercept)
        found[outer] = chances[outer] >= threshold
    return Held(gold, chances, found, folds)


def five_categories(
    sources: SpanishSources, logits: Numbers, left_out: Collection[str] = ()
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return true and answered category, 0 to 4, of all stereotypes but some.

    A category of ours stands for the one that it is mapped from; those of one are added up. Each
    is calibrated on the other folds.
    """
    table = sources.table()
    rows = [
        row
        for row in sources.rows(SPEECHES)
        if sources.texts[row].targets[SPEECH] >= 0.5 and sources.texts[row].text not in left_out
    ]
    ours = [COLUMNS.index(name) for name in CATEGORY_IDS]
    folds = np.array([sources.texts[row].fold for row in rows])
    everyone = np.array(sources.rows(SPEECHES))
    known = everyone[~np.isnan(table[everyone, ours[0]])]
    known_folds = np.array([sources.texts[row].fold for row in known])
    sums = np.zeros((len(rows), 5))
    for name, at in zip(CATEGORY_IDS, ours, strict=True):
        five = FIVE.get(name.partition(".")[2])
        if five is None:
            continue
        for fold in range(FOLDS):
            inner, outer = known[known_folds != fold], folds == fold
            slope, intercept = platt(logits[inner, at], table[inner, at])
            sums[outer, five] += sigmoid(slope * logits[np.array(rows)[outer], at] + intercept)
    heads = [sources.heads.index(name) for name in FIVE_HEADS]
    truth = np.argmax(np.nan_to_num(table[np.ix_(rows, heads)]), axis=1)
    return truth.astype(np.int64), np.argmax(sums, axis=1).astype(np.int64)


def disputed(settings: Settings) -> frozenset[str]:
    """Return the sentences whose category fewer than three of five annotators share."""
    corpus = load_corpus(SPEECHES, settings=settings)
    return frozenset(
        each.text
        for each in corpus.examples()
        if each.labels["stereotype"] and str(each.meta["left_out_by_authors"]) == "1"
    )
