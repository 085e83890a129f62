"""Renders templates and Markdown; all inserted values are escaped."""

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from tactful.annotation.protocol.hotkeys import digits
from tactful.annotation.protocol.records import Condition
from tactful.annotation.web.catalogue import ENGLISH, Catalogue, catalogue
from tactful.annotation.web.session import Session

FOLDER = Path(__file__).parent
_KEY = re.compile("`(.+?)`")
# Images would contact other servers; HTML could be anything.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


@cache
def environment() -> Environment:
    """Return the template environment; undefined names are errors."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["markdown"] = markdown
    made.filters["conditions"] = _conditions
    made.filters["digits"] = digits
    made.filters["keyed"] = keyed
    return made


def _conditions(conditions: Iterable[Condition]) -> str:
    return json.dumps([[each.question, list(each.values)] for each in conditions])


def keyed(text: str) -> Markup:
    """Return a text with the keys in backticks as ``<kbd>`` elements."""
    return Markup(_KEY.sub(r"<kbd>\1</kbd>", str(escape(text))))  # noqa: S704 (escaped before)


@lru_cache(maxsize=64)
def markdown(text: str) -> Markup:
    """Return Markdown as HTML; HTML inside it is shown as text, and no image is loaded."""
    # The parser escapes all text and refuses links other than web and mail.
    return Markup(_MARKDOWN.render(text))  # noqa: S704


def words_of(request: Request) -> Catalogue:
    """Return the texts of a page, in the protocol's language; owner's pages are in English."""
    is_owners = request.url.path.startswith("/owner")
    return catalogue(ENGLISH if is_owners else request.app.state.project.protocol.lang)


def render(
    request: Request, template: str, session: Session | None, status: int = 200, **values: Any
) -> HTMLResponse:
    """Return a page; templates see ``project``, ``session``, ``word`` and what is given."""
    project = request.app.state.project
    page = environment().get_template(template)
    word = words_of(request)
    made = page.render(project=project, session=session, word=word, **values)
    return HTMLResponse(made, status)
