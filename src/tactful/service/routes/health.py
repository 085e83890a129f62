"""Signs of life: ``/healthz``, ``/readyz`` and ``/metrics``."""

from fastapi import APIRouter
from starlette.responses import Response

from tactful import __version__
from tactful.service.engine.engine import Engine
from tactful.service.http.answers import JsonAnswer
from tactful.service.metrics import CONTENT_TYPE
from tactful.service.models import ERRORS
from tactful.service.settings import ServiceSettings


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["Running it"])

    @routes.get("/healthz", summary="Is the process alive?")
    async def healthz() -> JsonAnswer:
        """Answer as long as the process can answer at all."""
        return JsonAnswer({"status": "ok", "version": __version__})

    @routes.get("/readyz", summary="Is the model ready?", responses={503: ERRORS[503]})
    async def readyz() -> JsonAnswer:
        """Answer with 503 until the model is warm, and again while the service stops."""
        reason = engine.not_ready()
        if reason is not None:
            raise reason
        return JsonAnswer({"status": "ready", "waiting": engine.waiting})

    @routes.get(
        "/metrics",
        summary="Counts for Prometheus",
        responses={
            200: {"content": {"text/plain": {}}},
            **{code: ERRORS[code] for code in (401, 429)},
        },
        response_class=Response,
    )
    async def metrics() -> Response:
        """Count requests, times, batches, costs and the queue; no text is among them, and no key
        but its id."""
        return Response(engine.metrics.page(), media_type=CONTENT_TYPE)

    return routes
