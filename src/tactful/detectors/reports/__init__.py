"""The forms that a check's answer can take: text, json, jsonl, sarif and html."""

from collections.abc import Callable, Iterable, Iterator

from tactful.detectors.checker import Outcome
from tactful.detectors.reports.run import Run
from tactful.registry import Registry

__all__ = ["RENDERERS", "STREAMED", "Run", "render"]

Renderer = Callable[[Iterable[Outcome], Run], Iterator[str]]

RENDERERS: Registry[Renderer] = Registry(
    "format",
    {
        "text": "tactful.detectors.reports.text:render_text",
        "json": "tactful.detectors.reports.json_report:render_json",
        "jsonl": "tactful.detectors.reports.json_report:render_jsonl",
        "sarif": "tactful.detectors.reports.sarif:render_sarif",
        "html": "tactful.detectors.reports.html:render_html",
    },
)
STREAMED = ("text", "jsonl")
"""These are written document by document; the others when all documents are known."""


def render(name: str, outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield the pieces of a report; each ends where a line ends."""
    return RENDERERS.get(name)(outcomes, run)
