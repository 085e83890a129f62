"""What follows from the events of a project, by pure functions."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.annotation.state.project_state import State

__all__ = ["State"]

__getattr__, __dir__ = lazy_names(__name__, {"project_state": ["State"]})
