"""Balanced accuracy: the mean of the shares of each class that were predicted rightly."""

import numpy as np
from numpy.typing import ArrayLike

from tactful.metrics.result import Measure, measure


@measure("binary", low=0, high=1, perfect=1)
def balanced_accuracy_score(gold: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the balanced accuracy; undefined when ``gold`` has only one class.

    >>> print(balanced_accuracy_score([1, 1, 0, 0], [1, 0, 0, 0]))
    balanced accuracy: 0.7500
    """
    truth, guess = np.asarray(gold), np.asarray(predicted)
    if set(np.unique(truth).tolist()) != {0, 1}:
        return Measure("balanced accuracy", None, "gold has only one class", items=truth.size)
    shares = [float(np.mean(guess[truth == label] == label)) for label in (0, 1)]
    return Measure("balanced accuracy", sum(shares) / 2, items=truth.size)
