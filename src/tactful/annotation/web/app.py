"""The web app of one project."""

from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from tactful.annotation.project.project import Project
from tactful.annotation.web import annotator, api, crowd, discussion
from tactful.annotation.web.catalogue import catalogue
from tactful.annotation.web.owner import overview
from tactful.annotation.web.pages import FOLDER, path_of, render, words_of
from tactful.annotation.web.security import RECEIVE_SECONDS, SecurityHeaders
from tactful.annotation.web.session import session_of
from tactful.errors import OutputError, TactfulError
from tactful.json_errors import error_body

_BROKEN = "Something went wrong on the server; saved answers are not lost. Try again."


def create_app(
    project: Project,
    *,
    secure: bool = False,
    receive_seconds: float = RECEIVE_SECONDS,
    lifespan: Any = None,
) -> Starlette:
    """Return the app of an open project.

    ``secure`` says that browsers use HTTPS, and restricts cookies to it. The body of a request must
    arrive within ``receive_seconds``. ``lifespan`` runs as long as the app does.
    """
    app = Starlette(
        routes=[
            *annotator.routes(project),
            *crowd.routes(project),
            *discussion.routes(project),
            *overview.routes(project),
            *api.routes(project),
            Mount("/static", StaticFiles(directory=FOLDER / "static"), name="static"),
        ],
        middleware=[Middleware(SecurityHeaders, secure=secure)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    project.record_wording()
    catalogue(project.protocol.lang)  # read now, not while the first person waits
    app.state.project = project
    app.state.secure = secure
    app.state.receive_seconds = receive_seconds
    return app


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (the handler is of this class)
    if error.status_code == 404:
        return await _answer(request, 404, "There is no such page.")
    return await _answer(request, error.status_code, error.detail)


async def _failed(request: Request, error: Exception) -> Response:
    # A failed write may succeed later: the browser keeps the answer and tries again.
    return await _answer(request, 503 if isinstance(error, OutputError) else 409, str(error))


async def _broken(request: Request, error: Exception) -> Response:
    return await _answer(request, 500, _BROKEN)


async def _answer(request: Request, status: int, sentence: str) -> Response:
    """Return an error, as JSON for scripts and as a page for people."""
    answer = await _told(request, status, sentence)
    if status in (408, 413):
        # The rest of the body is unread, so the connection cannot be reused.
        answer.headers["Connection"] = "close"
    return answer


async def _told(request: Request, status: int, sentence: str) -> Response:
    sentence = words_of(request).say(sentence)
    if path_of(request).startswith("/api/"):
        return JSONResponse(error_body(status, sentence), status)
    project = request.app.state.project
    # The first page of several projects belongs to none of them.
    is_one = isinstance(project, Project)
    session = await run_in_threadpool(session_of, project, request) if is_one else None
    template = "join.html" if status == 401 else "error.html"
    return render(request, template, session, status, sentence=sentence)


HANDLERS: dict[Any, Any] = {
    HTTPException: _refused,
    TactfulError: _failed,
    Exception: _broken,
}
"""What each kind of error becomes."""
