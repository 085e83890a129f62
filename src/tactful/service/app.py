"""The app: the routes around one engine, behind one gate."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import RedirectResponse

from tactful import __version__
from tactful.service import reference
from tactful.service.engine.engine import Engine
from tactful.service.engine.memory import release_regularly
from tactful.service.http import errors
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.direct import direct_routes
from tactful.service.http.gate import Gate
from tactful.service.http.proxies import ProxyHeaders
from tactful.service.loop import Loop
from tactful.service.perspective.answering import reviews
from tactful.service.routes import routers
from tactful.service.settings import ServiceSettings

_DESCRIPTION = (
    "Finds patronizing, stereotyping, unhealthy, biased and toxic language, and says where it is "
    "and how sure that is. Nothing that is sent is stored, except for feedback where the operator "
    "asked for it. Where keys are asked for, send one as "
    "'Authorization: Bearer KEY', 'X-API-Key: KEY' or ?key=KEY."
)


def create_app(settings: ServiceSettings) -> FastAPI:
    """Return the app of a service; its engine starts and stops with it."""
    engine = Engine(settings)
    loop = Loop(engine, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await engine.start()
        await loop.start()
        releasing = asyncio.create_task(release_regularly(engine.release_memory))
        try:
            yield
        finally:
            releasing.cancel()
            await loop.stop()
            await engine.stop()

    app = FastAPI(
        title="Tactful",
        version=__version__,
        description=_DESCRIPTION,
        license_info={"name": "Apache-2.0"},
        # FastAPI's own pages load scripts from the network; ours is :mod:`.reference`.
        docs_url=None,
        redoc_url=None,
        default_response_class=JsonAnswer,
        # A redirect to the path without its last slash would name the host of the request.
        redirect_slashes=False,
        # Traces would hold addresses with ?key=; what is counted is in /metrics.
        telemetry={"tracing": False, "metrics": False, "logs": False},
        lifespan=lifespan,
    )
    app.state.engine, app.state.settings, app.state.loop = engine, settings, loop
    errors.install(app)
    included = routers(engine, settings)
    for each in included:
        app.include_router(each)
    reference.install(app, settings)
    if settings.annotation is not None:
        address = settings.annotation

        @app.get("/annotate", include_in_schema=False)
        async def annotate() -> RedirectResponse:
            return RedirectResponse(address, 307)

    app.add_middleware(
        Gate,
        settings=settings,
        metrics=engine.metrics,
        direct=direct_routes(included),
        reviews=reviews(settings),
    )
    if settings.cors_origins:
        # Outside the gate: the preflight request of a browser has no key.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    if settings.trusted_proxies:
        # Outermost, so that all else sees the caller and not the proxy.
        app.add_middleware(ProxyHeaders, trusted_hosts=list(settings.trusted_proxies))
    return app
