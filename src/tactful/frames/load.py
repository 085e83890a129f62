"""Opening a framer by name or by the folder of its weights."""

from collections.abc import Callable
from pathlib import Path

from tactful.detectors.card import read_card
from tactful.detectors.weights import find_weights, weights_folder
from tactful.errors import UsageError
from tactful.frames.embedded import EmbeddedFramer
from tactful.frames.protocol import Framer
from tactful.frames.shown import Shown
from tactful.registry import Registry, unknown_name

EMBEDDED: dict[str, dict[str, str]] = {"en": {"default": "frames-en"}}
"""Language -> name -> folder of the weights."""

KINDS: Registry[Callable[[Path], Framer]] = Registry(
    "kind of framer",
    {
        "frames": "tactful.frames.embedded:load_embedded_framer",
        "frames-index": "tactful.frames.retrieval:load_retrieval_framer",
        "frames-causal": "tactful.frames.causal:load_causal_framer",
    },
)
"""The ``kind`` of a card.json -> what opens its folder."""

FRAMERS = ("default",)


def framer_folder(lang: str) -> Path | None:
    """Return the folder of the embedded framer of a language; None if none is installed."""
    return find_weights(EMBEDDED[lang]["default"]) if lang in EMBEDDED else None


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
    framer = KINDS.get(read_card(folder).kind)(folder)
    if statements and not least:
        return framer
    if not statements and isinstance(framer, EmbeddedFramer):
        framer.statements = False  # Then nothing is written that would only be hidden.
    return Shown(framer, statements=statements, least=least)
