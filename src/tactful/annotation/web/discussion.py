"""The page on which annotators and a senior discuss the items on which they differ.

It works without a script. Annotators are letters, in an order that differs between items, for
everybody: an argument counts, not who makes it.
"""

from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tactful.annotation.project.project import Project
from tactful.annotation.state.roles import may
from tactful.annotation.web.pages import render, words_of
from tactful.annotation.web.security import read_form
from tactful.annotation.web.session import Session, must_consent, need_session
from tactful.annotation.web.side_by_side import others_of

MOST_SHOWN = 20
"""Discussions on the page; the others follow when these are decided."""


def routes(project: Project) -> list[Route]:
    """Return the routes of the discussion; none if the protocol has no step that is discussed."""
    if not any(step.discussed for step in project.protocol.steps):
        return []
    pages = _Pages(project)
    return [
        Route("/discussion", pages.show, methods=["GET"]),
        Route("/discussion", pages.remark, methods=["POST"]),
    ]


class _Pages:
    def __init__(self, project: Project):
        self._project = project

    def show(self, request: Request) -> Response:
        session = need_session(self._project, request)
        if not may(session.person.role, "work"):
            raise HTTPException(404)
        if must_consent(self._project, session):
            return RedirectResponse("/consent", 303)
        found = self._project.discussions(session.person.id, MOST_SHOWN)
        words = words_of(request)
        shown = [(item, others_of(self._project.protocol, item, words)) for item in found]
        wellbeing = self._project.wellbeing
        return render(request, "discussion.html", session, shown=shown, wellbeing=wellbeing)

    async def remark(self, request: Request) -> Response:
        session = await run_in_threadpool(need_session, self._project, request)
        form = await read_form(request, session)
        return await run_in_threadpool(self._remark, session, form)

    def _remark(self, session: Session, form: Mapping[str, list[str]]) -> Response:
        handle, text = ("".join(form.get(name, [])) for name in ("item", "text"))
        self._project.remark(session.person.id, handle, text)
        return RedirectResponse(f"/discussion#{handle}", 303)
