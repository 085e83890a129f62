"""A detector that anyone can check by hand: a phrase has a probability, and it is the span."""

import re
from collections.abc import Sequence

import numpy as np

from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card
from tactful.types import Span

PHRASES = {
    "pcl": (0.83, ("even they", "poor souls")),
    "pcl.compassion": (0.55, ("poor souls",)),
    "unhealthy": (0.64, ("log off",)),
    "unhealthy.dismissive": (0.97, ("log off", "nobody asked")),
    "frame.offensive": (0.52, ("very slow",)),
    "frame.intent": (0.6, ("very slow",)),
}


class PhraseDetector(BaseDetector):
    """Knows the phrases of the table, in upper and lower case."""

    card = Card(
        "phrases",
        "1",
        tuple(PHRASES),
        thresholds={"pcl": 0.4},
        summary="A rule for tests.",
        limits=("It knows six phrases.",),
        not_for=("Deciding anything <b>alone</b>.",),
    )

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probability of the table where a phrase is found, else 0.01."""
        return {
            name: np.array(
                [value if self.spans(text, [name])[name] else 0.01 for text in texts],
                dtype=np.float32,
            )
            for name, (value, _) in PHRASES.items()
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return every place of every phrase."""
        return {
            name: tuple(
                Span(found.start(), found.end(), name)
                for phrase in PHRASES[name][1]
                for found in re.finditer(re.escape(phrase), text, re.IGNORECASE)
            )
            for name in ids
        }
