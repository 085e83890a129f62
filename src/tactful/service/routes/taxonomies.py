"""``GET /v1/taxonomies``: what can be found, with definitions, questions and sources."""

from typing import Any

from fastapi import APIRouter

from tactful.service.engine.engine import Engine
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.errors import ServiceError
from tactful.service.models import ERRORS
from tactful.service.settings import ServiceSettings
from tactful.taxonomies import find_entry, load_taxonomy, taxonomy_names

_ERRORS: dict[int | str, dict[str, Any]] = {code: ERRORS[code] for code in (401, 422, 429)}


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["Native API"])

    # Plain functions: they read files once, which the thread pool is for.
    @routes.get("/v1/taxonomies", summary="List the taxonomies", responses=_ERRORS)
    def taxonomies() -> JsonAnswer:
        """List the taxonomies with their ids."""
        return JsonAnswer({"taxonomies": [_summary(name) for name in taxonomy_names()]})

    @routes.get(
        "/v1/taxonomies/{name}",
        summary="Show a taxonomy or an entry",
        responses={**_ERRORS, 404: {**ERRORS[400], "description": "There is no such id."}},
    )
    def taxonomy(name: str) -> JsonAnswer:
        """Show a whole taxonomy (``pcl``) or one of its entries (``pcl.metaphor``)."""
        # Names only: the library also takes paths, which requests must not read.
        if name in taxonomy_names():
            return JsonAnswer(load_taxonomy(name).model_dump(mode="json", exclude_none=True))
        known = [entry.id for each in taxonomy_names() for entry in load_taxonomy(each).entries]
        if name not in known:
            raise ServiceError(
                404,
                "There is no taxonomy or entry of this id; GET /v1/taxonomies lists them.",
                "UNKNOWN_NAME",
            )
        return JsonAnswer(find_entry(name).model_dump(mode="json", exclude_none=True))

    return routes


def _summary(name: str) -> dict[str, Any]:
    found = load_taxonomy(name)
    return {
        "id": found.id,
        "name": found.name,
        "version": found.version,
        "languages": list(found.languages),
        "entries": [{"id": entry.id, "name": entry.name} for entry in found.entries],
    }
