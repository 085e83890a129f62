"""TF-IDF and a support vector machine: the papers' bag-of-words baselines, and exact reasons.

"SVM-BoW" of Pérez-Almendros et al. 2020 (section 5) and "TFIDF+SVC" of DETESTS 2022 (section 5.1).
With a linear kernel the decision is a sum over words, so what each word adds is known exactly.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.detectors.base import Contribution, Spans
from tactful.detectors.card import Card, read_card
from tactful.detectors.explain.words import carrying_spans
from tactful.detectors.models.estimator import binary_table, list_of_texts
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
from tactful.detectors.models.weighted_ngrams import Place, Terms, fit_terms
from tactful.errors import UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DPM_TASK_1: dict[str, Any] = {"kernel": "rbf", "C": 10.0}
DPM_TASK_2: dict[str, Any] = {"kernel": "linear", "C": 100.0}
DETESTS: dict[str, Any] = {
    "longest": 3,
    "most": 10_000,
    "strip_accents": True,
    "kernel": "linear",
    "C": 1.0,
}
"""The settings of the papers; what a paper does not name is scikit-learn's default (DETESTS' C)."""


class TfidfSvm(SvmClassifier):
    """TF-IDF of n-grams and one support vector machine for each label.

    longest: the most words of an n-gram. most: how many n-grams are kept, all by default. The other
    settings are those of :class:`~tactful.detectors.models.svm.SvmClassifier`.
    """

    def __init__(
        self,
        longest: int = 1,
        most: int | None = None,
        strip_accents: bool = False,
        kernel: str = "rbf",
        C: float = 10.0,  # noqa: N803 (scikit-learn's name)
        grid: bool = False,
        calibrate: bool = False,
        random_state: int = 1,
    ):
        self.longest = longest
        self.most = most
        self.strip_accents = strip_accents
        self.kernel = kernel
        self.C = C
        self.grid = grid
        self.calibrate = calibrate
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: ArrayLike) -> Self:  # noqa: N803
        """Learn the vocabulary, then a machine for each column of ``y``."""
        texts = list_of_texts(X)
        table, self.several_ = binary_table(y, len(texts))
        self.terms_ = fit_terms(
            texts, longest=self.longest, most=self.most, strip_accents=self.strip_accents
        )
        self._learn(texts, table)
        return self

    def _rows(self, texts: list[str]) -> "csr_array":
        return self.terms_.rows(texts)


class TfidfDetector(SvmDetector):
    """A learnt TF-IDF model behind the protocol of all detectors."""

    def __init__(self, terms: Terms, machines: Sequence[Machine], card: Card):
        super().__init__(machines, card)
        self.terms = terms

    def _rows(self, texts: list[str]) -> "csr_array":
        return self.terms.rows(texts)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        settings = np.array([self.terms.longest, int(self.terms.strip_accents)])
        words = joined_words(self.terms.words)
        return {"words": words, "idf": self.terms.weights, "terms": settings}

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds to the decision of each id, exactly; linear kernels only.

        They add up to the decision minus the intercept. An n-gram is shared by its words in equal
        parts.
        """
        found = self.terms.found(text)
        row = self.terms.rows([text])
        return {name: self._contributions(name, found, row) for name in ids}

    def _contributions(
        self, name: str, found: list[tuple[int, tuple[Place, ...]]], row: Any
    ) -> list[Contribution]:
        machine = self.machines[self._column(name)]
        if machine.kernel != "linear":
            raise UsageError(
                f"'{name}' is decided by the kernel '{machine.kernel}', whose decision is no sum "
                "over words; train with a linear kernel, or use occlusion."
            )
        if not len(machine.weights):
            return []
        times: dict[int, int] = {}
        for at, _ in found:
            times[at] = times.get(at, 0) + 1
        coefficients = np.asarray(machine.support).ravel()
        value = {int(at): float(v) for at, v in zip(row.indices, row.data, strict=True)}
        values: dict[Place, float] = {}
        for at, places in found:
            share = value[at] * coefficients[at] / times[at] / len(places)
            for place in places:
                values[place] = values.get(place, 0.0) + float(share)
        return [Contribution(*place, value) for place, value in sorted(values.items())]

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id: exactly where the kernel is linear."""
        exact = [n for n in ids if self.machines[self._column(n)].kernel == "linear"]
        other = [name for name in ids if name not in exact]
        found = self.contributions(text, exact)
        spans = {name: carrying_spans(text, found[name], name) for name in exact}
        return {**spans, **(super().spans(text, other) if other else {})}

    def _column(self, name: str) -> int:
        if name not in self.card.ids:
            raise UsageError(
                f"This detector does not score '{name}'; it scores {', '.join(self.card.ids)}."
            )
        return self.card.ids.index(name)


def tfidf_detector(
    fitted: TfidfSvm, ids: Sequence[str], lang: str = "en", **about: Any
) -> TfidfDetector:
    """Turn a fitted model into a detector of ``ids``; ``about`` are further fields of its card."""
    about = {
        "summary": "TF-IDF of words and a support vector machine for each id.",
        "limits": ("It knows words, not what they mean together.",),
        **about,
    }
    card = fitted.card("tfidf", ids, lang, about)
    return TfidfDetector(fitted.terms_, fitted.machines_, card)


def load_tfidf_detector(folder: Path) -> TfidfDetector:
    """Open the folder of a TF-IDF detector; scikit-learn is not needed."""
    card = read_card(folder)
    arrays = read_arrays(folder / ARRAYS_FILE)
    try:
        words = parted_words(arrays["words"])
        longest, strip_accents = (int(each) for each in arrays["terms"])
        if len(words) != len(arrays["idf"]):
            raise ValueError(f"{len(words)} words and {len(arrays['idf'])} weights")
        terms = Terms(words, arrays["idf"], longest, bool(strip_accents))
        machines = machines_of(arrays, len(words))
    except (KeyError, ValueError, TypeError) as error:
        raise broken_arrays(folder / ARRAYS_FILE, error) from None
    return TfidfDetector(terms, machines, card)
