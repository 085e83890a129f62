"""The protocol that every detector follows, from a coin toss to the multi-task encoder."""

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
    """Anything that scores text. All detectors have these methods, so any can replace another."""

    @property
    def card(self) -> Card:
        """The model card: name, version, ids, thresholds, training data and limits."""
        ...

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probability of each id for each text.

        Parameters
        ----------
        texts
            The texts to score.

        Returns
        -------
        dict of str to array of float32
            For each id of the card one probability per text, in the order of ``texts``.

        Raises
        ------
        TactfulError
            If a text cannot be scored; there is no score for such a text, not a low one.

        """
        ...

    def check(self, text: str) -> Report:
        """Return the findings of one text, without the second reading of ``tactful check``.

        Parameters
        ----------
        text
            The text to check.

        Returns
        -------
        Report
            The ids that reach their threshold, with probability, spans and explanation.

        """
        ...
