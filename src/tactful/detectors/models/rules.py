"""The lexicon of stereotypes as a detector: a voice beside those that learnt from texts.

Its log-odds for a category are the weak label of the rules, 0 to 1, and for all that the card names
as ``whole`` the greatest of them; other ids have 0. The folder holds ``card.json`` alone: the
rules come with Tactful.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import AdditiveDetector, Contribution, LogitsDetector
from tactful.detectors.card import Card, read_card
from tactful.detectors.models.stereotype_rules import label, load_rules, word_places
from tactful.detectors.stereotype_labels import CATEGORIES
from tactful.errors import FileFormatError

Numbers = NDArray[np.float32]


class RuleDetector(LogitsDetector, AdditiveDetector):
    """Votes of rules; which words they come from is known exactly."""

    def __init__(self, card: Card, whole: Sequence[str]):
        self.card, self.whole = card, tuple(whole)

    def logits(self, texts: Sequence[str]) -> Numbers:
        """Return the votes: one row per text and one column per id."""
        votes = label(texts)
        found = np.zeros((len(texts), len(self.card.ids)), dtype=np.float32)
        for column, name in enumerate(self.card.ids):
            if name in CATEGORIES:
                found[:, column] = votes[:, CATEGORIES.index(name)]
            elif name in self.whole:
                found[:, column] = votes.max(axis=1)
        return found

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds: a cue's words share its part of the vote evenly."""
        places = word_places(text)
        weights: dict[str, dict[tuple[int, int], float]] = {}
        if places:
            for category, _, weight, first, last in load_rules().located(text):
                added = weights.setdefault(f"stereotype.{category}", {})
                for place in places[first:last]:
                    added[place] = added.get(place, 0.0) + weight / (last - first)
        row = dict(zip(CATEGORIES, label([text])[0].tolist(), strict=True))
        strongest = max(CATEGORIES, key=row.__getitem__)
        found = {}
        for name in ids:
            of = strongest if name in self.whole else name
            value = self.card.scaling(name)[0] * row.get(of, 0.0)
            found[name] = _shared(weights.get(of, {}), value)
        return found


def _shared(weights: Mapping[tuple[int, int], float], value: float) -> list[Contribution]:
    total = sum(weights.values())
    return [
        Contribution(*place, value * weight / total) for place, weight in sorted(weights.items())
    ]


def load_rule_detector(folder: Path) -> RuleDetector:
    """Open the folder of a detector of rules."""
    card = read_card(folder)
    whole = card.training.get("whole", [])
    if not isinstance(whole, list) or not set(whole) <= set(card.ids):
        raise FileFormatError(
            f"{folder}: found 'whole' in the card that is no list of its ids; expected the ids "
            "that the strongest vote stands for; restore the file."
        )
    return RuleDetector(card, whole)
