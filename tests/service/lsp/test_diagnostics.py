from dataclasses import replace

import pytest
from lsprotocol.types import DiagnosticSeverity
from tests.service.lsp.phrases import checked, phrases

from tactful.service.lsp.diagnostics import diagnostics_of, docs_link, severity_of
from tactful.service.lsp.settings import DOCS


@pytest.mark.parametrize(
    ("confidence", "severity"),
    [
        (0.99, DiagnosticSeverity.Warning),
        (0.85, DiagnosticSeverity.Warning),
        (0.84, DiagnosticSeverity.Information),
        (0.50, DiagnosticSeverity.Information),
        (0.49, DiagnosticSeverity.Hint),
        (0.0, DiagnosticSeverity.Hint),
    ],
)
def test_severity_goes_by_confidence(confidence: float, severity: DiagnosticSeverity) -> None:
    (finding,) = checked("Even they know.").reading.report.findings
    kind = replace(finding.main, confidence=confidence)
    assert severity_of(replace(finding, kinds=(kind,))) is severity
    if confidence >= 0.5:
        term = replace(kind, id="term.age")
        assert severity_of(replace(finding, kinds=(term,))) is DiagnosticSeverity.Information


def test_a_finding_is_marked_at_its_words() -> None:
    (found,) = diagnostics_of(checked("Hello.\n\nEven they know.\n"), DOCS)
    assert (found.range.start.line, found.range.start.character) == (2, 0)
    assert (found.range.end.line, found.range.end.character) == (2, 9)
    assert (found.code, found.source, found.tags) == ("pcl", "tactful", None)
    assert found.message == (
        "patronizing (very likely, 0.88). Say what the people did, decided or said."
    )
    assert found.code_description is not None
    assert found.code_description.href == DOCS


@pytest.mark.parametrize(
    ("encoding", "start", "end"), [("utf-8", 9, 18), ("utf-16", 5, 14), ("utf-32", 3, 12)]
)
def test_emoji_before_the_words_count_in_the_units_of_the_editor(
    encoding: str, start: int, end: int
) -> None:
    (found,) = diagnostics_of(checked("😀😀 Even they know.", encoding=encoding), DOCS)
    assert (found.range.start.character, found.range.end.character) == (start, end)


def test_one_diagnostic_a_finding_from_the_first_to_the_last_word() -> None:
    (found,) = diagnostics_of(checked("But even they know: poor souls, all."), DOCS)
    assert (found.range.start.character, found.range.end.character) == (4, 30)
    assert found.related_information is None
    assert "patronizing: compassion" in found.message


def test_without_marked_words_the_sentence_is_the_range() -> None:
    known = checked("Even they know.")
    (finding,) = known.reading.report.findings
    bare = replace(finding, kinds=tuple(replace(kind, spans=()) for kind in finding.kinds))
    report = replace(known.reading.report, findings=(bare,))
    (found,) = diagnostics_of(replace(known, reading=replace(known.reading, report=report)), DOCS)
    assert (found.range.start.character, found.range.end.character) == (0, 15)


def test_messages_are_in_the_language_of_the_report() -> None:
    options = phrases(report_lang="es")
    (found,) = diagnostics_of(checked("Even they know.", options=options), DOCS)
    assert "probable" in found.message


def test_a_wrong_directive_is_marked_in_its_line() -> None:
    text = "Fine.\n\n<!-- tactful: ignor pcl -->\n\nFine too.\n"
    (found,) = diagnostics_of(checked(text, "markdown"), DOCS)
    assert found.range.start.line == found.range.end.line == 2
    assert found.severity is DiagnosticSeverity.Information
    assert "expected" in found.message


def test_the_link_may_hold_the_id() -> None:
    assert docs_link("https://x.org/i.html#{id}", "pcl.a b") == "https://x.org/i.html#pcl.a%20b"
