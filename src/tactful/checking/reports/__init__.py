"""The forms that a check's answer can take: text, json, jsonl, sarif and html."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Outcome
from tactful.checking.reports.run import Run, common_language, each_in_language
from tactful.registry import Registry

__all__ = ["RENDERERS", "STREAMED", "Run", "render"]

Renderer = Callable[[Iterable[Outcome], Run], Iterator[str]]

RENDERERS: Registry[Renderer] = Registry(
    "format",
    {
        "text": "tactful.checking.reports.text:render_text",
        "json": "tactful.checking.reports.json_report:render_json",
        "jsonl": "tactful.checking.reports.json_report:render_jsonl",
        "sarif": "tactful.checking.reports.sarif:render_sarif",
        "html": "tactful.checking.reports.html:render_html",
    },
)
STREAMED = ("text", "jsonl")
"""These are written document by document; the others when all documents are known."""


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
