"""What costs nothing and knows nothing: random guesses and constant answers.

They put the figures of real detectors in context: "Random" of Pérez-Almendros et al. 2020
(section 5) is :class:`UniformRandom`; "RandomClassifier", "AllOnes" and "AllZeros" of DETESTS 2022
(section 5.1) are :class:`PriorRandom`, :class:`AllOnes` and :class:`AllZeros`.

A guess is drawn from the seed and the input itself, not from its place in a list: the same text
gets the same answer alone, in any batch and in any order.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card, read_card, write_card
from tactful.detectors.models.estimator import Numbers, TextClassifier
from tactful.errors import FileFormatError, InputError
from tactful.files import atomic_folder

VERSION = "1"
_RANGE = 2**64


class Baseline(TextClassifier):
    """What the baselines share: each label has classes, and a probability for each of them."""

    def __sklearn_tags__(self) -> Any:
        """Take any input, as nothing is read from it, and promise no good score."""
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_class = True
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X: Any, y: ArrayLike) -> Self:  # noqa: N803 (scikit-learn passes X by name)
        """Learn the classes and how frequent they are; ``X`` is not looked at."""
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import column_or_1d

        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_classification_targets(y)
        table = np.asarray(y)
        self.several_ = table.ndim == 2 and table.shape[1] > 1
        if not self.several_:
            table = column_or_1d(table, warn=True).reshape(-1, 1)
        self.class_lists_: list[NDArray[Any]] = []
        self.chances_: list[Numbers] = []
        for column in table.T:
            found, counts = np.unique(column, return_counts=True)
            if self.several_:
                # A label that no text of the training part has is still a label.
                found, counts = np.array([0, 1]), np.array([np.sum(column == 0), column.sum()])
            self.class_lists_.append(found)
            self.chances_.append(self._chances(counts / counts.sum()))
        self.classes_ = self.class_lists_ if self.several_ else self.class_lists_[0]
        return self

    @abstractmethod
    def _chances(self, frequencies: Numbers) -> Numbers:
        """Return how probable each class is, from how frequent it was."""

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return a class for each input, one column for each label."""
        drawn = self._drawn(X)
        columns = [found[at] for found, at in zip(self.class_lists_, drawn.T, strict=True)]
        return np.stack(columns, axis=1) if self.several_ else columns[0]

    def predict_proba(self, X: Any) -> Numbers | list[Numbers]:  # noqa: N803
        """Return 1 for what is guessed and 0 for the rest, with a column for each class.

        Several labels give a list of such tables, as scikit-learn's ``DummyClassifier`` does.
        """
        drawn = self._drawn(X)
        tables = [
            np.eye(len(found))[at] for found, at in zip(self.class_lists_, drawn.T, strict=True)
        ]
        return tables if self.several_ else tables[0]

    def _drawn(self, inputs: Any) -> NDArray[np.int64]:
        self.require_fitted("chances_")
        seed = getattr(self, "random_state", 0)
        limits = [np.cumsum(chances)[:-1] for chances in self.chances_]
        rows = [
            [np.searchsorted(at, _draw(seed, column, row), side="right")
             for column, at in enumerate(limits)]
            for row in _rows(inputs)
        ]  # fmt: skip
        return np.array(rows, dtype=np.int64).reshape(-1, len(limits))


class UniformRandom(Baseline):
    """Guesses every class with the same probability, each label for itself."""

    def __init__(self, random_state: int = 1):
        self.random_state = random_state

    def _chances(self, frequencies: Numbers) -> Numbers:
        return np.full(len(frequencies), 1 / len(frequencies))


class PriorRandom(Baseline):
    """Guesses every class as often as the training part has it, each label for itself."""

    def __init__(self, random_state: int = 1):
        self.random_state = random_state

    def _chances(self, frequencies: Numbers) -> Numbers:
        return frequencies


class AllOnes(Baseline):
    """Answers yes to everything: always the last class, which of 0 and 1 is 1."""

    def _chances(self, frequencies: Numbers) -> Numbers:
        return _only(len(frequencies) - 1, len(frequencies))


class AllZeros(Baseline):
    """Answers no to everything: always the first class, which of 0 and 1 is 0."""

    def _chances(self, frequencies: Numbers) -> Numbers:
        return _only(0, len(frequencies))


STRATEGIES: dict[str, type[Baseline]] = {
    "uniform-random": UniformRandom,
    "prior-random": PriorRandom,
    "all-ones": AllOnes,
    "all-zeros": AllZeros,
}


class BaselineDetector(BaseDetector):
    """A fitted baseline behind the protocol of all detectors."""

    def __init__(self, baseline: Baseline, card: Card):
        baseline.require_fitted("chances_")
        if len(baseline.chances_) != len(card.ids):
            raise InputError(
                f"Found a baseline of {len(baseline.chances_)} labels and a card of "
                f"{len(card.ids)} ids; expected one label for each id."
            )
        if any(list(found) not in ([0, 1], [0], [1]) for found in baseline.class_lists_):
            raise InputError("Found classes other than 0 and 1; expected labels of 0 and 1.")
        self.baseline, self.card = baseline, card

    def score(self, texts: Sequence[str]) -> Scores:
        """Return 0 or 1 for each text and id."""
        drawn = self.baseline._drawn(list(texts))
        lists = self.baseline.class_lists_
        return {
            name: lists[at][drawn[:, at]].astype(np.float32)
            for at, name in enumerate(self.card.ids)
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return nothing: no word carries a guess."""
        return {}

    def save(self, folder: Path, force: bool = False) -> None:
        """Write the card, which holds all there is to know."""
        with atomic_folder(folder, force) as target:
            write_card(self.card, target)


def baseline_detector(
    baseline: Baseline, ids: Sequence[str], lang: str = "en", **about: Any
) -> BaselineDetector:
    """Turn a fitted baseline into a detector of ``ids``; ``about`` are further fields of its card.

    >>> coin = UniformRandom(random_state=3).fit(["one", "two"], [0, 1])
    >>> detector = baseline_detector(coin, ["pcl"])
    >>> bool((detector.score(["same"])["pcl"] == detector.score(["other", "same"])["pcl"][1])[0])
    True
    """
    baseline.require_fitted("chances_")
    strategy = next(name for name, kind in STRATEGIES.items() if type(baseline) is kind)
    learnt = {
        "strategy": strategy,
        "random_state": getattr(baseline, "random_state", None),
        "classes": [[int(each) for each in found] for found in baseline.class_lists_],
        "chances": [chances.tolist() for chances in baseline.chances_],
    }
    card = Card(
        **{
            "name": strategy,
            "version": VERSION,
            "summary": "A baseline that does not read the text; it puts other figures in context.",
            "not_for": ("anything but comparison",),
            **about,
            "ids": tuple(ids),
            "kind": "baseline",
            "lang": lang,
            "training": {**about.get("training", {}), "baseline": learnt},
        }
    )
    return BaselineDetector(baseline, card)


def load_baseline_detector(folder: Path) -> BaselineDetector:
    """Open the folder of a baseline."""
    card = read_card(folder)
    try:
        learnt = card.training["baseline"]
        kind = STRATEGIES[learnt["strategy"]]
        seed = learnt["random_state"]
        baseline = kind() if seed is None else kind(random_state=int(seed))  # type: ignore[call-arg]
        baseline.class_lists_ = [np.array(found, dtype=np.int64) for found in learnt["classes"]]
        baseline.chances_ = [np.array(chances, dtype=np.float64) for chances in learnt["chances"]]
        baseline.several_ = len(card.ids) > 1
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"{folder}: found a card without a whole baseline ({type(error).__name__}: {error}); "
            "expected one that Tactful wrote; restore the file."
        ) from None
    return BaselineDetector(baseline, card)


def _only(chosen: int, classes: int) -> Numbers:
    """Return the chances of a choice that is always the same."""
    return np.array([float(at == chosen) for at in range(classes)])


def _rows(inputs: Any) -> Iterator[bytes]:
    """Yield what identifies each input: the text, or the numbers of a row."""
    if hasattr(inputs, "tocsr"):
        inputs = inputs.tocsr().toarray()
    elif not isinstance(inputs, list | tuple):
        inputs = np.asarray(inputs)
    for each in inputs:
        if isinstance(each, str):
            yield each.encode("utf-8", "surrogatepass")
        else:
            yield np.ascontiguousarray(each).tobytes()


def _draw(seed: int, column: int, row: bytes) -> float:
    """Return a number from 0 to 1 that depends on nothing but these three."""
    digest = blake2b(f"{seed} {column} ".encode() + row, digest_size=8).digest()
    return int.from_bytes(digest, "little") / _RANGE
