"""A server of several projects: each has an address of its own, and the first page lists them.

Who opens the first page sees the projects whose links they have opened in this browser.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tactful.annotation.project.project import Project
from tactful.annotation.project.watching import Watcher
from tactful.annotation.web.app import HANDLERS, create_app
from tactful.annotation.web.owner.export import safe_name
from tactful.annotation.web.pages import FOLDER, render
from tactful.annotation.web.security import RECEIVE_SECONDS, SecurityHeaders
from tactful.annotation.web.session import BAD_LINK, NO_SESSION, session_of
from tactful.webhooks import Sender

_SHARED = "/p/"


@dataclass(frozen=True, slots=True)
class Listed:
    """A project as the first page lists it for one person."""

    address: str
    name: str
    role: str
    done: int
    items: int


def addresses(projects: Iterable[Project]) -> dict[str, Project]:
    """Return the projects by address: empty for a single one, or ``/p/`` and its folder's name."""
    given = list(projects)
    if len(given) == 1:
        return {"": given[0]}
    found: dict[str, Project] = {}
    for project in given:
        name = plain = f"{_SHARED}{safe_name(project.folder.resolve().name)}"
        number = 2
        while name in found:
            name, number = f"{plain}-{number}", number + 1
        found[name] = project
    return found


def create_site(
    projects: Mapping[str, Project],
    *,
    secure: bool = False,
    receive_seconds: float = RECEIVE_SECONDS,
    webhook: Sender | None = None,
) -> Starlette:
    """Return the app of open projects, by address (:func:`addresses`).

    ``webhook`` gets closed items, removed people, and the end of each project.
    """
    lifespan = None if webhook is None else _sending(webhook, projects)
    options: dict[str, Any] = {"secure": secure, "receive_seconds": receive_seconds}
    if list(projects) == [""]:
        return create_app(projects[""], **options, lifespan=lifespan)
    apps = {at: create_app(project, **options) for at, project in projects.items()}
    home = _Home(projects)
    first = Starlette(
        routes=[
            Route("/", home.page),
            Route("/join/{token}", home.join),
            Mount("/static", StaticFiles(directory=FOLDER / "static"), name="static"),
        ],
        middleware=[Middleware(SecurityHeaders, secure=secure)],
        exception_handlers=HANDLERS,
    )
    lang = next(iter(projects.values())).protocol.lang
    first.state.project = SimpleNamespace(name="Tactful", protocol=SimpleNamespace(lang=lang))
    mounted = [Mount(at, app) for at, app in apps.items()]
    return Starlette(routes=[*mounted, Mount("", first)], lifespan=lifespan)


def _sending(webhook: Sender, projects: Mapping[str, Project]) -> Any:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await webhook.start()
        for project in projects.values():
            Watcher(project, webhook.queue_soon)
        try:
            yield
        finally:
            await webhook.stop()

    return lifespan


class _Home:
    def __init__(self, projects: Mapping[str, Project]):
        self._projects = projects

    def page(self, request: Request) -> Response:
        listed = [
            _listed(address, project, session.person.role)
            for address, project in self._projects.items()
            if (session := session_of(project, request)) is not None
        ]
        if not listed:
            raise HTTPException(401, NO_SESSION)
        return render(request, "home.html", None, listed=listed)

    def join(self, request: Request) -> Response:
        """Redirect a link without the address of its project, from before there were several."""
        token = request.path_params["token"]
        for address, project in self._projects.items():
            if project.who(token) is not None:
                return RedirectResponse(f"{address}/join/{token}", 303)
        raise HTTPException(401, BAD_LINK)


def _listed(address: str, project: Project, role: str) -> Listed:
    with project.lock:
        counts = project.state.counts(project.protocol.steps[0].id)
    return Listed(f"{address}/", project.name, role, counts["done"], sum(counts.values()))
