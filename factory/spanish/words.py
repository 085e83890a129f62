"""The sums over words of the embedded Spanish detector: one for each column."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factory.spanish.ngrams import fit_ngrams
from factory.spanish.sources import (
    COLUMNS,
    COMMENT,
    PCL,
    TARGET_GROUP,
    SpanishSources,
)
from tactful.detectors.models.ngrams import Ngrams
from tactful_lab.training.stereotypes.linear import Sum, fit_sum

STRENGTH = 3.0
HELPERS = {COMMENT: {TARGET_GROUP: 1.0}}
"""What is added to a column. Few comments hold a stereotype, and twice as many are aimed at a group
of people: what sounds like the one mostly sounds like the other."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordSums:
    """A weighted sum over words and pieces of words for each column."""

    ngrams: Ngrams
    sums: tuple[Sum, ...]

    def decisions(self, texts: Sequence[str]) -> Numbers:
        """Return texts x columns."""
        rows = self.ngrams.rows(texts)
        return np.stack([each.decision(rows) for each in self.sums], axis=1)


def fit_words(sources: SpanishSources, rows: Sequence[int]) -> WordSums:
    """Learn a sum over words for each column from some rows; ``pcl`` has no Spanish texts: 0."""
    texts = [sources.texts[row] for row in rows]
    known = fit_ngrams([text.text for text in texts])
    table = known.rows([text.text for text in texts])

    def fitted(name: str) -> Sum:
        taught = [at for at, text in enumerate(texts) if name in text.targets]
        targets = np.array([texts[at].targets[name] for at in taught], dtype=np.float64)
        return fit_sum(table[taught], targets, c=STRENGTH)

    sums = []
    for name in COLUMNS:
        if name == PCL:
            sums.append(Sum(np.zeros(len(known)), 0.0))
            continue
        found = fitted(name)
        for helper, share in HELPERS.get(name, {}).items():
            other = fitted(helper)
            found = Sum(
                found.weights + share * other.weights, found.intercept + share * other.intercept
            )
        sums.append(found)
    return WordSums(known, tuple(sums))
