"""What the adapters share: texts in, probabilities and the findings of a check out.

A reader remembers only the options. So it can be pickled, and a process that was forked opens an
ONNX session of its own instead of waiting for threads that were not forked with it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.checking.checker import Checker
from tactful.checking.findings import rule_ids
from tactful.checking.models import LOCK, Model, opened_detector
from tactful.checking.options import AUTO, CheckOptions
from tactful.checking.report import DocumentReport, Kind, PlacedFinding
from tactful.detectors.base import BaseDetector, Detector, Scores, Spans
from tactful.detectors.explain.words import occlusion_spans
from tactful.detectors.load import DETECTORS
from tactful.documents.document import Document, document_of
from tactful.errors import InputError
from tactful.types import Finding, Report, Span


@dataclass(frozen=True, slots=True)
class Reading:
    """One text as a reader saw it."""

    probabilities: Mapping[str, float]
    """Of the text as a whole."""
    report: Report
    """What ``tactful check`` finds in it."""


class Reader:
    """Reads texts for some ids, with the thresholds of the card or others.

    Parameters
    ----------
    model
        A detector's name, the folder of its weights, or an open detector.
    only
        Ids, and what they begin with, as in ``tactful check --only``.
    thresholds
        Report an id from this probability on.

    """

    def __init__(
        self,
        model: Model = "default",
        only: Sequence[str] = (),
        thresholds: Mapping[str, float] | None = None,
    ):
        card = opened_detector(model).card
        # The user who names a folder or a detector knows its language.
        lang = AUTO if model in DETECTORS else card.lang
        self.options = CheckOptions(
            model,
            lang,
            tuple(only),
            dict(thresholds or {}),
            frames="off",
            report_lang=AUTO,
        )
        Checker(self.options)  # refuses what is wrong with them
        self.ids = tuple(rule_ids(card, only))

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probabilities of the wanted ids, in the order of the card."""
        with LOCK:
            scores = opened_detector(self.options.model).score(texts)
        return {name: scores[name] for name in self.ids}

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """Return the probabilities of each text, and what a check finds in it.

        All passages of all texts are scored in one call for each language.
        """
        with LOCK:
            checker = Checker(self.options)
            documents = [document_of(text) for text in texts]
            readers: dict[int, Known] = {}
            known = []
            for document in documents:
                detector = checker.detector_for(document)
                known.append(readers.setdefault(id(detector), Known(detector)))
                known[-1].add(document)
            return [
                self._reading(checker, document, reader)
                for document, reader in zip(documents, known, strict=True)
            ]

    def _reading(self, checker: Checker, document: Document, known: "Known") -> Reading:
        is_main = known.card.lang == checker.detector.card.lang
        scores = known.scores_of(document.source)
        report = checker.check_document(document, read_by=known.instead_of)
        return Reading(
            {name: scores[name] for name in (self.ids if is_main else scores)}, _as_report(report)
        )


class Known(BaseDetector):
    """A detector that scores all announced passages in one call, when the first score is needed."""

    def __init__(self, detector: Detector):
        self.card, self._detector = detector.card, detector
        self._texts: dict[str, int] = {}
        self._table: dict[str, NDArray[np.float32]] = {}

    def add(self, document: Document) -> None:
        """Announce the passages of a document, and its text as a whole."""
        for text in (document.source, *(segment.text for segment in document.segments)):
            self._texts.setdefault(text, len(self._texts))

    def scores_of(self, text: str) -> dict[str, float]:
        """Return the scores of one text that was announced."""
        return {name: float(column[0]) for name, column in self.score([text]).items()}

    def instead_of(self, detector: Detector) -> Detector:
        """Return itself, unless the detector makes findings in its own words."""
        return self if isinstance(detector, BaseDetector) else detector

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        if not self._table:
            self._table = self._detector.score(list(self._texts))
        if any(text not in self._texts for text in texts):
            return self._detector.score(texts)
        rows = [self._texts[text] for text in texts]
        return {name: column[rows] for name, column in self._table.items()}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id, as the detector finds them."""
        if isinstance(self._detector, BaseDetector):
            return self._detector.spans(text, ids)
        return occlusion_spans(self._detector, text, ids)


def _as_report(found: DocumentReport) -> Report:
    """Return the findings with the places of their words in the text."""
    findings = tuple(
        replace(_as_finding(each), kinds=tuple(map(_as_finding, each.kinds)))
        for each in found.findings
    )
    return Report(found.source, findings, found.model)


def _as_finding(found: PlacedFinding | Kind) -> Finding:
    return Finding(
        found.id,
        found.probability,
        tuple(Span(span.place.start, span.place.end, found.id) for span in found.spans),
        found.explanation,
        found.confidence,
    )


def require_texts(texts: Sequence[Any], first: int = 0) -> list[str]:
    """Return the texts; what is no text is an error with its row, counted from 0."""
    for row, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            raise InputError(
                f"Row {row}: found {_shown(text)}; expected a text; leave the row out or fill it."
            )
    return [str(text) for text in texts]


def _shown(value: object) -> str:
    if value is None:
        return "nothing (None)"
    if (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType":
        return "nothing (NaN)"
    return f"a value of type {type(value).__name__}"
