"""What a detector is, and what detectors share: calibration, found ids, carrying words."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.card import Card
from tactful.types import Report, Span

Scores = dict[str, NDArray[np.float32]]
"""id -> one probability per text, in the order of the texts."""


@runtime_checkable
class Detector(Protocol):
    """Anything that scores text: the cheapest and the best are interchangeable."""

    @property
    def card(self) -> Card:
        """Who it is: name, version, ids, thresholds, what it was trained on, its limits."""
        ...

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card, in the order of ``texts``.

        A text that cannot be scored raises: a failed score is missing, never harmless.
        """
        ...

    def check(self, text: str) -> Report:
        """Return what was found in one text: what, how sure, where and why.

        This is the detector's own reading, without the second one of ``tactful check``.
        """
        ...


T = TypeVar("T", bound=np.floating)


def calibrated_scores(logits: NDArray[np.floating], card: Card) -> Scores:
    """Turn log-odds into probabilities, one column for each id of the card."""
    return {
        name: sigmoid(slope * logits[:, at] + intercept).astype(np.float32)
        for at, name in enumerate(card.ids)
        for slope, intercept in [card.scaling(name)]
    }


def sigmoid(values: NDArray[T]) -> NDArray[T]:
    """Return 1 / (1 + exp(-x)), without overflow."""
    small = np.exp(-np.abs(values))
    answer: NDArray[T] = np.where(values >= 0, np.ones_like(small), small) / (1 + small)
    return answer


Spans = Mapping[str, tuple[Span, ...]]

GATES = {"pcl": "pcl.", "frame.offensive": "frame.", "stereotype": "stereotype."}
"""An id below a gate is reported only together with it: a category of PCL is PCL, a category of a
stereotype is one, and there is no group or intent without offence. The attributes of UCC are
reported on their own (Price et al. 2020, section 2), and so are the categories of toxicity: a
polite text can threaten."""


def gates_of(name: str) -> list[str]:
    """Return the gates that an id stands below."""
    return [gate for gate, below in GATES.items() if name.startswith(below) and name != gate]


class BaseDetector(ABC):
    """A detector that needs only to say its scores and, if it can, its spans."""

    card: Card

    @abstractmethod
    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id: by default those whose removal lowers it most."""
        from tactful.detectors.explain.words import occlusion_spans

        return occlusion_spans(self, text, ids)

    def check(self, text: str) -> Report:
        """Return what this detector alone finds in one text: what, how sure, where and why.

        :func:`tactful.check` corrects it: the mere mention of a group is not an offence.
        """
        from tactful.checking.placing import findings_of

        probabilities = {name: float(found[0]) for name, found in self.score([text]).items()}
        thresholds = {name: self.card.threshold(name) for name in self.card.ids}
        ids = found_ids(probabilities, thresholds)
        found = findings_of(self, text, {name: probabilities[name] for name in ids})
        return Report(text, tuple(found), model=self.card.model)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What the word at ``start`` to ``end`` adds to the log-odds of an id."""

    start: int
    end: int
    value: float


class LogitsDetector(BaseDetector):
    """A detector that knows log-odds: the card says how they become probabilities."""

    @abstractmethod
    def logits(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return the log-odds before calibration, one row per text and one column per id."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        return calibrated_scores(self.logits(texts), self.card)


class AdditiveDetector(BaseDetector):
    """A detector that knows what each word adds: the words that add most carry an id."""

    @abstractmethod
    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds to the calibrated log-odds of each id."""

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id."""
        from tactful.detectors.explain.words import carrying_spans

        found = self.contributions(text, ids)
        return {name: carrying_spans(text, found[name], name) for name in ids}


def found_ids(probabilities: Mapping[str, float], thresholds: Mapping[str, float]) -> list[str]:
    """Return the ids that reach their threshold and whose gate is open, in their order.

    A stereotype of which no category is found is one of the others (DETESTS 2022, section 4.1.1).
    """
    reached = {name for name, value in probabilities.items() if value >= thresholds[name]}
    if "stereotype" in reached:
        from tactful.detectors.stereotype_labels import CATEGORIES, OTHERS

        if OTHERS in probabilities and not reached.intersection(CATEGORIES):
            reached.add(OTHERS)
    closed = tuple(
        below for gate, below in GATES.items() if gate in probabilities and gate not in reached
    )
    return [name for name in probabilities if name in reached and not name.startswith(closed)]
