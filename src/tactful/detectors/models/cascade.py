"""The cascade: the fast detector reads everything, the encoder only what the fast one leaves open.

A text is open when the fast probability of any id lies inside that id's band. Outside all bands
the fast answer is kept. The bands are in the card of the cascade's folder.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card, read_card


class CascadeDetector(BaseDetector):
    """Two detectors with the same ids: a fast one first, a better one where that is unsure."""

    def __init__(self, card: Card, first: BaseDetector, second: BaseDetector):
        self.card, self.first, self.second = card, first, second

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        found = {name: values.copy() for name, values in self.first.score(texts).items()}
        rows = np.flatnonzero(self.open_texts(found))
        if rows.size:
            better = self.second.score([texts[row] for row in rows.tolist()])
            for name in self.card.ids:
                found[name][rows] = better[name]
        return {name: found[name] for name in self.card.ids}

    def open_texts(self, scores: Scores) -> NDArray[np.bool_]:
        """Tell for which texts the first detector's scores leave something open."""
        inside = [
            (scores[name] >= low) & (scores[name] < high)
            for name, (low, high) in self.card.bands.items()
        ]
        found: NDArray[np.bool_] = np.logical_or.reduce(inside)
        return found

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id, as the better detector sees them."""
        return self.second.spans(text, ids)


def load_cascade_detector(folder: Path) -> CascadeDetector:
    """Open the folder of a cascade; its two detectors lie in the folders that its card names."""
    from tactful.detectors.load import load_detector

    card = read_card(folder)
    first, second = (load_detector(folder.parent / name) for name in card.training["detectors"])
    if not isinstance(first, BaseDetector) or not isinstance(second, BaseDetector):
        raise TypeError("a cascade needs detectors that can make reports")
    return CascadeDetector(card, first, second)
