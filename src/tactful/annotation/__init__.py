"""Annotation projects: people judge texts by a protocol, and a log keeps every event.

Protocols are data (:mod:`~tactful.annotation.protocol.records`), everything that happens is a log
of events (:mod:`~tactful.annotation.store.events`), and trust, labels and status are derived from
it (:mod:`~tactful.annotation.state.project_state`). A
:class:`~tactful.annotation.project.project.Project` is a folder with both.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project
    from tactful.annotation.protocol.load import load_protocol
    from tactful.annotation.state.project_state import State
    from tactful.annotation.store.events import Event

_LAZY = {
    "Event": "tactful.annotation.store.events",
    "Project": "tactful.annotation.project.project",
    "State": "tactful.annotation.state.project_state",
    "load_protocol": "tactful.annotation.protocol.load",
}

__all__ = ["Event", "Project", "State", "load_protocol"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.annotation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
