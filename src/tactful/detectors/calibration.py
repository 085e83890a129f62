"""From log-odds to probabilities, as a card's calibration says."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.card import Card
from tactful.detectors.protocol import Scores

T = TypeVar("T", bound=np.floating)


def calibrated_scores(logits: NDArray[np.floating], card: Card) -> Scores:
    """Turn log-odds into probabilities, one column for each id of the card."""
    return {
        name: sigmoid(slope * logits[:, at] + intercept).astype(np.float32)
        for at, name in enumerate(card.ids)
        for slope, intercept in [card.calibration.get(name, (1.0, 0.0))]
    }


def sigmoid(values: NDArray[T]) -> NDArray[T]:
    """Return 1 / (1 + exp(-x)), without overflow."""
    small = np.exp(-np.abs(values))
    answer: NDArray[T] = np.where(values >= 0, np.ones_like(small), small) / (1 + small)
    return answer
