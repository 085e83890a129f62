"""Findings as an editor shows them: a range, a severity, a message and a link."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
    Range,
)

from tactful.checking.report import Place, PlacedFinding
from tactful.checking.wording import Wording, wording
from tactful.documents.document import Document
from tactful.errors import Problem
from tactful.service.lsp.documents import Snapshot
from tactful.service.lsp.lines import Places
from tactful.service.lsp.reader import Reading
from tactful.words import shorten, visible

SOURCE = "tactful"
SEVERITIES = (
    (0.70, DiagnosticSeverity.Warning),
    (0.50, DiagnosticSeverity.Information),
    (0.00, DiagnosticSeverity.Hint),
)
"""The least probability of each severity. Nothing is an error: a person decides."""
_LONGEST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Checked:
    """An open document with what was found in it."""

    snapshot: Snapshot
    document: Document
    places: Places
    reading: Reading

    @property
    def wording(self) -> Wording:
        """The wording of messages, in the language of the report."""
        return wording(self.reading.lang)

    def spots(self, finding: PlacedFinding) -> list[Place]:
        """Return where a finding is marked: at its carrying words, or else at its passage."""
        return [span.place for span in finding.spans] or [finding.place]

    def findings_in(self, start: int, end: int) -> Iterator[tuple[PlacedFinding, Place]]:
        """Yield the findings that are marked within, or around, a piece of the source."""
        for finding in self.reading.report.findings:
            for spot in self.spots(finding):
                if spot.start <= end and start <= spot.end:
                    yield finding, spot
                    break


def severity_of(probability: float) -> DiagnosticSeverity:
    """Return the severity that an editor shows for a probability.

    >>> severity_of(0.7).name
    'Warning'
    """
    return next(severity for least, severity in SEVERITIES if probability >= least)


def diagnostics_of(checked: Checked, docs: str, *, related: bool) -> list[Diagnostic]:
    """Return what an editor shows; further places only where it can show ``related`` ones."""
    report = checked.reading.report
    return [
        *(_diagnostic(checked, finding, docs, related) for finding in report.findings),
        *(_directive_problem(checked, problem) for problem in report.problems),
    ]


def range_of(checked: Checked, place: Place) -> Range:
    """Return a place as a range of the editor."""
    return checked.places.range(place.start, place.end)


def docs_link(docs: str, name: str) -> str:
    """Return the address of the page on an id."""
    return docs.replace("{id}", quote(name))


def _diagnostic(checked: Checked, finding: PlacedFinding, docs: str, related: bool) -> Diagnostic:
    first, *others = checked.spots(finding)
    return Diagnostic(
        range=range_of(checked, first),
        severity=severity_of(finding.probability),
        code=finding.id,
        code_description=CodeDescription(href=docs_link(docs, finding.id)),
        source=SOURCE,
        message=f"{visible(finding.name)}: {checked.wording.how_sure(finding.probability)}",
        related_information=[_related(checked, place) for place in others] or None
        if related
        else None,
    )


def _related(checked: Checked, place: Place) -> DiagnosticRelatedInformation:
    words = checked.snapshot.text[place.start : place.end]
    return DiagnosticRelatedInformation(
        location=Location(checked.snapshot.uri, range_of(checked, place)),
        message=checked.wording.quote(shorten(visible(words), longest=_LONGEST_WORDS)),
    )


def _directive_problem(checked: Checked, problem: Problem) -> Diagnostic:
    starts = [each.start for each in checked.document.directives]
    lines = {checked.document.line_column(start)[0]: start for start in starts}
    start = lines.get(problem.line or 0, 0)
    _, end = checked.places.line_span(start)
    return Diagnostic(
        range=checked.places.range(start, end),
        severity=DiagnosticSeverity.Information,
        code=problem.code,
        source=SOURCE,
        message=visible(f"Found {problem.found}; expected {problem.expected}; {problem.action}."),
    )
