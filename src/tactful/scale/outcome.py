"""What a run made, on whichever engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tactful.scale.summary import Summary


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found and wrote."""

    summary: Summary
    written: tuple[str, ...] = ()
    """Paths or addresses of files and folders."""
    was_complete: bool = False
    """An earlier run had finished already."""
    rejects: str | None = None
    """The file that lists the rows that cannot be read, if there are any."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Added columns whose usual name the input has for a column of its own -> the name in the
    output."""
