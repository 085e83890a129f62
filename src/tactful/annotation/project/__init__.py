"""A project: its folder, its log and the work on it."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.annotation.project.exchange import NewItem
    from tactful.annotation.project.project import Project

__all__ = ["NewItem", "Project"]

__getattr__, __dir__ = lazy_names(__name__, {"exchange": ["NewItem"], "project": ["Project"]})
