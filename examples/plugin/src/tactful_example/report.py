"""A report as a Markdown list, for a pull request or an issue."""

from collections.abc import Iterable, Iterator

from tactful.checking.report import DocumentReport, Outcome
from tactful.checking.reports.run import Run, Tally


def render_markdown(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield a heading for each document, a line for each finding, and the count."""
    tally = Tally()
    for outcome in tally.watch(outcomes):
        if not isinstance(outcome, DocumentReport):
            yield f"## {outcome.path}\n\nNot checked: {outcome.message}\n\n"
            continue
        yield f"## {outcome.path or 'Text'}\n\n"
        for finding in outcome.findings:
            words = ", ".join(f"“{span.words}”" for span in finding.spans)
            place = f"line {finding.place.line}"
            yield f"- **{finding.name}** ({finding.confidence:.2f}), {place}: {words}\n"
        yield "\n" if outcome.findings else "Nothing found.\n\n"
    yield f"{tally.sentence(run.lang)}\n"
