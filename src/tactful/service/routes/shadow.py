"""``GET /v1/shadow``: how a second model differs on the same texts; only with ``--shadow``."""

from fastapi import APIRouter
from starlette.requests import Request

from tactful.service.engine.engine import Engine
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.errors import NotReady
from tactful.service.loop import loop_of
from tactful.service.models import ERRORS
from tactful.service.settings import ServiceSettings


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Running it"])

    @routes.get(
        "/v1/shadow",
        summary="Compare the shadow model",
        responses={code: ERRORS[code] for code in (401, 429, 503)},
    )
    async def shadow(request: Request) -> JsonAnswer:
        """Return for each id how often only one of the models reports it, and mean differences."""
        found = loop_of(request).shadow
        if found is None:
            raise NotReady("The service has no shadow model.")
        return JsonAnswer(found.report())

    return routes
