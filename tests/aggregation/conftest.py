"""Judgements of a planted truth by annotators of planted accuracy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tactful.ratings import Ratings


@dataclass(frozen=True)
class Planted:
    ratings: Ratings
    truth: NDArray[np.int64]
    accuracy: NDArray[np.float64]

    def right(self, labels: tuple[str | None, ...]) -> float:
        """Return the share of items with the planted label; no label is not right."""
        names = self.ratings.labels
        pairs = zip(labels, self.truth, strict=True)
        return float(np.mean([label == names[truth] for label, truth in pairs]))

    def gold(self, number: int) -> dict[str, str]:
        return {self.ratings.items[at]: self.ratings.labels[self.truth[at]] for at in range(number)}


@pytest.fixture
def planted() -> Callable[..., Planted]:
    def make(
        items: int = 1500,
        annotators: int = 30,
        per_item: int = 5,
        labels: int = 2,
        seed: int = 1,
        accuracy: Any = None,
    ) -> Planted:
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, labels, items)
        skill = rng.uniform(0.3, 0.98, annotators) if accuracy is None else np.array(accuracy)
        item = np.repeat(np.arange(items), per_item)
        chosen = np.argsort(rng.random((items, annotators)), axis=1)[:, :per_item]
        annotator = chosen.ravel()
        right = rng.random(item.size) < skill[annotator]
        other = (truth[item] + rng.integers(1, labels, item.size)) % labels
        label = np.where(right, truth[item], other)
        ratings = Ratings(
            tuple(f"i{at}" for at in range(items)),
            tuple(f"a{at}" for at in range(annotators)),
            tuple(str(at) for at in range(labels)),
            item,
            annotator,
            label,
        )
        return Planted(ratings, truth, skill)

    return make
