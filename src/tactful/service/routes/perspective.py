"""The Perspective API on its own paths: comments:analyze, comments:suggestscore, discovery."""

from functools import cache
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request

from tactful.service.engine.engine import Engine
from tactful.service.http.addresses import known_address, own_address
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import read_json_body
from tactful.service.logs import LOGGER
from tactful.service.models import ERRORS, json_body
from tactful.service.perspective.analysis import analyze
from tactful.service.perspective.discovery import VERSION, discovery_document, openapi_schema
from tactful.service.perspective.refusals import invalid
from tactful.service.perspective.requests import read_analyze, read_suggest
from tactful.service.perspective.responses import analyze_response, suggest_response
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
    # For clients that cannot be changed, a server may leave out what it cannot score.
    drop = settings.drop_unsupported

    @cache
    def warn_of_unknown_host() -> None:
        LOGGER.warning(_UNKNOWN_HOST)

    def address(request: Request) -> str:
        found = known_address(request, settings)
        if found is None:
            warn_of_unknown_host()
        return found or own_address(request, settings)

    @routes.post(
        f"/{VERSION}/comments:analyze",
        summary="Score a comment as the Perspective API does",
        responses=_answers("AnalyzeCommentResponse"),
        openapi_extra=_body("AnalyzeCommentRequest", "requestedAttributes", _EXAMPLE),
    )
    async def analyze_comment(request: Request) -> JsonAnswer:
        """Score a comment for the requested attributes; nothing is stored."""
        wanted = read_analyze(await read_json_body(request))
        found = await analyze(engine, wanted, drop)
        return JsonAnswer(analyze_response(wanted, found))

    @routes.post(
        f"/{VERSION}/comments:suggestscore",
        summary="Accept a suggested score as the Perspective API does",
        responses=_answers("SuggestCommentScoreResponse"),
        openapi_extra=_body("SuggestCommentScoreRequest", "attributeScores", _SUGGESTION),
    )
    async def suggest_comment_score(request: Request) -> JsonAnswer:
        """Check a suggested score and acknowledge it; nothing is stored and nothing is learnt."""
        suggested = read_suggest(await read_json_body(request))
        detected = (await engine.languages([suggested.text]))[0]
        return JsonAnswer(suggest_response(suggested, detected))

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

    @routes.get(
        f"/discovery/v1/apis/{_NAME}/{VERSION}/rest",
        summary="The discovery document, where Google's directory has it",
        responses={200: _DOCUMENT},
    )
    async def directory_discovery(request: Request) -> JsonAnswer:
        """Describe the API to Google's own clients, with this server's address."""
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
