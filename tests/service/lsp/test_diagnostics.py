import pytest
from lsprotocol.types import DiagnosticSeverity
from tests.service.lsp.phrases import checked, phrases

from tactful.service.lsp.diagnostics import diagnostics_of, docs_link, severity_of
from tactful.service.lsp.settings import DOCS


@pytest.mark.parametrize(
    ("probability", "severity"),
    [
        (0.99, DiagnosticSeverity.Warning),
        (0.70, DiagnosticSeverity.Warning),
        (0.69, DiagnosticSeverity.Information),
        (0.50, DiagnosticSeverity.Information),
        (0.49, DiagnosticSeverity.Hint),
        (0.0, DiagnosticSeverity.Hint),
    ],
)
def test_severity_goes_by_probability(probability: float, severity: DiagnosticSeverity) -> None:
    assert severity_of(probability) is severity


def test_a_finding_is_marked_at_its_words() -> None:
    (found,) = diagnostics_of(checked("Hello.\n\nEven they know.\n"), DOCS, related=True)
    assert (found.range.start.line, found.range.start.character) == (2, 0)
    assert (found.range.end.line, found.range.end.character) == (2, 9)
    assert (found.code, found.source, found.tags) == ("pcl", "tactful", None)
    assert found.message == "Patronizing or condescending: likely, 0.83"
    assert found.code_description is not None
    assert found.code_description.href == DOCS


@pytest.mark.parametrize(
    ("encoding", "start", "end"), [("utf-8", 9, 18), ("utf-16", 5, 14), ("utf-32", 3, 12)]
)
def test_emoji_before_the_words_count_in_the_units_of_the_editor(
    encoding: str, start: int, end: int
) -> None:
    (found,) = diagnostics_of(
        checked("😀😀 Even they know.", encoding=encoding), DOCS, related=True
    )
    assert (found.range.start.character, found.range.end.character) == (start, end)


def test_further_words_are_related_places_where_the_editor_shows_them() -> None:
    text = "Even they know. Poor <b>souls</b>.".replace("<b>", "").replace("</b>", "")
    pcl = diagnostics_of(checked(text), DOCS, related=True)[0]
    assert pcl.related_information is not None
    assert [each.message for each in pcl.related_information] == ["“Poor souls”"]
    assert diagnostics_of(checked(text), DOCS, related=False)[0].related_information is None


def test_messages_are_in_the_language_of_the_report() -> None:
    options = phrases(report_lang="es")
    (found,) = diagnostics_of(checked("Even they know.", options=options), DOCS, related=True)
    assert "probable" in found.message


def test_a_wrong_directive_is_marked_in_its_line() -> None:
    text = "Fine.\n\n<!-- tactful: ignor pcl -->\n\nFine too.\n"
    (found,) = diagnostics_of(checked(text, "markdown"), DOCS, related=True)
    assert found.range.start.line == found.range.end.line == 2
    assert found.severity is DiagnosticSeverity.Information
    assert "expected" in found.message


def test_the_link_may_hold_the_id() -> None:
    assert docs_link("https://x.org/i.html#{id}", "pcl.a b") == "https://x.org/i.html#pcl.a%20b"
