"""What the page says about a run besides its numbers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tactful.pages.text import Html, safe

TEXTS = yaml.safe_load(Path(__file__).with_name("texts.yaml").read_text(encoding="utf-8"))
"""The texts of the page that do not depend on the run."""


@dataclass(frozen=True, slots=True)
class ReportAbout:
    """What was scored, with which model, and the names of the ids."""

    inputs: tuple[str, ...]
    """The files, folders, patterns or addresses, as the user named them."""
    model: str
    """The name and version of the model."""
    date: str
    """When it was scored, in words; the page does not read the clock."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """Id -> its name in plain words; an id without one is shown as it is."""
    title: str = "What the texts may contain"
    where: str | None = None
    """The condition that rows had to meet."""
    dedupe: bool = False
    engine: str = "local"

    def name(self, name: str) -> str:
        """Return an id in plain words."""
        return self.names.get(name, name)

    def kind(self, name: str) -> Html:
        """Return an id in plain words, with the id itself where they differ, as markup."""
        plain = self.name(name)
        if plain == name:
            return Html(f"<bdi>{safe(name)}</bdi>")
        # On a narrow screen, an id breaks between its words and not within them.
        words = re.sub(r"([._])(?=\w)", r"\1<wbr>", safe(name))
        return Html(f"<bdi>{safe(plain)}</bdi> <code>{words}</code>")
