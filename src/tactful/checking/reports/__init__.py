"""The reports of a check: the one place that names their formats.

A format is a function ``render(outcomes, run)`` that yields pieces of text, each of whole lines.
To add one, write the function and name it in :data:`RENDERERS`; plug-ins name theirs in the
group ``tactful.reports``.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tactful.registry import Registry

if TYPE_CHECKING:
    from tactful.checking.report import Outcome
    from tactful.checking.reports.run import Run

Renderer = Callable[[Iterable["Outcome"], "Run"], Iterator[str]]


def _renderer(found: Any) -> Renderer:
    if not callable(found):
        raise TypeError(f"found {found!r}; expected a function of the outcomes and the run")
    return found  # type: ignore[no-any-return]


RENDERERS: Registry[Renderer] = Registry(
    "format",
    {
        "text": "tactful.checking.reports.text:render_text",
        "json": "tactful.checking.reports.json_report:render_json",
        "jsonl": "tactful.checking.reports.json_report:render_jsonl",
        "sarif": "tactful.checking.reports.sarif:render_sarif",
        "html": "tactful.checking.reports.html:render_html",
        "github": "tactful.checking.reports.github:render_github",
    },
    group="reports",
    accept=_renderer,
)
STREAMED = ("text", "jsonl", "github")
"""These are written document by document; the others when all documents are known."""
ENDINGS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".sarif": "sarif",
    ".html": "html",
    ".htm": "html",
    ".txt": "text",
}
"""The ending of a report's file -> its format."""
