"""Renders templates and Markdown; all inserted values are escaped."""

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
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
_ADDRESS = re.compile(r'\b(href|action|src|data-source)="/')
# Images would contact other servers; HTML could be anything.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


class _Rooted(Extension):
    """Begins the addresses in templates with that of the project: ``href="/work"`` is its page.

    A server of several projects has each at an address of its own.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _ADDRESS.sub(r'\1="{{ root }}/', source)


@cache
def environment() -> Environment:
    """Return the template environment; undefined names are errors."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=[_Rooted],
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


def root_of(request: Request) -> str:
    """Return where the project begins on its server: empty, or such as ``/p/my-project``."""
    return str(request.scope.get("root_path", ""))


def path_of(request: Request) -> str:
    """Return the path of a request within its project, such as ``/work``."""
    return request.url.path.removeprefix(root_of(request))


def join_link(request: Request, token: str) -> str:
    """Return the link of an invitation."""
    return f"{str(request.base_url).rstrip('/')}{root_of(request)}/join/{token}"


def words_of(request: Request) -> Catalogue:
    """Return the texts of a page, in the protocol's language; owner's pages are in English."""
    is_owners = path_of(request).startswith("/owner")
    return catalogue(ENGLISH if is_owners else request.app.state.project.protocol.lang)


def render(
    request: Request, template: str, session: Session | None, status: int = 200, **values: Any
) -> HTMLResponse:
    """Return a page; templates see ``project``, ``root``, ``session``, ``word`` and the values."""
    project = request.app.state.project
    page = environment().get_template(template)
    word = words_of(request)
    made = page.render(project=project, root=root_of(request), session=session, word=word, **values)
    return HTMLResponse(made, status)
