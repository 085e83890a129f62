"""One module for each part of the API, each with ``router(engine, settings)``."""

from importlib import import_module

from fastapi import APIRouter

from tactful.service.engine.engine import Engine
from tactful.service.settings import ServiceSettings

ROUTERS = (
    "check",
    "score",
    "stream",
    "frame",
    "rewrite",
    "taxonomies",
    "models",
    "health",
    "perspective",
    "moderations",
    "feedback",
    "shadow",
    "review",
    "pages",
)
"""In the order in which paths are looked up."""

_OF_THE_WEB_APP: tuple[str, ...] = ("pages", "review")


def routers(engine: Engine, settings: ServiceSettings) -> list[APIRouter]:
    """Return the routers of all parts that are wanted."""
    unwanted = () if settings.web else _OF_THE_WEB_APP
    if settings.rewrite_endpoint is None:
        unwanted += ("rewrite",)
    if settings.feedback is None:
        unwanted += ("feedback", "review")
    if settings.shadow is None:
        unwanted += ("shadow",)
    wanted = [name for name in ROUTERS if name not in unwanted]
    return [import_module(f"{__name__}.{name}").router(engine, settings) for name in wanted]
