"""One harmful sentence is found among harmless ones, and marked where it is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tactful.checking import Checker
from tactful.checking.findings import check_document
from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card
from tactful.documents.document import document_of
from tactful.types import Span

QUIET = "The council met on Tuesday. "
LOUD = "What a fool. "


class Diluted(BaseDetector):
    """Finds a fool, and less so the more other words there are."""

    card = Card(
        "diluted",
        "1",
        ("toxicity", "pcl"),
        thresholds={"toxicity": 0.4, "pcl": 0.5},
        report_thresholds={"toxicity": 0.6},
    )

    def __init__(self) -> None:
        self.read: list[str] = []

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the share of words that are the fool, times four."""
        self.read += texts
        shares = [min(4 * text.count("fool") / max(len(text.split()), 1), 1.0) for text in texts]
        return {
            "toxicity": np.array(shares, dtype=np.float32),
            "pcl": np.zeros(len(texts), dtype=np.float32),
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the fool."""
        at = text.find("fool")
        return {name: (Span(at, at + 4, name),) if at >= 0 else () for name in ids}


def test_a_sentence_is_found_that_its_paragraph_hides() -> None:
    text = (QUIET * 2 + LOUD + QUIET).strip()
    detector = Diluted()
    assert detector.score([text])["toxicity"][0] < 0.6
    (finding,) = check_document(detector, document_of(text)).findings
    assert finding.probability == 1.0
    (span,) = finding.spans
    assert text[span.place.start : span.place.end] == "fool"
    assert finding.passage.text == text


def test_sentences_of_a_passage_without_suspicion_are_not_read() -> None:
    detector = Diluted()
    assert check_document(detector, document_of(QUIET * 3)).findings == ()
    assert len(detector.read) == 1


def test_a_detector_without_report_thresholds_reads_passages_only() -> None:
    detector = Diluted()
    detector.card = replace(detector.card, report_thresholds={})
    assert check_document(detector, document_of(QUIET * 2 + LOUD + QUIET)).findings == ()
    assert len(detector.read) == 1


def test_a_single_sentence_is_read_once() -> None:
    detector = Diluted()
    check_document(detector, document_of(LOUD))
    assert detector.read == [LOUD.strip()]


def test_a_lower_threshold_raises_suspicion_earlier() -> None:
    text = (QUIET * 20 + LOUD).strip()
    document = document_of(text)
    wanted = {"toxicity": 0.1}
    assert len(check_document(Diluted(), document, thresholds=wanted).findings) == 1


def test_all_scores_are_those_of_the_strongest_sentence() -> None:
    report = check_document(Diluted(), document_of(QUIET + LOUD), all_scores=True)
    assert report.passages[0].probabilities == {"toxicity": 1.0, "pcl": 0.0}


class Everything(BaseDetector):
    """Finds all categories, each a little less than the one before."""

    def __init__(self) -> None:
        names = ("pcl", *(f"pcl.category{number}" for number in range(5)), "frame.offensive")
        variables = ("frame.intent", "frame.lewd", "frame.group", "frame.in_group")
        self.card = Card("everything", "1", (*names, *variables), report_thresholds={"pcl": 0.3})

    def score(self, texts: Sequence[str]) -> Scores:
        """Return falling probabilities from 0.9 on."""
        return {
            name: np.full(len(texts), 0.9 - 0.01 * at, dtype=np.float32)
            for at, name in enumerate(self.card.ids)
        }


def test_of_a_family_only_the_likeliest_categories_are_reported() -> None:
    def found(**options: Any) -> list[str]:
        report = check_document(Everything(), document_of(LOUD), **options)
        return [finding.id for finding in report.findings if finding.id.startswith("pcl")]

    strongest = ["pcl", "pcl.category0", "pcl.category1", "pcl.category2"]
    assert found() == strongest
    assert found(thresholds={"pcl.category4": 0.1}) == [*strongest, "pcl.category4"]


def test_all_variables_of_a_frame_are_reported() -> None:
    report = check_document(Everything(), document_of(LOUD), only=["frame"])
    assert len(report.findings) == 5


def test_who_asks_for_less_likely_findings_has_them() -> None:
    text = "What a fool you are, dear, and so early in the day."
    detector = Diluted()
    assert 0.3 < detector.score([text])["toxicity"][0] < 0.6
    detector.card = replace(detector.card, thresholds={"toxicity": 0.3})
    assert Checker(model=detector, lang="en", terms="off").check(text).findings == ()
    (finding,) = Checker(model=detector, lang="en", terms="off", least=0.1).check(text).findings
    assert finding.id == "toxicity"
