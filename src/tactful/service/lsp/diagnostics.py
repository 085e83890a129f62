"""Findings as an editor shows them: a range, a severity, a message and a link."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticSeverity,
    Range,
)

from tactful.checking.confidence import REPORTED
from tactful.checking.report import PlacedFinding
from tactful.checking.reports.run import is_warning, line_of
from tactful.checking.wording import Wording, wording
from tactful.documents.document import Document
from tactful.errors import Problem
from tactful.service.lsp.documents import Snapshot
from tactful.service.lsp.lines import Places
from tactful.service.lsp.reader import Reading
from tactful.words import visible

SOURCE = "tactful"
SOFTER = (
    (REPORTED, DiagnosticSeverity.Information),
    (0.00, DiagnosticSeverity.Hint),
)
"""The least confidence of each severity below a warning. Nothing is an error: a person decides."""


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

    def range_of(self, finding: PlacedFinding) -> Range:
        """Return where an editor marks a finding."""
        return self.places.range(*marked_in(finding))

    def findings_in(self, start: int, end: int) -> Iterator[PlacedFinding]:
        """Yield the findings that are marked within, or around, a piece of the source."""
        for finding in self.reading.report.findings:
            first, last = marked_in(finding)
            if first <= end and start <= last:
                yield finding


def marked_in(finding: PlacedFinding) -> tuple[int, int]:
    """Return the offsets from the first to the last carrying word; of the sentence without any."""
    places = [span.place for span in finding.spans] or [finding.place]
    return places[0].start, places[-1].end


def severity_of(finding: PlacedFinding) -> DiagnosticSeverity:
    """Return the severity that an editor shows for a finding."""
    if is_warning(finding):
        return DiagnosticSeverity.Warning
    return next(severity for least, severity in SOFTER if finding.highest_confidence >= least)


def diagnostics_of(checked: Checked, docs: str) -> list[Diagnostic]:
    """Return what an editor shows: one diagnostic for each finding."""
    report = checked.reading.report
    return [
        *(_diagnostic(checked, finding, docs) for finding in report.findings),
        *(_directive_problem(checked, problem) for problem in report.problems),
    ]


def docs_link(docs: str, name: str) -> str:
    """Return the address of the page on an id."""
    return docs.replace("{id}", quote(name))


def _diagnostic(checked: Checked, finding: PlacedFinding, docs: str) -> Diagnostic:
    return Diagnostic(
        range=checked.range_of(finding),
        severity=severity_of(finding),
        code=finding.id,
        code_description=CodeDescription(href=docs_link(docs, finding.id)),
        source=SOURCE,
        message=line_of(finding, checked.wording, quoting=False),  # the editor marks them
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
