"""The language of a report: names and explanations as its reader wants them, whatever was read."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial

from tactful.checking.explanation import explain, taxonomy_entries
from tactful.checking.report import DocumentReport, Outcome, PlacedFinding
from tactful.checking.reports.run import Run
from tactful.checking.wording.wording import WORDINGS
from tactful.types import Span


def told(outcomes: Iterable[Outcome], run: Run) -> Iterator[Outcome]:
    """Yield the outcomes with their names and explanations in the language of the report."""
    for outcome in outcomes:
        if isinstance(outcome, DocumentReport):
            yield in_language(outcome, run.language_for(outcome))
        else:
            yield outcome


def in_language(report: DocumentReport, lang: str) -> DocumentReport:
    """Return the report with names and explanations in ``lang``.

    What a detector of one's own says in its own words stays as it is.
    """
    return replace(report, findings=tuple(_in(each, lang) for each in report.findings))


def common_language(langs: Collection[str]) -> str:
    """Return the one language of all texts where there are sentences in it, else English.

    >>> common_language(["es", "es"]), common_language(["es", "en"]), common_language([])
    ('es', 'en', 'en')
    """
    first = next(iter(langs), "en")
    return first if first in WORDINGS and set(langs) == {first} else "en"


def _in(finding: PlacedFinding, lang: str) -> PlacedFinding:
    spans = [Span(span.start, span.end) for span in finding.spans]

    def explained(language: str, experimental: bool) -> str:
        passage, chance = finding.passage.text, finding.probability
        return explain(finding.id, passage, chance, spans, language, experimental=experimental)

    name = _said(finding.name, lang, lambda language: _name(finding.id, language))
    explanation = finding.explanation
    # A finding does not say whether it is an experiment; what was said of it does.
    for experimental in (False, True) if explanation else ():
        explanation = _said(explanation, lang, partial(explained, experimental=experimental))
    return replace(finding, name=name, explanation=explanation)


def _said(given: str, lang: str, ours: Callable[[str], str]) -> str:
    """Return what we say in ``lang``, if what is given is ours in any language.

    We say the same of the same finding, so that our words can be told from others'.
    """
    wanted = ours(lang)
    # Most reports are in the language of their findings: the other files need not be opened.
    known = given == wanted or any(given == ours(each) for each in WORDINGS if each != lang)
    return wanted if known else given


def _name(name: str, lang: str) -> str:
    entries = taxonomy_entries(name.partition(".")[0], lang)
    return str(entries.get(name, (0, {}))[1].get("name", name))
