"""What everything that reads frames can do: the embedded model, a causal one, an index of posts."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tactful.detectors.card import Card
from tactful.types import Frame


@runtime_checkable
class Framer(Protocol):
    """Anything that turns texts into Social Bias Frames."""

    @property
    def card(self) -> Card:
        """The model card: name, version, ids, training data and limits."""
        ...

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        """Return one frame per text, in the order of ``texts``; each holds the constraints."""
        ...
