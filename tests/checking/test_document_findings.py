"""From a document to findings: gates, thresholds, choices, places in the source, ignores."""

from collections.abc import Sequence

import numpy as np
import pytest

from tactful.checking import findings
from tactful.checking.findings import check_document, choose_ids, without_explanations
from tactful.checking.placing import parent_of, with_frames
from tactful.checking.report import DocumentReport, likelihood
from tactful.detectors.base import BaseDetector, Scores
from tactful.detectors.card import Card
from tactful.documents.document import document_of
from tactful.errors import UnknownNameError, UsageError
from tactful.frames.statements import shown_frame
from tactful.types import Finding, Frame, Implication, Report, Span
from tactful.words import LONGEST_EXCERPT, shorten

LETTER = """\
Dear friends,

With a little help even they can hope again. 🙂 Poor souls!

Nobody asked you: log off.
"""


def ids_of(report: DocumentReport) -> list[list[str]]:
    """Return the ids of the kinds of each finding."""
    return [[kind.id for kind in finding.kinds] for finding in report.findings]


def test_findings_know_where_they_stand(phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of(LETTER))
    kinds = [kind for finding in report.findings for kind in finding.kinds]
    assert [(kind.id, kind.parent, round(kind.probability, 2)) for kind in kinds] == [
        ("pcl", None, 0.83),
        ("pcl.compassion", "pcl", 0.55),
        ("unhealthy.dismissive", "unhealthy", 0.97),
        ("unhealthy", None, 0.64),
    ]
    # 0.83 against a threshold of 0.4: odds of 4.88 against 0.67.
    assert [round(finding.confidence, 2) for finding in report.findings] == [0.88, 0.97]
    assert [finding.id for finding in report.findings] == ["pcl", "unhealthy.dismissive"]
    first = report.findings[0]
    assert (first.name, first.threshold) == ("Patronizing or condescending", 0.4)
    assert LETTER[first.place.start : first.place.end].startswith("With a little help")
    assert (first.place.line, first.place.column) == (3, 1)
    assert [span.words for span in first.spans] == ["even they", "Poor souls"]
    for span in first.spans:
        assert LETTER[span.place.start : span.place.end] == span.words
        assert first.passage.text[span.start : span.end] == span.words
    # The smiling face is one code point, and one column.
    line = LETTER.splitlines()[2]
    assert first.spans[1].place.column == line.index("Poor souls") + 1
    assert first.spans[1].place.end_column == line.index("Poor souls") + 11
    assert "Poor souls" in first.explanation
    assert report.model == "phrases 1"
    assert (report.path, report.kind, report.silenced) == (None, "plain", 0)


def test_spans_come_in_the_order_of_the_text(phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("Poor souls, even they."))
    assert [span.words for span in report.findings[0].spans] == ["Poor souls", "even they"]


def test_a_category_without_its_gate_is_not_reported(phrases: BaseDetector) -> None:
    """Only with PCL is there a category of PCL (base.GATES)."""
    document = document_of("Poor souls!")
    closed = check_document(phrases, document, thresholds={"pcl": 0.9})
    assert closed.findings == ()
    assert check_document(phrases, document, only=["pcl.compassion"]).findings != ()
    both = check_document(phrases, document, only=["pcl.compassion"], thresholds={"pcl": 0.9})
    assert both.findings == ()


def test_only_chosen_ids(phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of(LETTER), only=["unhealthy"])
    assert ids_of(report) == [["unhealthy.dismissive", "unhealthy"]]
    report = check_document(phrases, document_of(LETTER), only=["unhealthy.dismissive"])
    assert ids_of(report) == [["unhealthy.dismissive"]]
    assert report.findings[0].main.parent is None


def test_nothing_with_less_confidence_than_asked_is_reported(phrases: BaseDetector) -> None:
    # The confidences are 0.83 against 0.4, 0.64 against 0.5 and 0.97 against 0.5.
    found = check_document(phrases, document_of(LETTER), least=0.6)
    assert ids_of(found) == [["pcl"], ["unhealthy.dismissive", "unhealthy"]]
    assert found.findings[0].threshold == 0.4
    fewer = check_document(phrases, document_of(LETTER), least=0.87)
    assert ids_of(fewer) == [["pcl"], ["unhealthy.dismissive"]]
    wanted = check_document(
        phrases, document_of(LETTER), least=0.6, thresholds={"pcl.compassion": 0.5}
    )
    assert "pcl.compassion" in ids_of(wanted)[0]


def test_a_threshold_can_be_raised_and_lowered(phrases: BaseDetector) -> None:
    document = document_of(LETTER)
    high = check_document(phrases, document, thresholds={"unhealthy": 0.65, "pcl": 1.0})
    assert [finding.id for finding in high.findings] == ["unhealthy.dismissive"]
    low = check_document(phrases, document, thresholds={"frame.offensive": 0.005})
    assert {"frame.offensive"} <= {finding.id for finding in low.findings}


@pytest.mark.parametrize(
    ("only", "thresholds", "message"),
    [
        (["pcl.compasion"], {}, "Did you mean 'pcl.compassion'"),
        (["unhealty"], {}, "Did you mean 'unhealthy'"),
        ([], {"pcl.metaphor": 0.5}, "no id to find named 'pcl.metaphor'"),
    ],
)
def test_unknown_ids_are_answered_with_the_nearest(
    phrases: BaseDetector, only: list[str], thresholds: dict[str, float], message: str
) -> None:
    with pytest.raises(UnknownNameError, match=message):
        check_document(phrases, document_of("Hello."), only=only, thresholds=thresholds)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_a_threshold_is_a_probability(phrases: BaseDetector, value: float) -> None:
    with pytest.raises(UsageError, match="expected 0 to 1"):
        check_document(phrases, document_of("Hello."), thresholds={"pcl": value})


def test_prefixes_choose_what_is_below_them() -> None:
    known = ("pcl", "pcl.metaphor", "pclx", "frame.lewd")
    assert choose_ids(["pcl"], known) == {"pcl", "pcl.metaphor"}
    assert choose_ids(["frame"], known) == {"frame.lewd"}
    assert choose_ids([], known) == set(known)


def test_parents_are_the_nearest_that_were_found() -> None:
    unfair = "unhealthy.generalisation_unfair"
    assert (
        parent_of(unfair, {"unhealthy", "unhealthy.generalisation"}) == "unhealthy.generalisation"
    )
    assert parent_of(unfair, {"unhealthy"}) == "unhealthy"
    assert parent_of(unfair, set()) is None
    assert parent_of("frame.intent", {"frame.offensive"}) == "frame.offensive"
    assert parent_of("frame.offensive", {"frame.offensive"}) is None
    assert parent_of("mine.own", {"mine"}) is None


def test_passages_are_scored_a_few_hundred_at_a_time(
    phrases: BaseDetector, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    score = phrases.score

    def counted(texts: Sequence[str]) -> Scores:
        sizes.append(len(texts))
        return score(texts)

    monkeypatch.setattr(phrases, "score", counted)
    monkeypatch.setattr(findings, "BATCH", 4)
    document = document_of("\n\n".join(f"Paragraph number {n} even they." for n in range(10)))
    report = check_document(phrases, document)
    assert sizes == [4, 4, 2]
    assert len(report.findings) == len(report.passages) == 10
    assert [finding.place.line for finding in report.findings] == list(range(1, 20, 2))


class ProtocolOnly:
    """Has only what the protocol requires; reports by its own threshold."""

    card = Card("own", "2", ("mine", "pcl"))

    def score(self, texts: Sequence[str]) -> Scores:
        value = np.array([0.6 for _ in texts], dtype=np.float32)
        return {"mine": value, "pcl": value}

    def check(self, text: str) -> Report:
        return Report(text, (Finding("mine", 0.6, (Span(0, 4, "mine"),), "Because."),))


def test_any_object_with_the_protocol_will_do() -> None:
    report = check_document(ProtocolOnly(), document_of("Some words."))
    ((mine, pcl),) = [finding.kinds for finding in report.findings]
    assert (mine.name, mine.explanation, mine.spans[0].words) == ("mine", "Because.", "Some")
    assert (pcl.name, pcl.spans) == ("Patronizing or condescending", ())
    assert pcl.explanation


def test_ignored_passages_are_counted(phrases: BaseDetector) -> None:
    text = "<!-- tactful: ignore -->\nEven they.\n\nEven they.\n"
    report = check_document(phrases, document_of(text, kind="markdown"))
    assert report.silenced == 1
    assert [finding.place.line for finding in report.findings] == [4]


def test_a_silenced_gate_silences_what_is_below_it(phrases: BaseDetector) -> None:
    text = "<!-- tactful: ignore frame.offensive -->\nA very slow queue."
    report = check_document(phrases, document_of(text, kind="markdown"))
    assert (report.findings, report.silenced) == ((), 1)


def test_markup_is_stepped_over_and_offsets_lead_to_the_source(phrases: BaseDetector) -> None:
    text = "# Title\n\nToday **even** they &amp; others.\n"
    report = check_document(phrases, document_of("Today <b>even</b> they", kind="html"))
    span = report.findings[0].spans[0]
    assert span.words == "even they"
    assert "Today <b>even</b> they"[span.place.start : span.place.end] == "even</b> they"
    report = check_document(phrases, document_of(text, kind="markdown"))
    place = report.findings[0].spans[0].place
    assert text[place.start : place.end] == "even** they"
    assert place.line == 3


def test_all_scores_on_request(phrases: BaseDetector) -> None:
    quiet = check_document(phrases, document_of("Hello."))
    assert quiet.passages[0].probabilities is None
    loud = check_document(phrases, document_of("Hello."), only=["pcl"], all_scores=True)
    assert loud.passages[0].probabilities == pytest.approx({"pcl": 0.01, "pcl.compassion": 0.01})


def test_explanations_can_be_left_out(phrases: BaseDetector) -> None:
    report = without_explanations(check_document(phrases, document_of(LETTER)))
    assert {kind.explanation for each in report.findings for kind in each.kinds} == {""}


def test_explanations_that_nobody_wants_are_not_written(
    phrases: BaseDetector, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = without_explanations(check_document(phrases, document_of(LETTER)))
    for name in ("explain", "explanation_of"):  # what writes an explanation would fail
        monkeypatch.setattr(f"tactful.checking.placing.{name}", None)
    assert check_document(phrases, document_of(LETTER), explanations=False) == expected


def test_by_passage_keeps_the_order(phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of(LETTER))
    found = [len(findings) for _, findings in report.by_passage() if findings]
    assert sum(found) == len(report.findings)
    assert [passage for passage, _ in report.by_passage()] == list(report.passages)


@pytest.mark.parametrize("text", ["", " \n\t\n ", "\ufeff"])
def test_a_document_without_text_has_no_findings(phrases: BaseDetector, text: str) -> None:
    report = check_document(phrases, document_of(text))
    assert report.findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "zero\u200bwidth, e\u0301 and even they",
        "even they. " + "x" * 1_000_000,
        "\u202eeven they\u202c \x00 \x1b[31m",
        "even they \udc80\ud800",
        "👩‍👩‍👧‍👦 even they 👩‍👩‍👧‍👦\r\neven they\rmore",
    ],
)
def test_adversarial_text_keeps_right_offsets(phrases: BaseDetector, text: str) -> None:
    report = check_document(phrases, document_of(text))
    assert report.findings
    for finding in report.findings:
        for span in finding.spans:
            assert text[span.place.start : span.place.end].casefold() in ("even they", "poor souls")


def test_words_for_probabilities_follow_the_explanations() -> None:
    assert [likelihood(p) for p in (1.0, 0.9, 0.83, 0.5, 0.3, 0.0)] == [
        "almost certain", "very likely", "likely", "rather likely", "possible", "doubtful",
    ]  # fmt: skip


def test_long_texts_are_shortened_around_the_words() -> None:
    assert shorten("short") == "short"
    text = "a" * 500 + "KEY" + "b" * 500
    assert "KEY" in shorten(text, 500)
    assert all(len(shorten(text, at)) == LONGEST_EXCERPT for at in (0, 500, 1002))
    assert shorten(text, 0).endswith("…")
    assert shorten(text, 1002).startswith("…")
    assert shorten(text, 1002).endswith("b")


class GroupDetector(BaseDetector):
    """Finds a group in every text with the word "they"."""

    card = Card("groups", "1", ("frame.offensive", "frame.group"))

    def score(self, texts: Sequence[str]) -> Scores:
        column = np.array([0.9 if "they" in text else 0.1 for text in texts], dtype=np.float32)
        return {"frame.offensive": column, "frame.group": column}


FRAME = Frame(
    {"frame.group": 0.8},
    ("old folks",),
    ("old folks can't learn",),
    {"frame.offensive": "yes", "frame.group": "yes"},
    (Implication("old folks", "old folks can't learn", 0.7),),
)


def test_a_finding_that_targets_a_group_is_told_with_a_frame() -> None:
    asked: list[str] = []

    def framing(texts: Sequence[str]) -> list[Frame]:
        asked.extend(texts)
        return [FRAME if "learn" in text else Frame() for text in texts]

    text = "Even they can learn.\n\nThe bridge is open.\n\nWhat they do."
    report = with_frames(check_document(GroupDetector(), document_of(text)), framing)
    assert asked == ["Even they can learn.", "What they do."]
    # A frame without a group adds nothing; people are called as they call themselves.
    first, second = (finding.frame for finding in report.findings)
    assert first == shown_frame(FRAME)
    assert first.target_groups == ("older people",)
    assert second is None
    assert ids_of(report) == [["frame.offensive", "frame.group"]] * 2
    without = report.findings[0].keeping(lambda kind: kind.id != "frame.group")
    assert without is not None
    assert without.frame is None


def test_nothing_is_framed_where_no_group_is_found(phrases: BaseDetector) -> None:
    def framing(texts: Sequence[str]) -> list[Frame]:
        raise AssertionError("the framer was asked")

    report = check_document(phrases, document_of(LETTER))
    assert with_frames(report, framing) is report
