"""The web app: pages to write, compare and score a table, and the report as one page to send.

Pages hold no text of anybody: their scripts call the API, as any other client does.
"""

from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from tactful.checking.reports.html import render_html
from tactful.service.engine.engine import Engine
from tactful.service.models import ERRORS, CheckRequest, body_of
from tactful.service.routes.check import checked
from tactful.service.settings import ServiceSettings
from tactful.service.web.audits import audit_reports
from tactful.service.web.rendering import Site
from tactful.service.web.words import LANGUAGES, wanted_language

COOKIE = "tactful_lang"
_YEAR = 365 * 24 * 3600
_STATIC = Path(__file__).parents[1] / "web" / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-same-origin"
)
"""A report includes its style; scripts in a file of the folder are not run."""


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the routes."""
    routes = APIRouter()
    site = Site(engine, settings)
    _add_pages(routes, site, settings)
    _add_static(routes)
    if settings.audits is not None:
        _add_audits(routes, site, settings.audits)

    @routes.post(
        "/v1/report",
        tags=["Native API"],
        summary="Check a text, and get the report as one page",
        openapi_extra=body_of(CheckRequest),
        responses={**ERRORS, 200: {"content": {"text/html": {}}}},
        response_class=HTMLResponse,
        response_description="The report of 'tactful check --format html': one file, no script.",
    )
    async def report(request: Request) -> Response:
        """Check a text as /v1/check does; the answer is a page to keep or to send."""
        wanted, found = await checked(engine, settings, request)
        run = engine.run(wanted.only, wanted.report_lang)
        # A page has one language, which is detected here.
        run = replace(run, lang=run.language_for(found))
        write = partial("".join, render_html([found], run))
        return HTMLResponse(
            await run_in_threadpool(write), headers={"Content-Security-Policy": REPORT_POLICY}
        )

    return routes


def _add_pages(routes: APIRouter, site: Site, settings: ServiceSettings) -> None:
    def add(path: str, template: str) -> None:
        @routes.get(path, include_in_schema=False)
        async def page(request: Request) -> Response:
            return shown(request, site, template)

    add("/", "write.html")
    add("/compare", "compare.html")
    add("/table", "table.html")


def shown(request: Request, site: Site, template: str, **values: object) -> Response:
    """Return a page in the language of its reader; one that was asked for is remembered."""
    asked = request.query_params.get("lang")
    accepted = request.headers.get("accept-language")
    lang = wanted_language(asked, request.cookies.get(COOKIE), accepted)
    answer = HTMLResponse(site.page(template, lang, **values))
    if asked in LANGUAGES:
        answer.set_cookie(COOKIE, asked, _YEAR, path=f"{site.root}/", httponly=True, samesite="lax")
    return answer


def _add_static(routes: APIRouter) -> None:
    # Read once, so that no path is built from a request.
    files = {path.name: path.read_bytes() for path in _STATIC.iterdir() if path.suffix in _TYPES}
    tags = {name: f'"{sha256(content).hexdigest()[:32]}"' for name, content in files.items()}

    @routes.get("/static/{name}", include_in_schema=False)
    async def static(request: Request, name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        # Validated each time, and only sent when it changed, so that a new version is seen.
        headers = {"Cache-Control": "no-cache", "ETag": tags[name]}
        if tags[name] in request.headers.get("if-none-match", ""):
            return Response(None, 304, headers)
        return Response(files[name], 200, headers, media_type=_TYPES[Path(name).suffix])


def _add_audits(routes: APIRouter, site: Site, folder: Path) -> None:
    # Plain functions: they read files, which the thread pool is for.
    @routes.get("/audits", include_in_schema=False)
    def audits(request: Request) -> Response:
        reports = [
            (each.name, f"{site.root}/audits/{quote(each.name)}", each.day)
            for each in audit_reports(folder)
        ]
        return shown(request, site, "audits.html", reports=reports)

    @routes.get("/audits/{name:path}", include_in_schema=False)
    def audit(name: str) -> Response:
        path = {each.name: each.path for each in audit_reports(folder)}.get(name)
        if path is None:
            raise HTTPException(404)
        headers = {"Content-Security-Policy": REPORT_POLICY}
        return FileResponse(path, media_type="text/html", headers=headers)
