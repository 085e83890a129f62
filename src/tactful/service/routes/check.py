"""``POST /v1/check``: a text or a document, answered with the report of ``tactful check``."""

from functools import partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tactful.checking.options import CheckOptions
from tactful.checking.report import DocumentReport
from tactful.checking.reports.json_report import render_json
from tactful.service.engine.engine import Engine
from tactful.service.http.body import check_length, read_model
from tactful.service.models import ERRORS, CheckRequest, body_of
from tactful.service.settings import ServiceSettings

_SHORT = 20
"""A report with more findings than these is written in a thread."""


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Native API"])

    @routes.post(
        "/v1/check",
        summary="Check a text or a document",
        openapi_extra=body_of(CheckRequest),
        responses=ERRORS,
        response_description="The report of 'tactful check --format json': schema tactful/check/2.",
    )
    async def check(request: Request) -> Response:
        """Find what there is in a text: what, where, how sure, and why."""
        wanted, report = await checked(engine, settings, request)
        run = engine.run(wanted.only, wanted.report_lang)
        write = partial("".join, render_json([report], run))
        is_short = len(report.findings) <= _SHORT
        text = write() if is_short else await run_in_threadpool(write)
        return Response(text, media_type="application/json")

    return routes


async def checked(
    engine: Engine, settings: ServiceSettings, request: Request
) -> tuple[CheckRequest, DocumentReport]:
    """Read a request, and check its text with its options."""
    wanted = await read_model(request, CheckRequest)
    check_length(wanted.text, settings)
    options = wanted.model_dump(exclude={"text", "kind", "doNotStore"})
    options["only"] = tuple(wanted.only)
    return wanted, await engine.check(wanted.text, CheckOptions(**options), wanted.kind)
