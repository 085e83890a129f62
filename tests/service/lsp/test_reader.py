from collections.abc import Sequence
from dataclasses import replace
from threading import Event

import pytest
from tests.phrase_detector import PhraseDetector
from tests.service.lsp.phrases import phrases

from tactful.checking.findings import check_document
from tactful.checking.options import CheckOptions, Configuration
from tactful.detectors.base import Scores
from tactful.documents.document import Document, document_of
from tactful.errors import UsageError
from tactful.service.lsp.reader import (
    AT_ONCE,
    Memory,
    Reader,
    Reading,
    Slice,
    Stale,
    fingerprint,
)

OPTIONS = phrases()


class Counting(PhraseDetector):
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.calls: list[int] = []

    def score(self, texts: Sequence[str]) -> Scores:
        self.seen += texts
        self.calls.append(len(texts))
        return super().score(texts)


def letter(*middle: str, paragraphs: int = 20) -> Document:
    return document_of("\n\n".join([*(f"Line {at}." for at in range(paragraphs)), *middle]))


def a_while() -> Slice:
    return Slice(60, Event())


def no_time() -> Slice:
    return Slice(-1, Event())


def test_it_finds_what_a_check_finds() -> None:
    document = letter("Even they can log off.", "Poor souls.")
    reading = Reader().read(document, OPTIONS, a_while())
    assert reading.is_whole
    assert reading.report == check_document(PhraseDetector(), document)


def test_only_changed_passages_are_read_again() -> None:
    detector = Counting()
    reader, options = Reader(), phrases(detector)
    reader.read(letter("Even they know."), options, a_while())
    detector.seen.clear()
    reader.read(letter("Even they know.", "Poor souls."), options, a_while())
    assert detector.seen == ["Poor souls."]


def test_the_same_passage_is_read_once() -> None:
    detector = Counting()
    reader, options = Reader(), phrases(detector)
    reading = reader.read(document_of("\n\n".join(["Even they."] * 30)), options, a_while())
    assert detector.seen == ["Even they."]
    assert len(reading.report.findings) == 30


def test_a_long_document_is_read_in_slices() -> None:
    reader = Reader()
    document = letter("Even they know.", paragraphs=24)
    readings: list[Reading] = []
    while not readings or not readings[-1].is_whole:
        readings.append(reader.read(document, OPTIONS, no_time()))
        assert len(readings) < 40
    assert len(readings) >= 25 / AT_ONCE
    assert not readings[0].report.findings
    assert readings[-1].report == check_document(PhraseDetector(), document)


def test_the_words_of_a_finding_may_come_later() -> None:
    reader = Reader()
    document = document_of("Even they know.")
    first = reader.read(document, OPTIONS, no_time())
    assert not first.is_whole
    assert [finding.spans for finding in first.report.findings] == [()]
    second = reader.read(document, OPTIONS, no_time())
    assert second.is_whole
    assert second.report.findings[0].spans[0].words == "Even they"


def test_what_was_not_read_yet_reaches_no_threshold_at_all() -> None:
    options = phrases(thresholds={"pcl": 0.0})
    document = letter(paragraphs=AT_ONCE + 1)
    reading = Reader().read(document, options, no_time())
    assert len(reading.report.findings) == AT_ONCE


def test_passages_are_read_some_at_a_time() -> None:
    detector = Counting()
    Reader().read(letter(paragraphs=2 * AT_ONCE + 1), phrases(detector), a_while())
    assert detector.calls == [AT_ONCE, AT_ONCE, 1]


def test_an_offence_is_reported_and_a_mention_is_not() -> None:
    """And the same words keep their mark, however long the document is and how it is sliced."""
    offence = "Women are too stupid to vote."
    mention = "My neighbour is Muslim and we share a garden."
    limits = {"frame.offensive": 0.6, "frame.group": 0.6}
    options = CheckOptions("default", lang="en", only=("frame",), thresholds=limits)
    whole = Reader().read(letter(offence, mention), options, a_while())
    told = [(each.id, each.passage.text, each.probability) for each in whole.report.findings]
    assert {text for _, text, _ in told} == {offence}
    assert "frame.group" in [kind.id for each in whole.report.findings for kind in each.kinds]
    assert whole.report.findings[0].frame is not None
    reader, readings = Reader(), [whole]
    while len(readings) == 1 or not readings[-1].is_whole:
        readings.append(reader.read(letter(offence, mention), options, no_time()))
        assert {each.passage.text for each in readings[-1].report.findings} <= {offence}
    assert readings[-1].report == whole.report
    alone = Reader().read(document_of(offence), options, a_while())
    assert [
        (each.id, each.passage.text, each.probability) for each in alone.report.findings
    ] == told
    off = replace(options, frames="off")
    bare = reader.read(letter(offence, mention), off, a_while())
    assert [(each.id, each.probability) for each in bare.report.findings] == [
        (name, value) for name, _, value in told
    ]
    assert not any(each.frame for each in bare.report.findings)


def test_stale_work_is_given_up_between_two_calls() -> None:
    stale = Event()

    class Interrupted(Counting):
        def score(self, texts: Sequence[str]) -> Scores:
            stale.set()
            return super().score(texts)

    detector = Interrupted()
    with pytest.raises(Stale):
        Reader().read(letter(paragraphs=99), phrases(detector), Slice(60, stale))
    assert len(detector.calls) == 1


def test_explanations_can_be_left_out_and_be_in_another_language() -> None:
    document = document_of("Even they know.")
    reader = Reader()
    bare = reader.read(document, phrases(explanations=False), a_while())
    assert bare.report.findings[0].explanation == ""
    spanish = reader.read(document, phrases(report_lang="es"), a_while())
    assert spanish.lang == "es"
    assert "personas" in spanish.report.findings[0].explanation
    assert spanish.report.findings[0].name != bare.report.findings[0].name


def test_an_unknown_id_is_told_with_the_line_of_the_project() -> None:
    project = Configuration(only=("plc",), lines={"only": 3})
    wrong = phrases(only=("plc",), configuration=project)
    with pytest.raises(UsageError, match=r"line 3: There is no id to find named 'plc'"):
        Reader().read(document_of("Hi there."), wrong, a_while())
    with pytest.raises(UsageError, match=r"^There is no id to find named 'x'"):
        Reader().read(document_of("Hi."), phrases(thresholds={"x": 0.5}), a_while())


def test_memory_is_bounded_and_forgets_what_was_not_asked_for() -> None:
    memory: Memory[int] = Memory(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c"), len(memory)) == (1, None, 3, 2)


def test_a_text_that_is_no_utf_8_has_a_fingerprint() -> None:
    assert fingerprint("\ud83d") != fingerprint("?")
