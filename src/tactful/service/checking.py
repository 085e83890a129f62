"""A check inside the service: as ``tactful check`` does it, with scores that were read in batches.

The report is put together in a thread of its own. Whatever needs the detector goes through the
detector's lane, one passage at a time, so that a long document never holds up the others.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from tactful.detectors.base import BaseDetector, Spans
from tactful.detectors.card import Card
from tactful.detectors.checker import (
    DocumentReport,
    Framing,
    check_document,
    with_frames,
    without_explanations,
)
from tactful.detectors.documents import Document
from tactful.detectors.protocol import Detector, Scores
from tactful.detectors.reports.language import in_language
from tactful.service.errors import TimedOut


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment at which a request is given up."""

    seconds: float
    at: float = field(default=0.0)

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """Return the deadline that lies so many seconds ahead."""
        return cls(seconds, time.monotonic() + seconds)

    def left(self) -> float:
        """Return the seconds that are left; none left raises."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise TimedOut(self.seconds)
        return left


class Prescored(BaseDetector):
    """A detector whose scores are known already; it asks the true one for words only."""

    def __init__(
        self,
        detector: Detector,
        lane: Executor,
        known: Mapping[str, Mapping[str, float]],
        deadline: Deadline,
    ):
        self.card: Card = detector.card
        self._detector, self._lane, self._known = detector, lane, known
        self._deadline = deadline

    def score(self, texts: Sequence[str]) -> Scores:
        """Return what is known; other texts are those with words left out, for the spans."""
        if any(text not in self._known for text in texts):
            asked = self._lane.submit(self._detector.score, list(texts))
            return asked.result(self._deadline.left())
        rows = [self._known[text] for text in texts]
        return {
            name: np.array([row[name] for row in rows], dtype=np.float32) for name in self.card.ids
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id, as the true detector finds them."""
        left = self._deadline.left()
        if not isinstance(self._detector, BaseDetector):
            return super().spans(text, ids)
        return self._lane.submit(self._detector.spans, text, ids).result(left)


@dataclass(frozen=True, slots=True)
class CheckWishes:
    """What a check looks for, and how it is told; each as the option of ``tactful check``."""

    only: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    least: float = 0.2
    explanations: bool = True
    report_lang: str = "en"


def report_on(
    detector: Prescored, document: Document, wishes: CheckWishes, framing: Framing | None
) -> DocumentReport:
    """Return what was found in a document, as ``tactful check`` reports it."""
    report = check_document(
        detector,
        document,
        only=wishes.only,
        thresholds=wishes.thresholds,
        least=wishes.least,
    )
    if framing is not None:
        report = with_frames(report, framing)
    if not wishes.explanations:
        report = without_explanations(report)
    return in_language(report, wishes.report_lang)
