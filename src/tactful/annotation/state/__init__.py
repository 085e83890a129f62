"""What follows from the events of a project, by pure functions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.annotation.state.project_state import State

_LAZY = {
    "State": "tactful.annotation.state.project_state",
}

__all__ = ["State"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.annotation.state' has no attribute {name!r}")
