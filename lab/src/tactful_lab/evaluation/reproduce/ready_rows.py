"""Models of a table that are trained already: embedded detectors, and those in users' folders."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import Detector, Scores
from tactful.detectors.load import load_detector
from tactful.errors import UsageError

_BATCH = 256


class ReadyModel:
    """A detector behind ``fit`` and ``predict_proba``; it learns nothing.

    Parameters
    ----------
    name
        The name of an embedded detector, or the folder of one.
    labels
        The taxonomy ids that are asked for, in the order of the columns.

    """

    def __init__(self, name: str, labels: Sequence[str]):
        self.detector: Detector = load_detector(name)
        self.labels = tuple(labels)
        missing = [label for label in self.labels if label not in self.detector.card.ids]
        if missing:
            raise UsageError(
                f"The detector {self.detector.card.model} does not score {', '.join(missing)}."
            )
        self._scored: tuple[tuple[str, ...], Scores] = ((), {})

    def get_params(self) -> dict[str, Any]:
        """Return what the answers depend on: the card has the hashes of the training data."""
        card = sha256(repr(sorted(asdict(self.detector.card).items())).encode()).hexdigest()
        return {"detector": self.detector.card.model, "card": card, "labels": self.labels}

    def fit(self, texts: Any, labels: Any, /) -> Self:
        """Learn nothing."""
        return self

    def predict_proba(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        """Return a column of probabilities for each label."""
        scores = self._scores(texts)
        return np.stack([scores[label] for label in self.labels], axis=1).astype(np.float64)

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """Say where a probability reaches the threshold of the card."""
        limits = [self.detector.card.threshold(label) for label in self.labels]
        return (self.predict_proba(texts) >= np.array(limits)).astype(np.int64)

    def _scores(self, texts: Sequence[str]) -> Scores:
        asked = tuple(texts)
        if self._scored[0] != asked:
            self._scored = (asked, score_texts(self.detector, asked))
        return self._scored[1]


def score_texts(
    detector: Detector, texts: Sequence[str], on_progress: Callable[[int, int], None] | None = None
) -> Scores:
    """Score any number of texts, a few at a time."""
    pieces = []
    for at in range(0, len(texts), _BATCH):
        if on_progress is not None:
            on_progress(at, len(texts))
        pieces.append(detector.score(texts[at : at + _BATCH]))
    return {
        name: np.concatenate([piece[name] for piece in pieces] or [np.zeros(0, np.float32)])
        for name in detector.card.ids
    }
