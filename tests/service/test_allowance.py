"""What a report may read beside its passages: quotations first, then words; all is counted."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.phrase_detector import PhraseDetector

from tactful.checking.options import CheckOptions
from tactful.checking.report import DocumentReport
from tactful.detectors.base import Scores
from tactful.detectors.cost import span_factor, tokens_of
from tactful.documents.document import document_of
from tactful.documents.segments import without_quotations
from tactful.service.engine.checking import (
    CALL_TOKENS,
    Allowance,
    Deadline,
    Known,
    Prescored,
    report_within,
)

OWN = "These poor souls came late, said number {}."
QUOTED = 'They wrote "poor souls" on door {}.'
BLANK = 'They wrote "…" on door {}.'
OPTIONS = CheckOptions(lang="en", quotes="label", frames="off", only=("pcl",))


class Counted(PhraseDetector):
    """Remembers what it was given to read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def score(self, texts: Sequence[str]) -> Scores:
        """Score as the phrases do."""
        self.read += texts
        return super().score(texts)


def report(passages: Sequence[str], allowance: Allowance, detector: Counted) -> DocumentReport:
    document = document_of("\n\n".join(passages))
    scores = PhraseDetector().score(passages)
    known = Known(
        {text: {name: float(scores[name][row]) for name in scores}
         for row, text in enumerate(passages)},
        dict.fromkeys(passages, 10),
    )  # fmt: skip
    with ThreadPoolExecutor(1) as lane:
        prescored = Prescored(detector, lane, known, Deadline(3600), allowance)
        return report_within(prescored, document, OPTIONS, None)


def test_quotations_are_read_before_any_words_are_marked() -> None:
    passages = [OWN.format(1), OWN.format(2), QUOTED.format(3), QUOTED.format(4)]
    blank = [BLANK.format(3), BLANK.format(4)]
    assert without_quotations(passages[2], [(11, 23)]) == blank[0]
    detector = Counted()
    # Enough for all quotations, and for the words of one passage.
    words = CALL_TOKENS + span_factor(detector) * 10
    allowance = Allowance(CALL_TOKENS + sum(tokens_of(detector, blank)) + words)
    found = report(passages, allowance, detector)
    assert [each.quoted for each in found.findings] == [False, False, True, True]
    assert [bool(each.spans) for each in found.findings] == [True, False, False, False]
    assert detector.read == blank
    assert [each.code for each in found.problems] == ["words-not-marked"]
    assert allowance.read == CALL_TOKENS + sum(tokens_of(detector, blank)) + words


@pytest.mark.parametrize(("most", "quoted"), [(1, [True, False, False]), (3, [True] * 3)])
def test_as_many_quotations_are_read_as_the_allowance_permits(
    most: int, quoted: list[bool]
) -> None:
    passages = [QUOTED.format(number) for number in range(3)]
    blank = [BLANK.format(number) for number in range(3)]
    detector = Counted()
    allowance = Allowance(CALL_TOKENS + sum(tokens_of(detector, blank[:most])))
    found = report(passages, allowance, detector)
    assert [each.quoted for each in found.findings] == quoted
    assert detector.read == blank[:most]
    notes = [str(each) for each in found.problems if each.code == "quotations-not-read"]
    assert notes == (
        ["text: found 2 quotations that are treated as the writer's own words; expected fewer "
         "quotations with findings; send the document in parts to have findings in all quotations "
         "recognised as quoted."] if most == 1 else []
    )  # fmt: skip


def test_without_an_allowance_nothing_more_is_read() -> None:
    detector, allowance = Counted(), Allowance(CALL_TOKENS - 1)
    found = report([QUOTED.format(1)], allowance, detector)
    assert [each.quoted for each in found.findings] == [False]
    assert (detector.read, allowance.read) == ([], 0)


def test_sentences_that_are_read_alone_are_counted() -> None:
    sentences = ["Nobody came.", "Nobody left."]
    allowance, detector = Allowance(0), Counted()
    known = Known({}, dict.fromkeys(sentences, 7))
    with ThreadPoolExecutor(1) as lane:
        prescored = Prescored(detector, lane, known, Deadline(3600), allowance)
        scores = prescored.score([*sentences, sentences[0]])
    assert detector.read == sentences
    assert allowance.read == 2 * 7
    assert np.array_equal(scores["pcl"], np.full(3, 0.01, dtype=np.float32))
