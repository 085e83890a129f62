"""A project built again from an export as jsonl or parquet."""

from pathlib import Path
from typing import TYPE_CHECKING

from tactful.annotation.formats.jsonl import read_jsonl
from tactful.annotation.formats.log import PROTOCOL
from tactful.annotation.formats.losses import Loss
from tactful.annotation.protocol.load import read_protocol
from tactful.annotation.state.project_state import State
from tactful.errors import FileFormatError

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project


def rebuild(
    export: Path, folder: Path, *, name: str | None = None, store: str | None = None
) -> "tuple[Project, tuple[Loss, ...]]":
    """Make a new project with the log of an export; return it open, and what could not come along.

    Invitation links never do: people are the same, and get new links.
    """
    from tactful.annotation.project.project import Project

    found = read_jsonl(export)
    if found.protocol is None:
        raise FileFormatError(
            f"{export}: found no {PROTOCOL}; expected the protocol beside the log; export again."
        )
    # A log that leads nowhere must not leave a project behind.
    State.derive(read_protocol(found.protocol), found.events)
    with Project.create(folder, found.protocol, name=name, store=store) as made:
        made.store.append(found.events)
    return Project.open(folder), found.losses
