"""Opens a project for a command that changes it, also while a server has it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tactful.annotation.client import Client
    from tactful.annotation.project.project import Project

DEFAULT_ADDRESS = "http://127.0.0.1:8100"
"""Where ``serve`` puts a project unless options say otherwise."""


@contextmanager
def writing(folder: Path) -> "Iterator[Project | Client]":
    """Open a project, or reach the server that has it; both take the same changes."""
    from tactful.annotation.project.live import reach
    from tactful.annotation.project.project import Project
    from tactful.annotation.store.engine import BusyStoreError

    try:
        project = Project.open(folder)
    except BusyStoreError:
        client = reach(folder)
        if client is None:
            raise
        yield client
    else:
        with project:
            yield project
