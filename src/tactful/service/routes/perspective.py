"""The Perspective API on its own paths: comments:analyze, suggestscore, batches, discovery."""

from functools import cache
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from tactful.service.engine.engine import Engine
from tactful.service.http.addresses import known_address, own_address
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.batch import PATHS
from tactful.service.http.body import read_json_body
from tactful.service.logs import LOGGER
from tactful.service.loop import loop_of
from tactful.service.models import ERRORS, json_body
from tactful.service.perspective.answering import ANALYZE, SUGGEST, Answering
from tactful.service.perspective.discovery import VERSION, discovery_document, openapi_schema
from tactful.service.perspective.refusals import invalid
from tactful.service.settings import ServiceSettings

_TAG = "Perspective-compatible"
_NAME = "commentanalyzer"
_DOCUMENT: dict[str, Any] = {
    "description": "The discovery document.",
    "content": {"application/json": {"schema": {"type": "object"}}},
}
_UNKNOWN_HOST = (
    "A client asked for the discovery document under a host that is not known, and got the address "
    "that it connected to; start the service with --public-url, or with --allowed-host"
)
_COMMENT = {"text": "Nobody asked you, and nobody ever will."}
_EXAMPLE: dict[str, Any] = {"comment": _COMMENT, "requestedAttributes": {"TOXICITY": {}}}
_SUGGESTION: dict[str, Any] = {
    "comment": _COMMENT,
    "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.7}}},
}


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=[_TAG])
    answering = Answering(engine, settings)

    @cache
    def warn_of_unknown_host() -> None:
        LOGGER.warning(_UNKNOWN_HOST)

    def address(request: Request) -> str:
        found = known_address(request, settings)
        if found is None:
            warn_of_unknown_host()
        return found or own_address(request, settings)

    @routes.post(
        ANALYZE,
        summary="Score a comment as the Perspective API does",
        responses=_answers("AnalyzeCommentResponse"),
        openapi_extra=_body("AnalyzeCommentRequest", "requestedAttributes", _EXAMPLE),
    )
    async def analyze_comment(request: Request) -> JsonAnswer:
        """Score a comment for the requested attributes; nothing is stored."""
        return JsonAnswer(await answering.analyze(await read_json_body(request)))

    @routes.post(
        SUGGEST,
        summary="Accept a suggested score as the Perspective API does",
        responses=_answers("SuggestCommentScoreResponse"),
        openapi_extra=_body("SuggestCommentScoreRequest", "attributeScores", _SUGGESTION),
    )
    async def suggest_comment_score(request: Request) -> JsonAnswer:
        """Check a suggested score and acknowledge it; it is stored only with ``--feedback``."""
        feedback = loop_of(request).feedback
        return JsonAnswer(await answering.suggest(await read_json_body(request), feedback))

    async def batch(request: Request) -> Response:
        """Answer the requests of a batch, each as it would be answered alone."""
        feedback, content_type = loop_of(request).feedback, request.headers.get("content-type")
        return await answering.batch(content_type, await request.body(), feedback)

    for path in PATHS:
        routes.add_api_route(path, batch, methods=["POST"], include_in_schema=False)

    @routes.get(
        f"/discovery/v1/apis/{_NAME}/{VERSION}/rest",
        summary="The discovery document, where Google's directory has it",
        responses={400: ERRORS[400], 200: _DOCUMENT},
    )
    @routes.get(
        "/$discovery/rest",
        summary="The discovery document",
        responses={400: ERRORS[400], 200: _DOCUMENT},
    )
    async def discovery(request: Request, version: str = VERSION) -> JsonAnswer:
        """Describe the API to Google's own clients, with this server's address."""
        if version != VERSION:
            raise invalid(f"There is one version of this API: {VERSION}")
        return JsonAnswer(discovery_document(address(request)))

    return routes


def _body(name: str, wanted: str, example: dict[str, Any]) -> dict[str, Any]:
    return json_body({**openapi_schema(name, ("comment", wanted)), "example": example})


def _answers(name: str) -> dict[int | str, dict[str, Any]]:
    return {
        **ERRORS,
        200: {
            "description": "As the Perspective API answers.",
            "content": {"application/json": {"schema": openapi_schema(name)}},
        },
    }
