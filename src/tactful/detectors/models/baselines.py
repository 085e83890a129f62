"""What costs nothing and knows nothing: random guesses and constant answers.

They put the figures of real detectors in context: "Random" of Pérez-Almendros et al. 2020
(section 5) is :class:`UniformRandom`; "RandomClassifier", "AllOnes" and "AllZeros" of DETESTS 2022
(section 5.1) are :class:`PriorRandom`, :class:`AllOnes` and :class:`AllZeros`.

A guess depends on the seed and the text, not on its place in a list: the same text gets the same
answer alone, in any batch and in any order.
"""

from abc import abstractmethod
from collections.abc import Sequence
from hashlib import blake2b
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from tactful.detectors.models.estimator import Numbers, TextClassifier, binary_table, list_of_texts

_RANGE = 2**64


class Baseline(TextClassifier):
    """Answers yes to each label with a probability that does not depend on the text."""

    random_state = 0

    def fit(self, X: Sequence[str], y: ArrayLike) -> Self:  # noqa: N803 (scikit-learn's name)
        """Learn how frequent each label is; the texts are not read."""
        table, self.several_ = binary_table(y, len(list_of_texts(X)))
        self.chances_ = self._chances(table.mean(axis=0))
        self.classes_ = np.array([0, 1])
        return self

    @abstractmethod
    def _chances(self, frequencies: Numbers) -> Numbers:
        """Return how probable a yes is, from how frequent it was."""

    def predict_proba(self, X: Sequence[str]) -> Numbers:  # noqa: N803
        """Return 1 for each guess: of 0 and 1, or of 1 for each label if there are several."""
        found = (self._decisions(X) > 0).astype(np.float64)
        return found if self.several_ else np.stack([1 - found[:, 0], found[:, 0]], axis=1)

    def _decisions(self, texts: Sequence[str]) -> Numbers:
        self.require_fitted("chances_")
        columns = range(len(self.chances_))
        draws = [
            [_draw(self.random_state, at, text) for at in columns] for text in list_of_texts(texts)
        ]
        drawn = np.array(draws, dtype=np.float64).reshape(-1, len(columns))
        return np.where(drawn >= 1 - self.chances_, 1.0, -1.0)


class UniformRandom(Baseline):
    """Guesses yes with a probability of one half, each label for itself."""

    def __init__(self, random_state: int = 1):
        self.random_state = random_state

    def _chances(self, frequencies: Numbers) -> Numbers:
        return np.full_like(frequencies, 0.5)


class PriorRandom(Baseline):
    """Guesses yes as often as the training part has it, each label for itself."""

    def __init__(self, random_state: int = 1):
        self.random_state = random_state

    def _chances(self, frequencies: Numbers) -> Numbers:
        return frequencies


class AllOnes(Baseline):
    """Answers yes to everything."""

    def _chances(self, frequencies: Numbers) -> Numbers:
        return np.ones_like(frequencies)


class AllZeros(Baseline):
    """Answers no to everything."""

    def _chances(self, frequencies: Numbers) -> Numbers:
        return np.zeros_like(frequencies)


STRATEGIES: dict[str, type[Baseline]] = {
    "uniform-random": UniformRandom,
    "prior-random": PriorRandom,
    "all-ones": AllOnes,
    "all-zeros": AllZeros,
}


def _draw(seed: int, column: int, text: str) -> float:
    """Return a number from 0 to 1 that depends on nothing but these three."""
    row = f"{seed} {column} {text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(row, digest_size=8).digest(), "little") / _RANGE
