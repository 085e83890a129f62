"""What the page must be told about a run, as a summary holds numbers only."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ReportAbout:
    """What was scored, with what, and how things are called."""

    inputs: tuple[str, ...]
    """The files, folders, patterns or addresses, as the user named them."""
    model: str
    """The name and version of what scored."""
    date: str
    """When it was scored, in words; the page asks no clock."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """Id -> its name in plain words; an id without one is shown as it is."""
    title: str = "What the texts may hold"
    where: str | None = None
    """The condition that rows had to fulfil."""
    dedupe: bool = False
    engine: str = "local"

    def name(self, name: str) -> str:
        """Return an id in plain words."""
        return self.names.get(name, name)
