from collections.abc import Sequence
from threading import Event

import pytest
from tests.phrase_detector import PhraseDetector
from tests.service.lsp.phrases import phrase_reader

from tactful.checking.configuration import Configuration
from tactful.checking.findings import check_document
from tactful.detectors.protocol import Scores
from tactful.documents.document import Document, document_of
from tactful.errors import InputError, UsageError
from tactful.service.lsp.memory import Memory, fingerprint
from tactful.service.lsp.reader import AT_ONCE, Reader, Reading, Slice, Stale
from tactful.service.lsp.wishes import Wishes

WISHES = Wishes(lang="en", frames="off", least=0.0)


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
    reading = phrase_reader().read(document, WISHES, a_while())
    assert reading.is_whole
    assert reading.report == check_document(PhraseDetector(), document)


def test_only_changed_passages_are_read_again() -> None:
    detector = Counting()
    reader = phrase_reader(detector)
    reader.read(letter("Even they know."), WISHES, a_while())
    detector.seen.clear()
    reader.read(letter("Even they know.", "Poor souls."), WISHES, a_while())
    assert detector.seen == ["Poor souls."]


def test_the_same_passage_is_read_once() -> None:
    detector = Counting()
    reader = phrase_reader(detector)
    reading = reader.read(document_of("\n\n".join(["Even they."] * 30)), WISHES, a_while())
    assert detector.seen == ["Even they."]
    assert len(reading.report.findings) == 30


def test_a_long_document_is_read_in_slices() -> None:
    reader = phrase_reader()
    document = letter("Even they know.", paragraphs=24)
    readings: list[Reading] = []
    while not readings or not readings[-1].is_whole:
        readings.append(reader.read(document, WISHES, no_time()))
        assert len(readings) < 40
    assert len(readings) >= 25 / AT_ONCE
    assert not readings[0].report.findings
    assert readings[-1].report == check_document(PhraseDetector(), document)


def test_the_words_of_a_finding_may_come_later() -> None:
    reader = phrase_reader()
    document = document_of("Even they know.")
    first = reader.read(document, WISHES, no_time())
    assert not first.is_whole
    assert [finding.spans for finding in first.report.findings] == [()]
    second = reader.read(document, WISHES, no_time())
    assert second.is_whole
    assert second.report.findings[0].spans[0].words == "Even they"


def test_what_was_not_read_yet_reaches_no_threshold_at_all() -> None:
    wishes = Wishes(lang="en", frames="off", thresholds={"pcl": 0.0})
    document = letter(paragraphs=AT_ONCE + 1)
    reading = phrase_reader().read(document, wishes, no_time())
    assert len(reading.report.findings) == AT_ONCE


def test_passages_are_read_some_at_a_time() -> None:
    detector = Counting()
    phrase_reader(detector).read(letter(paragraphs=2 * AT_ONCE + 1), WISHES, a_while())
    assert detector.calls == [AT_ONCE, AT_ONCE, 1]


def test_an_offence_is_told_after_the_second_reading_only() -> None:
    """And the same words keep their mark, however long the document is and how it is sliced."""
    offence = "Women should stay at home and leave the thinking to men."
    mention = "My neighbour is Muslim and we share a garden."
    wishes = Wishes(model="fast", lang="en", only=("frame",))
    whole = Reader().read(letter(offence, mention), wishes, a_while())
    told = [(each.id, each.passage.text, each.probability) for each in whole.report.findings]
    assert {text for _, text, _ in told} == {offence}
    assert [each.frame is not None for each in whole.report.findings if each.id == "frame.group"]
    reader, readings = Reader(), [whole]
    while len(readings) == 1 or not readings[-1].is_whole:
        readings.append(reader.read(letter(offence, mention), wishes, no_time()))
        assert {each.passage.text for each in readings[-1].report.findings} <= {offence}
    assert readings[-1].report == whole.report
    alone = Reader().read(document_of(offence), wishes, a_while())
    assert [
        (each.id, each.passage.text, each.probability) for each in alone.report.findings
    ] == told
    off = Wishes(model="fast", lang="en", only=("frame",), frames="off")
    first = reader.read(letter(offence, mention), off, a_while())
    assert mention in {each.passage.text for each in first.report.findings}


def test_stale_work_is_given_up_between_two_calls() -> None:
    stale = Event()

    class Interrupted(Counting):
        def score(self, texts: Sequence[str]) -> Scores:
            stale.set()
            return super().score(texts)

    detector = Interrupted()
    with pytest.raises(Stale):
        phrase_reader(detector).read(letter(paragraphs=99), WISHES, Slice(60, stale))
    assert len(detector.calls) == 1


def test_explanations_can_be_left_out_and_be_in_another_language() -> None:
    document = document_of("Even they know.")
    reader = phrase_reader()
    bare = reader.read(document, Wishes(lang="en", explanations=False, frames="off"), a_while())
    assert bare.report.findings[0].explanation == ""
    spanish = reader.read(document, Wishes(lang="en", report_lang="es", frames="off"), a_while())
    assert spanish.lang == "es"
    assert "Tactful" in spanish.report.findings[0].explanation
    assert spanish.report.findings[0].name != bare.report.findings[0].name


def test_an_unknown_id_is_told_with_the_line_of_the_project() -> None:
    project = Configuration(only=("plc",), lines={"only": 3})
    with pytest.raises(UsageError, match=r"line 3: There is no id to find named 'plc'"):
        phrase_reader().read(
            document_of("Hi there."), Wishes(only=("plc",), project=project), a_while()
        )
    with pytest.raises(UsageError, match=r"^There is no id to find named 'x'"):
        phrase_reader().read(document_of("Hi."), Wishes(thresholds={"x": 0.5}), a_while())


def test_a_language_that_its_detector_does_not_read_is_told() -> None:
    text = "Los vecinos del barrio dicen que la plaza es para todos."
    with pytest.raises(InputError, match="It is Spanish; expected English"):
        phrase_reader().read(document_of(text), Wishes(model="/own", frames="off"), a_while())
    with pytest.raises(UsageError, match="reads 'en' and 'lang' is 'es'"):
        phrase_reader().read(document_of(text), Wishes(lang="es", frames="off"), a_while())


def test_spanish_goes_to_the_spanish_detector() -> None:
    asked: list[tuple[str, str]] = []

    def open_(model: str, lang: str) -> PhraseDetector:
        asked.append((model, lang))
        return PhraseDetector()

    text = "Los vecinos del barrio dicen que la plaza es para todos."
    Reader(open_).read(document_of(text), Wishes(model="fast", frames="off"), a_while())
    assert asked == [("fast", "en"), ("default", "es")]


def test_wanting_what_a_language_has_not_is_told() -> None:
    text = "Los vecinos del barrio dicen que la plaza es para todos."
    with pytest.raises(InputError, match="It is Spanish, in which unhealthy cannot be found"):
        Reader().read(document_of(text), Wishes(only=("unhealthy",), frames="off"), a_while())


def test_memory_is_bounded_and_forgets_what_was_not_asked_for() -> None:
    memory: Memory[int] = Memory(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c"), len(memory)) == (1, None, 3, 2)


def test_a_text_that_is_no_utf_8_has_a_fingerprint() -> None:
    assert fingerprint("\ud83d") != fingerprint("?")
