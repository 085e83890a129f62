"""Annotation projects: people judge texts by a protocol, and a log keeps every event.

Protocols are data (:mod:`~tactful.annotation.protocol.records`), everything that happens is a log
of events (:mod:`~tactful.annotation.store.events`), and trust, labels and status are derived from
it (:mod:`~tactful.annotation.state.project_state`). A
:class:`~tactful.annotation.project.project.Project` is a folder with both.
"""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.annotation.client import Client
    from tactful.annotation.project.project import Project
    from tactful.annotation.protocol.load import load_protocol
    from tactful.annotation.state.project_state import State
    from tactful.annotation.store.events import Event

__all__ = ["Client", "Event", "Project", "State", "load_protocol"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "client": ["Client"],
        "project.project": ["Project"],
        "protocol.load": ["load_protocol"],
        "state.project_state": ["State"],
        "store.events": ["Event"],
    },
)
