"""Turning templates and Markdown into pages; everything that is put into one is escaped."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from tactful.annotation.protocol import Condition
from tactful.annotation.web.session import Session

FOLDER = Path(__file__).parent


@cache
def environment() -> Environment:
    """Return the environment of the templates; what a template does not know is an error."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["markdown"] = markdown
    made.filters["conditions"] = _conditions
    return made


def _conditions(conditions: Iterable[Condition]) -> str:
    return json.dumps([[each.question, list(each.values)] for each in conditions])


@cache
def _parser() -> MarkdownIt:
    # Images would ask another server who is reading; HTML could be anything.
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def markdown(text: str) -> Markup:
    """Return Markdown as HTML; HTML inside it is shown as text, and no image is loaded."""
    # Made by the parser, which escapes all text, and refuses links to anything but pages and mail.
    return Markup(_parser().render(text))  # noqa: S704


def render(
    request: Request, template: str, session: Session | None, status: int = 200, **values: Any
) -> HTMLResponse:
    """Return a page; templates see ``project``, ``session`` and what is given."""
    project = request.app.state.project
    page = environment().get_template(template)
    return HTMLResponse(page.render(project=project, session=session, **values), status)
