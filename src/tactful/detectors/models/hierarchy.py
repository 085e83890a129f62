"""A blend whose categories of stereotypes never contradict the whole.

No category, nor that a stereotype is implicit, is more probable than ``stereotype`` itself. Where
one would be, all categories are made smaller by the same factor, so that the likeliest stays the
likeliest. A stereotype without a category that has a name is of another kind: ``stereotype.others``
is the more probable, the less the nearest category is found (DETESTS 2022, section 4.1.1).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tactful.detectors.base import Scores
from tactful.detectors.card import Card, read_card
from tactful.detectors.models.blend import BlendDetector, load_members
from tactful.detectors.stereotype_labels import CATEGORIES, OTHERS, ROOT
from tactful.errors import FileFormatError

BELOW = f"{ROOT}."
_LEAST = 1e-6


class HierarchyDetector(BlendDetector):
    """Members whose answers are put in order."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        return ordered_scores(super().score(texts), self.card)


def ordered_scores(scores: Scores, card: Card) -> Scores:
    """Return the probabilities with none below ``stereotype`` higher than it."""
    whole = scores[ROOT]
    categories = [name for name in CATEGORIES if name in scores]
    highest = np.max([np.full_like(whole, _LEAST), *(scores[name] for name in categories)], axis=0)
    factor = np.minimum(whole / highest, 1)
    found = {
        name: np.minimum(values * factor if name in categories else values, whole)
        if name.startswith(BELOW)
        else values
        for name, values in scores.items()
    }
    named = [
        found[name] / max(card.threshold(name), _LEAST) for name in categories if name != OTHERS
    ]
    if OTHERS in found and named:
        near = np.minimum(np.max(named, axis=0), 1.0)
        found[OTHERS] = np.maximum(found[OTHERS], whole * (1 - near)).astype(whole.dtype)
    return found


def load_hierarchy_detector(folder: Path) -> HierarchyDetector:
    """Open the folder of such a blend; its members lie in the folders that it names."""
    card = read_card(folder)
    if ROOT not in card.ids:
        raise FileFormatError(
            f"{folder}: found a card of kind 'hierarchy' without the id '{ROOT}'; expected it "
            "among the ids; restore the file."
        )
    blend = load_members(folder, card)
    shares = list(card.training["members"].values())
    return HierarchyDetector(card, blend.members, shares, folder)
