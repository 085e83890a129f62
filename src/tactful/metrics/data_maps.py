"""Data maps (Swayamdipta et al. 2020): which items a model learns easily, and which never.

From the probabilities of the right answer after each epoch of training: their mean (confidence),
their spread (variability), and the share of epochs in which the answer was right (correctness).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DataMap:
    """What the epochs say about each item."""

    confidence: Numbers
    """The mean probability of the right answer."""
    variability: Numbers
    """The standard deviation of that probability over the epochs."""
    correctness: Numbers
    """The share of the epochs in which the answer was right."""

    def regions(self, share: float = 1 / 3) -> list[str]:
        """Return the region of each item: the ``share`` that varies most is ambiguous.

        The others are easy from a confidence of 0.5 on, and hard below: often wrong labels.
        """
        if not 0 <= share <= 1:
            raise InputError(f"Found the share {share:g}; expected 0 to 1.")
        size = self.confidence.size
        ambiguous = set(
            np.argsort(-self.variability, kind="stable")[: round(share * size)].tolist()
        )
        return [
            "ambiguous" if at in ambiguous else "easy" if sure >= 0.5 else "hard"
            for at, sure in enumerate(self.confidence.tolist())
        ]


def data_map(gold: ArrayLike, probabilities: ArrayLike) -> DataMap:
    """Place items on the data map.

    gold: 0 or 1 for each item; probabilities: of yes, one row for each epoch and one column for
    each item.

    >>> found = data_map([1, 0], [[0.6, 0.6], [0.9, 0.8]])
    >>> found.confidence.round(2).tolist(), found.correctness.tolist()
    ([0.75, 0.3], [1.0, 0.0])
    """
    truth, values = np.asarray(gold), np.asarray(probabilities, dtype=np.float64)
    if values.ndim != 2 or truth.shape != values.shape[1:] or not values.size:
        raise InputError(
            f"Found gold of shape {truth.shape} and probabilities of shape {values.shape}; "
            "expected one row for each epoch and one column for each item."
        )
    if not np.isin(truth, (0, 1)).all() or not ((values >= 0) & (values <= 1)).all():
        raise InputError("Found other values; expected gold of 0 or 1 and probabilities.")
    right = np.where(truth == 1, values, 1 - values)
    answers = (values >= 0.5) == (truth == 1)
    return DataMap(right.mean(axis=0), right.std(axis=0), answers.mean(axis=0))
