"""TF-IDF and a support vector machine: the papers' bag-of-words baselines, and exact reasons.

"SVM-BoW" of Pérez-Almendros et al. 2020 (section 5) and "TFIDF+SVC" of DETESTS 2022 (section 5.1).
With a linear kernel the decision is a sum over words, so what each word adds is known exactly.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.detectors.base import BaseDetector, Scores, Spans, calibrated_scores
from tactful.detectors.card import Card, read_card, write_card
from tactful.detectors.explain.words import Contribution, carrying_spans
from tactful.detectors.models.estimator import (
    Numbers,
    TextClassifier,
    binary_table,
    list_of_texts,
    shaped,
)
from tactful.detectors.models.svm import Machine, fit_machines, machine_arrays, machines_of
from tactful.detectors.models.weighted_ngrams import Place, Terms, fit_terms
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import atomic_folder

VERSION = "1"
ARRAYS_FILE = "model.npz"
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


class TfidfSvm(TextClassifier):
    """TF-IDF of n-grams and one support vector machine for each label.

    longest: the most words of an n-gram. most: how many n-grams are kept, all by default. grid:
    search kernel and C by cross-validation instead of taking them. calibrate: fit probabilities
    (Platt); otherwise they are sigmoid(decision), right in order and at 0.5 only.
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
        self.machines_ = fit_machines(
            self.terms_.rows(texts),
            table,
            kernel=self.kernel,
            c=self.C,
            grid=self.grid,
            calibrate=self.calibrate,
            seed=self.random_state,
        )
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X: Sequence[str]) -> Numbers:  # noqa: N803
        """Return the signed distance from the border, above 0 for yes."""
        self.require_fitted("machines_")
        return shaped(decisions(self.terms_, self.machines_, list_of_texts(X)), self.several_)

    def predict(self, X: Sequence[str]) -> NDArray[Any]:  # noqa: N803
        """Return 0 or 1 for each text and label."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def predict_proba(self, X: Sequence[str]) -> Numbers:  # noqa: N803
        """Return probabilities: of 0 and 1, or of 1 for each label if there are several."""
        self.require_fitted("machines_")
        found = decisions(self.terms_, self.machines_, list_of_texts(X))
        return probabilities(self.machines_, found, self.several_)


def decisions(terms: Terms, machines: Sequence[Machine], texts: Sequence[str]) -> Numbers:
    """Return the decision of each machine about each text."""
    rows = terms.rows(texts)
    return np.stack([machine.decision(rows) for machine in machines], axis=1)


def probabilities(machines: Sequence[Machine], found: Numbers, several: bool) -> Numbers:
    """Turn decisions into probabilities in the shape that scikit-learn gives them."""
    columns = [machine.probability(found[:, at]) for at, machine in enumerate(machines)]
    if several:
        return np.stack(columns, axis=1)
    return np.stack([1 - columns[0], columns[0]], axis=1)


class TfidfDetector(BaseDetector):
    """A learnt TF-IDF model behind the protocol of all detectors."""

    def __init__(self, terms: Terms, machines: Sequence[Machine], card: Card):
        if len(machines) != len(card.ids):
            raise InputError(
                f"Found {len(machines)} machines and {len(card.ids)} ids; expected one for each id."
            )
        self.terms, self.machines, self.card = terms, tuple(machines), card

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probability of each id for each text."""
        return calibrated_scores(self.logits(texts), self.card)

    def logits(self, texts: Sequence[str]) -> Numbers:
        """Return the decisions, which stand for the log-odds before calibration."""
        return decisions(self.terms, self.machines, list_of_texts(texts))

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

    def save(self, folder: Path, force: bool = False) -> None:
        """Write the arrays and the card."""
        words = sorted(self.terms.words, key=self.terms.words.__getitem__)
        settings = np.array([self.terms.longest, int(self.terms.strip_accents)])
        with atomic_folder(folder, force) as target:
            np.savez_compressed(
                target / ARRAYS_FILE,
                # No word has a line break in it.
                words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
                idf=self.terms.weights,
                terms=settings,
                **machine_arrays(self.machines),  # type: ignore[arg-type]
            )
            write_card(self.card, target)


def tfidf_detector(
    fitted: TfidfSvm, ids: Sequence[str], lang: str = "en", **about: Any
) -> TfidfDetector:
    """Turn a fitted model into a detector of ``ids``; ``about`` are further fields of its card."""
    fitted.require_fitted("machines_")
    card = Card(
        **{
            "name": "tfidf",
            "version": VERSION,
            "summary": "TF-IDF of words and a support vector machine for each id.",
            "limits": ("It knows words, not what they mean together.",),
            **about,
            "ids": tuple(ids),
            "kind": "tfidf",
            "lang": lang,
            "calibration": platt(ids, fitted.machines_),
            "training": {"settings": fitted.get_params(), **about.get("training", {})},
        }
    )
    return TfidfDetector(fitted.terms_, fitted.machines_, card)


def platt(ids: Sequence[str], machines: Sequence[Machine]) -> dict[str, tuple[float, float]]:
    """Return the scaling of each id as a card has it; the logit of a machine is its decision."""
    return {
        name: (machine.slope, machine.offset) for name, machine in zip(ids, machines, strict=True)
    }


def load_tfidf_detector(folder: Path) -> TfidfDetector:
    """Open the folder of a TF-IDF detector; scikit-learn is not needed."""
    card = read_card(folder)
    arrays = read_arrays(folder / ARRAYS_FILE)
    try:
        words = bytes(arrays["words"]).decode("utf-8").split("\n")
        longest, strip_accents = (int(each) for each in arrays["terms"])
        if len(words) != len(arrays["idf"]):
            raise ValueError(f"{len(words)} words and {len(arrays['idf'])} weights")
        places = {word: at for at, word in enumerate(words)}
        terms = Terms(places, arrays["idf"], longest, bool(strip_accents))
        machines = machines_of(arrays, len(words))
    except (KeyError, ValueError, TypeError) as error:
        raise broken_arrays(folder / ARRAYS_FILE, error) from None
    return TfidfDetector(terms, machines, card)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz file; a broken one is a :class:`FileFormatError`."""
    if not path.is_file():
        raise FileFormatError(
            f"{path.parent}: found no {path.name}; expected the folder of a detector; "
            "check the path or train again."
        )
    try:
        # numpy does not close a file of its own that turns out to be broken.
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise broken_arrays(path, error) from None


def broken_arrays(path: Path, error: Exception) -> FileFormatError:
    """Build the error of an npz file that is not what it should be."""
    return FileFormatError(
        f"{path}: found arrays that do not fit together ({error}); expected those that Tactful "
        "wrote; restore the file or train again."
    )
