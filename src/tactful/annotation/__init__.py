"""Annotation: people judge texts by a protocol, and all they do is kept.

Protocols are data (:mod:`~tactful.annotation.protocol`), what happens is a log of events
(:mod:`~tactful.annotation.events`), and trust, labels and status follow from it
(:mod:`~tactful.annotation.state`). A :class:`~tactful.annotation.project.Project` is a folder with
both.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.annotation.events import Event
    from tactful.annotation.load import load_protocol
    from tactful.annotation.project import Project
    from tactful.annotation.state import State

_LAZY = {
    "Event": "tactful.annotation.events",
    "Project": "tactful.annotation.project",
    "State": "tactful.annotation.state",
    "load_protocol": "tactful.annotation.load",
}

__all__ = ["Event", "Project", "State", "load_protocol"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.annotation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
