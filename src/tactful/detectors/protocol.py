"""What every detector can do, from a coin toss to the multi-task encoder."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.card import Card
from tactful.types import Report

Scores = dict[str, NDArray[np.float32]]
"""id -> one probability per text, in the order of the texts."""


@runtime_checkable
class Detector(Protocol):
    """Anything that scores text: the cheapest and the best are interchangeable."""

    @property
    def card(self) -> Card:
        """Who it is: name, version, ids, thresholds, what it was trained on, its limits."""
        ...

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card, in the order of ``texts``.

        A text that cannot be scored raises: a failed score is missing, never harmless.
        """
        ...

    def check(self, text: str) -> Report:
        """Return what was found in one text: what, how sure, where and why.

        This is the detector's own reading, without the second one of ``tactful check``.
        """
        ...
