"""The reports of a check, in the formats of :mod:`tactful.checking.formats`."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tactful.checking.formats import RENDERERS, STREAMED, Renderer
from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Outcome
from tactful.checking.reports.run import Run, common_language, each_in_language

__all__ = ["RENDERERS", "STREAMED", "Run", "render"]


def render(name: str, outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield the pieces of a report; each ends where a line ends.

    It is in the language of ``run``. With ``auto`` that is the language of all documents, or
    English where they differ; what is written document by document takes that of each.
    """
    return _rendered(RENDERERS.get(name), outcomes, run, streamed=name in STREAMED)


def _rendered(
    renderer: Renderer, outcomes: Iterable[Outcome], run: Run, *, streamed: bool
) -> Iterator[str]:
    if run.lang == AUTO and not streamed:
        outcomes = list(outcomes)
        reports = [each for each in outcomes if isinstance(each, DocumentReport)]
        run = replace(run, lang=common_language([run.language_of(each) for each in reports]))
    yield from renderer(each_in_language(outcomes, run), run)
