"""One module for each part of the API, each with ``router(engine, settings)``."""

from importlib import import_module

from fastapi import APIRouter

from tactful.service.engine.engine import Engine
from tactful.service.settings import ServiceSettings

ROUTERS = (
    "check",
    "score",
    "frame",
    "taxonomies",
    "models",
    "health",
    "perspective",
    "moderations",
    "pages",
)
"""In the order in which paths are looked up."""

_OF_THE_WEB_APP = ("pages",)


def routers(engine: Engine, settings: ServiceSettings) -> list[APIRouter]:
    """Return the routers of all parts that are wanted."""
    wanted = [name for name in ROUTERS if settings.web or name not in _OF_THE_WEB_APP]
    return [import_module(f"{__name__}.{name}").router(engine, settings) for name in wanted]
