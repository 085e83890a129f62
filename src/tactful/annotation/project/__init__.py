"""A project: its folder, its log and the work on it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.annotation.project.exchange import NewItem
    from tactful.annotation.project.project import Project

_LAZY = {
    "NewItem": "tactful.annotation.project.exchange",
    "Project": "tactful.annotation.project.project",
}

__all__ = ["NewItem", "Project"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.annotation.project' has no attribute {name!r}")
