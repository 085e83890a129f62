"""One harmful sentence is found among harmless ones, and marked where it is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

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


class Certain(Diluted):
    """Is surest of a passage as a whole."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Return 0.9 for a passage, 0.7 for a sentence with a fool, 0.65 for one with a dolt."""
        shares = [
            0.9 if text.count(".") > 1 else 0.7 * ("fool" in text) or 0.65 * ("dolt" in text)
            for text in texts
        ]
        zeros = np.zeros(len(texts), dtype=np.float32)
        return {"toxicity": np.array(shares, dtype=np.float32), "pcl": zeros}


def test_a_finding_is_placed_on_the_sentence_that_is_reported_alone() -> None:
    text = (QUIET + "You dolt. " + LOUD + QUIET).strip()
    (finding,) = check_document(Certain(), document_of(text)).findings
    assert finding.probability == pytest.approx(0.9)
    assert text[finding.place.start : finding.place.end] == LOUD.strip()


class Twofold(Certain):
    """Finds a second kind, which only the passage as a whole has, and marks its last fool."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Return what it finds, and 0.9 of the second kind for a passage."""
        whole = [0.9 * (text.count(".") > 1) for text in texts]
        return {**super().score(texts), "pcl": np.array(whole, dtype=np.float32)}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the last fool or dolt."""
        at = max(text.rfind("fool"), text.rfind("dolt"))
        return {name: (Span(at, at + 4, name),) if at >= 0 else () for name in ids}


def test_what_the_whole_passage_carries_is_marked_in_the_sentence_of_the_finding() -> None:
    text = (QUIET + LOUD + "You dolt. " + QUIET).strip()
    found = check_document(Twofold(), document_of(text)).findings
    assert {kind.id for finding in found for kind in finding.kinds} == {"toxicity", "pcl"}
    for finding in found:
        assert finding.place.start > 0
        for span in finding.spans:
            assert finding.within[0] <= span.start < span.end <= finding.within[1]


def test_a_finding_that_no_sentence_carries_alone_is_placed_on_all_marks() -> None:
    text = "You and I. Are many. Such fools all."
    detector = Certain()
    detector.card = replace(detector.card, report_thresholds={"toxicity": 0.8})
    (finding,) = check_document(detector, document_of(text)).findings
    assert finding.probability == pytest.approx(0.9)
    (span,) = finding.spans
    assert text[span.place.start : span.place.end] == "fools"


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
        (finding,) = report.findings
        return sorted(kind.id for kind in finding.kinds if kind.id.startswith("pcl"))

    strongest = ["pcl", "pcl.category0", "pcl.category1", "pcl.category2"]
    assert found() == strongest
    assert found(thresholds={"pcl.category4": 0.1}) == [*strongest, "pcl.category4"]


def test_all_variables_of_a_frame_are_reported() -> None:
    report = check_document(Everything(), document_of(LOUD), only=["frame"])
    (finding,) = report.findings
    assert len(finding.kinds) == 5
    assert finding.id == "frame.offensive"


def test_who_asks_for_less_likely_findings_has_them() -> None:
    text = "What a fool you are, dear, and so early in the day."
    detector = Diluted()
    assert 0.3 < detector.score([text])["toxicity"][0] < 0.6
    detector.card = replace(detector.card, thresholds={"toxicity": 0.3})
    assert Checker(model=detector, lang="en", terms="off").check(text).findings == ()
    (finding,) = Checker(model=detector, lang="en", terms="off", least=0.1).check(text).findings
    assert finding.id == "toxicity"


class BySentence(BaseDetector):
    """Finds each word of a table, most in the sentence that has it."""

    WORDS: ClassVar = {"toxicity": "fool", "pcl": "souls", "pcl.compassion": "poor"}

    def __init__(self) -> None:
        limits = dict.fromkeys(self.WORDS, 0.5)
        self.card = Card("words", "1", tuple(self.WORDS), report_thresholds=limits)

    def score(self, texts: Sequence[str]) -> Scores:
        """Return 0.9 for a sentence with the word, and 0.6 for a longer text."""
        return {
            name: np.array(
                [(0.9 if text.count(".") == 1 else 0.6) if word in text else 0.1 for text in texts],
                dtype=np.float32,
            )
            for name, word in self.WORDS.items()
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words."""
        return {
            name: (Span(text.index(word), text.index(word) + len(word), name),)
            for name in ids
            if (word := self.WORDS[name]) in text
        }


def placed(text: str, **options: Any) -> list[tuple[str, list[str]]]:
    """Return the text at the place of each finding, and the ids of its kinds."""
    report = check_document(BySentence(), document_of(text), **options)
    for finding in report.findings:
        assert text[finding.place.start : finding.place.end] == finding.text
        assert finding.passage.text == text.strip()
    return [(finding.text, [kind.id for kind in finding.kinds]) for finding in report.findings]


def test_sentences_with_different_kinds_are_different_findings() -> None:
    assert placed("Good day. Dear souls are here. What a fool.") == [
        ("Dear souls are here.", ["pcl"]),
        ("What a fool.", ["toxicity"]),
    ]


def test_a_category_is_where_its_parent_is() -> None:
    assert placed("Good day. Dear souls are here. They are poor.") == [
        ("Dear souls are here.", ["pcl", "pcl.compassion"]),
    ]


def test_a_sentence_with_several_kinds_is_one_finding() -> None:
    assert placed("Good day. The souls call me a fool. Good night.") == [
        ("The souls call me a fool.", ["toxicity", "pcl"]),
    ]


class Elsewhere(BySentence):
    """Finds compassion in whole passages only, and marks nothing for it."""

    def score(self, texts: Sequence[str]) -> Scores:
        found = super().score(texts)
        whole = np.array([0.7 if text.count(".") > 1 else 0.1 for text in texts], dtype=np.float32)
        return {**found, "pcl": whole, "pcl.compassion": whole}


def test_what_the_whole_passage_carries_joins_the_surest_sentence() -> None:
    report = check_document(Elsewhere(), document_of("Good day. What a fool. Good night."))
    (finding,) = report.findings
    assert finding.text == "What a fool."
    assert [kind.id for kind in finding.kinds] == ["toxicity", "pcl", "pcl.compassion"]


def test_without_a_sentence_the_marks_or_the_passage_are_the_place() -> None:
    text = "Good day. The poor souls. Good night."
    (marked,) = check_document(Elsewhere(), document_of(text), only=["pcl"]).findings
    assert marked.text == "The poor souls."
    (bare,) = check_document(
        Elsewhere(), document_of("Good day. Good night."), only=["pcl"]
    ).findings
    assert (bare.text, bare.place) == ("Good day. Good night.", bare.passage.place)


def test_marks_of_all_kinds_are_joined() -> None:
    (finding,) = check_document(BySentence(), document_of("Those poor souls.")).findings
    assert [span.words for span in finding.spans] == ["poor souls"]
    souls, poor = finding.kinds
    wide = replace(poor.spans[0], start=6, end=12, words="poor s")
    kinds = (souls, replace(poor, spans=(wide,)))
    (span,) = replace(finding, kinds=kinds).spans
    assert (span.words, span.start, span.end) == ("poor souls", 6, 16)
    assert (span.place.start, span.place.end, span.place.end_column) == (6, 16, 17)
