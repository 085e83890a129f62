"""What everything that makes frames can do, and how much of a frame is shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from tactful.detectors.card import Card
from tactful.types import Frame

GROUP, IN_GROUP = "frame.group", "frame.in_group"


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


class Shown:
    """A framer whose frames are cut to what is wanted."""

    def __init__(self, framer: Framer, *, statements: bool = True, least: float = 0.0):
        self.framer, self.statements, self.least = framer, statements, least

    @property
    def card(self) -> Card:
        """The card of the framer."""
        return self.framer.card

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        """Return one frame per text, cut."""
        found = (at_least(each, self.least) for each in self.framer.frame(texts))
        return [each if self.statements else without_statements(each) for each in found]


def without_statements(frame: Frame) -> Frame:
    """Return the frame with its groups, and nothing said about them."""
    bare = (replace(each, statement=None, likelihood=None) for each in frame.implications)
    return replace(frame, implied_statements=(), implications=tuple(dict.fromkeys(bare)))


def at_least(frame: Frame, least: float) -> Frame:
    """Return the frame without its groups where a group is less likely than ``least``."""
    if frame.probabilities.get(GROUP, 1.0) >= least:
        return frame
    answers = {name: said for name, said in frame.answers.items() if name != IN_GROUP}
    if GROUP in answers:
        answers[GROUP] = "no"
    return Frame(frame.probabilities, answers=answers)
