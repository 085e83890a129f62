"""A detector of toxicity that anyone can check by hand, alone or in a folder of its own."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card, read_card
from tactful.types import Span

KIND = "toxic-phrases"
OPENER = "tests.toxicity_detector:open_toxic_phrases"
PHRASES = {
    "toxicity": (0.9, ("clown", "over sixty")),
    "toxicity.severe": (0.7, ("crawl away",)),
    "toxicity.insult": (0.8, ("clown",)),
    "toxicity.threat": (0.85, ("not walk home", "not vote again")),
    "toxicity.profanity": (0.95, ("damn",)),
    "toxicity.identity_attack": (0.75, ("over sixty",)),
    "toxicity.sexually_explicit": (0.65, ("out of their clothes",)),
    "frame.lewd": (0.55, ("out of their clothes",)),
}
"""id -> the probability where one of its phrases is found, and the phrases."""
OTHERWISE = 0.02


class ToxicPhrases(BaseDetector):
    """Knows the phrases of the table, for the ids of its card."""

    card = Card(
        "toxic-phrases",
        "1",
        tuple(name for name in PHRASES if name.startswith("toxicity")),
        kind=KIND,
        thresholds=dict.fromkeys(PHRASES, 0.5),
    )

    def __init__(self, card: Card | None = None):
        self.card = card or self.card

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probability of the table where a phrase is found."""
        return {
            name: np.array(
                [
                    PHRASES[name][0] if self.spans(text, [name])[name] else OTHERWISE
                    for text in texts
                ],
                dtype=np.float32,
            )
            for name in self.card.ids
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


def open_toxic_phrases(folder: Path) -> ToxicPhrases:
    """Open the folder of such a detector: it has the ids and the language of its card."""
    return ToxicPhrases(read_card(folder))
