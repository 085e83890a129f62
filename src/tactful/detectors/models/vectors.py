"""Mean word vectors and a support vector machine: the papers' word-vector baselines.

"SVM-WV" of Pérez-Almendros et al. 2020 (section 5; 300-dimensional word2vec of Google News) and
"FastText+SVC" of DETESTS 2022 (section 5.1). The vectors are a file of the user's: word2vec, GloVe
or fastText, text or binary. How much of the texts they know is always said.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.detectors.card import Card, read_card
from tactful.detectors.models.estimator import Numbers, binary_table, list_of_texts
from tactful.detectors.models.fasttext_model import is_fasttext_model, read_fasttext_model
from tactful.detectors.models.svm import (
    ARRAYS_FILE,
    Machine,
    SvmClassifier,
    SvmDetector,
    broken_arrays,
    joined_words,
    machines_of,
    parted_words,
    read_arrays,
)
from tactful.errors import InputError
from tactful.metrics.word_vectors import WordVectors, read_word_vectors

DPM_TASK_1: dict[str, Any] = {"kernel": "poly", "C": 10.0}
DPM_TASK_2: dict[str, Any] = {"kernel": "rbf", "C": 100.0}
DETESTS: dict[str, Any] = {"kernel": "linear", "C": 1.0}
"""The settings of the papers; what a paper does not name is scikit-learn's default (DETESTS' C)."""

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of some texts the vectors know."""

    tokens: int
    known_tokens: int
    types: int
    known_types: int

    def __str__(self) -> str:
        """Say it in one line."""
        if not self.tokens:
            return "there are no words to cover"
        return (
            f"vectors for {100 * self.known_tokens / self.tokens:.1f} % of {self.tokens:,} words "
            f"({100 * self.known_types / self.types:.1f} % of {self.types:,} different ones)"
        )


def words_of(text: str) -> list[str]:
    """Return the words of a text, as written."""
    return _WORD.findall(text)


def read_vectors(path: Path, texts: Iterable[str]) -> WordVectors:
    """Read the vectors of all words of ``texts``, as written and in lower case."""
    words = {word for text in texts for word in words_of(text)}
    words |= {word.lower() for word in words}
    if is_fasttext_model(path):
        return read_fasttext_model(path, sorted(words))
    return read_word_vectors(path, words)


def known_words(vectors: WordVectors, text: str) -> list[str]:
    """Return the words of a text that have a vector, in lower case where only that has one."""
    forms = ((word, word.lower()) for word in words_of(text))
    return [
        word if word in vectors else lowered
        for word, lowered in forms
        if word in vectors or lowered in vectors
    ]


def coverage(vectors: WordVectors, texts: Iterable[str]) -> Coverage:
    """Count how much of the texts the vectors know."""
    tokens = known_tokens = 0
    types: dict[str, bool] = {}
    for text in texts:
        for word in words_of(text):
            known = types.setdefault(word, word in vectors or word.lower() in vectors)
            tokens += 1
            known_tokens += known
    return Coverage(tokens, known_tokens, len(types), sum(types.values()))


def mean_rows(vectors: WordVectors, texts: Sequence[str]) -> Numbers:
    """Return the mean vector of each text; 0 for a text without known words."""
    rows = np.zeros((len(texts), vectors.matrix.shape[1]))
    for at, text in enumerate(texts):
        known = known_words(vectors, text)
        if known:
            rows[at] = vectors.rows(known).mean(axis=0)
    return rows


class VectorsSvm(SvmClassifier):
    """The mean vector of a text's words and one support vector machine for each label.

    vectors: a file, of which the words of the training texts are read, or vectors already read.
    After ``fit``, ``coverage_`` says how much of the training texts they know.
    """

    def __init__(
        self,
        vectors: "WordVectors | Path | str",
        kernel: str = "poly",
        C: float = 10.0,  # noqa: N803 (scikit-learn's name)
        grid: bool = False,
        calibrate: bool = False,
        random_state: int = 1,
    ):
        self.vectors = vectors
        self.kernel = kernel
        self.C = C
        self.grid = grid
        self.calibrate = calibrate
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: ArrayLike) -> Self:  # noqa: N803
        """Look the words up, then learn a machine for each column of ``y``."""
        texts = list_of_texts(X)
        table, self.several_ = binary_table(y, len(texts))
        given = self.vectors
        self.vectors_ = (
            given if isinstance(given, WordVectors) else read_vectors(Path(given), texts)
        )
        self.coverage_ = coverage(self.vectors_, texts)
        if not self.coverage_.known_tokens:
            raise InputError(
                f"Found no vector for any of {self.coverage_.types:,} different words; expected "
                "vectors of the language of the texts; name another file."
            )
        self._learn(texts, table)
        return self

    def _rows(self, texts: list[str]) -> Numbers:
        return mean_rows(self.vectors_, texts)

    def _settings(self) -> dict[str, Any]:
        given = self.vectors
        name = None if isinstance(given, WordVectors) else Path(given).name
        return {**super()._settings(), "vectors": name}


class VectorsDetector(SvmDetector):
    """A learnt word-vector model behind the protocol of all detectors."""

    def __init__(self, vectors: WordVectors, machines: Sequence[Machine], card: Card):
        super().__init__(machines, card)
        self.vectors = vectors

    def _rows(self, texts: list[str]) -> Numbers:
        return mean_rows(self.vectors, texts)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        words, matrix = joined_words(self.vectors.index), self.vectors.matrix.astype(np.float32)
        return {"words": words, "vectors": matrix}


def vectors_detector(
    fitted: VectorsSvm, ids: Sequence[str], lang: str = "en", **about: Any
) -> VectorsDetector:
    """Turn a fitted model into a detector of ``ids``; ``about`` are further fields of its card."""
    fitted.require_fitted("machines_")
    about = {
        "summary": "Mean word vectors and a support vector machine for each id.",
        "limits": (
            "It knows only the words whose vectors were read when it was trained: "
            f"{fitted.coverage_} of the training texts.",
        ),
        **about,
    }
    card = fitted.card("vectors", ids, lang, about)
    return VectorsDetector(fitted.vectors_, fitted.machines_, card)


def load_vectors_detector(folder: Path) -> VectorsDetector:
    """Open the folder of a word-vector detector; scikit-learn is not needed."""
    card = read_card(folder)
    arrays = read_arrays(folder / ARRAYS_FILE)
    try:
        words = parted_words(arrays["words"])
        matrix = np.asarray(arrays["vectors"], dtype=np.float64)
        if matrix.ndim != 2 or len(words) != len(matrix):
            raise ValueError(f"{len(words)} words and vectors of shape {matrix.shape}")
        vectors = WordVectors(words, matrix)
        machines = machines_of(arrays, matrix.shape[1])
    except (KeyError, ValueError, TypeError) as error:
        raise broken_arrays(folder / ARRAYS_FILE, error) from None
    return VectorsDetector(vectors, machines, card)
