"""A detector by a list of mild words. It shows the interface; it is no good at finding anything."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card, read_card
from tactful.types import Span

PHRASES = ("bless them", "bless their hearts", "good for them")
CARD = Card(
    name="mild-words",
    version="0.1.0",
    ids=("pcl",),  # ids of the taxonomies
    kind="mild-words",  # the name of the entry point
    thresholds={"pcl": 0.5},
    summary="Finds three phrases that talk down to people.",
    training={"phrases": list(PHRASES)},
    limits=("It knows three phrases, whatever the words around them say.",),
    not_for=("Anything but showing how a plug-in is written.",),
)


class MildWords(BaseDetector):
    """Scores a text by the phrases in it; ``check`` comes with the base class."""

    def __init__(self, card: Card):
        self.card = card
        phrases = "|".join(map(re.escape, card.training["phrases"]))
        self._pattern = re.compile(rf"\b(?:{phrases})\b", re.IGNORECASE)

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text, in the order of ``texts``."""
        found = [0.9 if self._pattern.search(text) else 0.1 for text in texts]
        return {"pcl": np.asarray(found, dtype=np.float32)}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return where the phrases are."""
        places = tuple(
            Span(match.start(), match.end(), "pcl") for match in self._pattern.finditer(text)
        )
        return dict.fromkeys(ids, places)


def open_mild_words(folder: Path | None = None) -> MildWords:
    """Open the detector; with a folder, the card in it has the phrases.

    Tactful calls this without a folder for ``--model mild-words``, and with one for
    ``--model FOLDER`` where the card's ``kind`` is ``mild-words``.
    """
    return MildWords(CARD if folder is None else read_card(folder))
