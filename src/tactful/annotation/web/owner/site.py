"""What all pages of the owner share: access control, forms and rendering.

For others these pages do not exist: an annotator gets the same response as for a wrong address.
"""

import csv
import io
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tactful.annotation.formats.cells import neutralise
from tactful.annotation.project.project import Project
from tactful.annotation.state.roles import Right, may
from tactful.annotation.web.figures import Figures
from tactful.annotation.web.pages import path_of, render, root_of
from tactful.annotation.web.security import read_form
from tactful.annotation.web.session import Session, need_session

Form = Mapping[str, list[str]]
Endpoint = Callable[[Request], Response | Awaitable[Response]]


class OwnerSite:
    """Renders the owner's pages of a project, with access control."""

    def __init__(self, project: Project):
        self.project = project
        self.figures = Figures(project)

    def page(
        self, view: Callable[[Request, Session], Response], right: Right = "settings"
    ) -> Endpoint:
        """Return the endpoint of a page that only people with a right see."""

        return lambda request: view(request, self.enter(request, right))

    def action(
        self, act: Callable[[Request, Session, Form], Response], right: Right = "settings"
    ) -> Endpoint:
        """Return the endpoint of a form; it must carry the token of the session."""

        async def endpoint(request: Request) -> Response:
            session = await run_in_threadpool(self.enter, request, right)
            form = await read_form(request, session)
            try:
                return await run_in_threadpool(act, request, session, form)
            finally:
                self.figures.forget()

        return endpoint

    def show(self, request: Request, session: Session, template: str, **values: Any) -> Response:
        """Render a page of the owner; texts are blurred by the project's setting, until asked."""
        can_veil = self.project.wellbeing.blur
        asked = shown(request)
        veiled = can_veil and not asked
        return render(
            request,
            template,
            session,
            values.pop("status", 200),
            path=path_of(request),
            may=partial(may, session.person.role),
            said=request.query_params.get("said", "")[:200],
            when=when,
            percent=percent,
            item_url=lambda item: root_of(request) + item_url(item, **asked),
            can_veil=can_veil,
            veiled=veiled,
            hide=Markup(' aria-hidden="true"') if veiled else "",
            keep=Markup("&amp;show=1") if asked else "",
            turn_url=_turned(request),
            **values,
        )

    def enter(self, request: Request, right: Right) -> Session:
        """Return the session of somebody with a right; for others there is no such page."""
        session = need_session(self.project, request)
        if not may(session.person.role, right) or session.person.status != "active":
            raise HTTPException(404)
        return session


class OwnerPages:
    """Some pages of the owner, as methods that :meth:`OwnerSite.page` and ``action`` call."""

    def __init__(self, site: OwnerSite):
        self._project, self._figures, self._show = site.project, site.figures, site.show


def back(path: str, said: str, **query: str) -> Response:
    """Redirect to a page with a message."""
    return RedirectResponse(f"{path}?{urlencode({**query, 'said': said})}", 303)


def shown(request: Request) -> dict[str, str]:
    """Return the query that keeps texts visible without a script."""
    return {"show": "1"} if request.query_params.get("show") == "1" else {}


def item_url(item: str, **query: str) -> str:
    """Return the address of an item within its project; ids may contain dots and slashes."""
    return f"/owner/item?{urlencode({'id': item, **query})}"


def _turned(request: Request) -> str:
    """Return the URL of the same page with its texts shown or blurred."""
    query = [(name, value) for name, value in request.query_params.multi_items()]
    others = [(name, value) for name, value in query if name not in ("show", "said")]
    return "?" + urlencode(others if shown(request) else [*others, ("show", "1")])


def one(form: Form, name: str) -> str:
    """Return the first value of a field; empty if there is none."""
    return (form.get(name) or [""])[0].strip()


def when(at: float | None) -> str:
    """Format a time in UTC."""
    if at is None:
        return "never"
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def percent(share: float | None, digits: int = 0) -> str:
    """Format a share as a percentage, 100 % only if it is all; a dash if undefined."""
    if share is None:
        return "–"  # noqa: RUF001
    most = 1.0 if share >= 1 else 1 - 0.1 ** (digits + 2)
    return f"{min(share, most):.{digits}%}"


def number_of(request: Request, name: str, default: int = 1) -> int:
    """Return a number from 1 of the query; anything else is the default."""
    given = request.query_params.get(name, "")
    return (
        max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 10 else default
    )


def download(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """Return a CSV file; cells that a spreadsheet would run are neutralised."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([neutralise(cell) for cell in row] for row in rows)
    return Response(
        made.getvalue().encode("utf-8", "replace"),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def now() -> float:
    """Return the time."""
    return time.time()
