"""The page to which a crowd platform sends participants, and what they take back."""

import hmac
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tactful.annotation.project.project import CROWD_CLOSED, Project
from tactful.annotation.state.crowd import Crowd, is_participant
from tactful.annotation.web.pages import render, root_of
from tactful.annotation.web.security import read_fields
from tactful.annotation.web.session import session_of, set_cookie, sign, start_session
from tactful.errors import InputError

_NO_ID = "The link has no participant id; open it from the platform that sent you."
_LONGEST = 100


def routes(project: Project) -> list[Route]:
    """Return the routes for participants of a crowd platform."""
    pages = _Pages(project)
    return [
        Route("/crowd/{key}", pages.start, methods=["GET"]),
        Route("/crowd/{key}", pages.join, methods=["POST"]),
    ]


def crowd_link(project: Project, request: Request, crowd: Crowd) -> str:
    """Return the link for a platform; it puts the participant's id in the place of the name."""
    base = f"{str(request.base_url).rstrip('/')}{root_of(request)}"
    place = f"{{{{%{crowd.parameter}%}}}}"
    return f"{base}/crowd/{link_key(project)}?{crowd.parameter}={place}"


def link_key(project: Project) -> str:
    """Return the secret part of the link."""
    return sign(project, "crowd-link", "")[:24]


class _Pages:
    def __init__(self, project: Project):
        self._project = project

    def start(self, request: Request) -> Response:
        crowd = self._crowd(request)
        participant = request.query_params.get(crowd.parameter, "")
        if not is_participant(participant):
            raise HTTPException(400, _NO_ID)
        session = session_of(self._project, request)
        if session is not None and session.person.crowd == participant:
            return RedirectResponse("/", 303)
        return render(
            request,
            "crowd.html",
            None,
            crowd=crowd,
            participant=participant,
            sign=sign(self._project, "crowd", participant),
        )

    async def join(self, request: Request) -> Response:
        crowd = await run_in_threadpool(self._crowd, request)
        form = await read_fields(request)
        return await run_in_threadpool(self._join, request, crowd, form)

    def _join(self, request: Request, crowd: Crowd, form: Mapping[str, list[str]]) -> Response:
        names = ("participant", "sign", "country", "language")
        participant, signed, country, language = ("".join(form.get(name, [])) for name in names)
        expected = sign(self._project, "crowd", participant)
        if not hmac.compare_digest(signed.encode("utf-8", "surrogatepass"), expected.encode()):
            raise HTTPException(403, _NO_ID)
        try:
            made = self._project.take_in(participant, country[:_LONGEST], language[:_LONGEST])
        except InputError as error:
            raise HTTPException(409, str(error)) from None
        if made is None:
            code = crowd.screened_code
            return render(request, "screened.html", None, code=code, way_back=crowd.way_back(code))
        session = start_session(self._project, made.token)
        response = RedirectResponse("/", 303)
        if session is not None:
            set_cookie(self._project, request, response, session)
        return response

    def _crowd(self, request: Request) -> Crowd:
        given = request.path_params["key"].encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(given, link_key(self._project).encode()):
            raise HTTPException(404)
        with self._project.lock:
            crowd = self._project.state.crowd
        if crowd is None:
            raise HTTPException(409, CROWD_CLOSED)
        return crowd
