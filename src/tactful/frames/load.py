"""What a framer is, opening one by name or by its folder, and how much of a frame is shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tactful.detectors.card import Card, read_card
from tactful.detectors.weights import weights_folder
from tactful.errors import MissingExtraError, UsageError
from tactful.frames.embedded import EMBEDDED, EmbeddedFramer
from tactful.registry import Registry, unknown_name
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
        self.card = framer.card

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        """Return one frame per text, cut."""
        found = (at_least(each, self.least) for each in self.framer.frame(texts))
        return [each if self.statements else without_statements(each) for each in found]


def without_statements(frame: Frame) -> Frame:
    """Return the frame with its groups, without statements about them."""
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


def _opener(found: Any) -> Callable[[Path], Framer]:
    if not callable(found):
        raise TypeError(f"found {found!r}; expected a function that opens the folder of a framer")
    return found  # type: ignore[no-any-return]


KINDS: Registry[Callable[[Path], Framer]] = Registry(
    "kind of framer",
    {
        "frames": "tactful.frames.embedded:load_embedded_framer",
        "frames-index": "tactful.frames.retrieval:load_retrieval_framer",
    },
    group="framers",
    accept=_opener,
)
"""The ``kind`` of a card.json -> what opens its folder."""

CAUSAL = "frames-causal"
"""The kind that the lab opens."""

FRAMERS = ("default",)


def load_framer(
    name: str | Path = "default",
    *,
    lang: str = "en",
    statements: bool = True,
    least: float = 0.0,
) -> Framer:
    """Open the embedded framer, or any by the folder of its weights or index; never the network.

    ``statements=False`` names groups and writes nothing about them. Where ``frame.group`` is less
    likely than ``least``, no group is named; below the card's own threshold none is in any case.
    """
    if lang not in EMBEDDED:
        raise unknown_name("language", lang, list(EMBEDDED))
    if not 0 <= least <= 1:
        raise UsageError(f"Found {least:g} as the least probability; expected 0 to 1.")
    embedded = EMBEDDED[lang].get(str(name))
    folder = weights_folder(embedded) if embedded else Path(name).expanduser()
    if not embedded and not folder.is_dir():
        if folder.name == str(name):
            raise unknown_name("framer", str(name), list(FRAMERS))
        raise UsageError(
            f"There is no folder '{folder}'; expected a framer's name ({', '.join(FRAMERS)}), or "
            "the folder of its weights or of an index."
        )
    kind = read_card(folder).kind
    if kind == CAUSAL and kind not in KINDS:
        raise MissingExtraError("lab", f"The causal language model in '{folder}'")
    framer = KINDS.get(kind)(folder)
    if statements and not least:
        return framer
    if not statements and isinstance(framer, EmbeddedFramer):
        framer.statements = False  # Then nothing is written that would only be hidden.
    return Shown(framer, statements=statements, least=least)
