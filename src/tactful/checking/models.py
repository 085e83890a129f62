"""The models that a check reads with, opened once in a process.

Models are not made for two threads, so all users of a shared one hold :data:`LOCK`. A process that
was forked opens its own: the threads of an ONNX session are not forked with it.
"""

import os
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from tactful.detectors.base import Detector
from tactful.detectors.card import Card
from tactful.detectors.load import DETECTORS, load_detector
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tactful.frames.embedded import EmbeddedFramer

Model = str | os.PathLike[str] | Detector
"""A detector's name, the folder of its weights, or an open detector."""
LOCK = RLock()
_KEPT_OPEN = 4


def opened_detector(model: Model, lang: str = "en") -> Detector:
    """Return an open detector.

    Parameters
    ----------
    model
        The name of an embedded detector, the folder of one, or an open detector.
    lang
        The language, for the name of an embedded detector; a folder has its own.

    """
    if isinstance(model, str | os.PathLike):
        name = os.fspath(model)
        card = Path(name).expanduser() / "card.json"
        # A folder that was trained again has a new card, and must be opened again.
        changed = card.stat().st_mtime_ns if card.is_file() else 0
        return _opened(name, lang if name in DETECTORS else "en", changed, os.getpid())
    if isinstance(model, Detector):
        return model
    raise UsageError(
        f"Found {type(model).__name__} as the model; expected a detector's name, the folder of its "
        "weights, or a detector."
    )


def opened_framer(detector: Detector) -> "EmbeddedFramer | None":
    """Return the embedded framer for what a detector finds; None if there is none.

    It reads with the encoder of this detector where that is its own, so that no model is opened
    twice. Beside another detector it opens its own when a passage with a finding needs it.
    """
    from tactful.detectors.models.blend import BlendDetector
    from tactful.detectors.models.encoder import EncoderDetector
    from tactful.frames.embedded import framer_folder

    folder = framer_folder(detector.card.lang)
    if folder is None or not can_frame(detector.card):
        return None
    framer = _opened_framer(folder, os.getpid())
    found = getattr(detector, "second", detector)  # of a cascade
    for part in found.members if isinstance(found, BlendDetector) else [found]:
        if isinstance(part, EncoderDetector) and part.folder == framer.encoder_folder:
            framer.encoder = part
    return framer


def can_frame(card: Card) -> bool:
    """Say whether a framer can say what the texts imply in which a detector finds an offence."""
    from tactful.frames.embedded import framer_folder

    return "frame.offensive" in card.ids and framer_folder(card.lang) is not None


@lru_cache(maxsize=_KEPT_OPEN)
def _opened(model: str, lang: str, _changed: int, _process: int) -> Detector:
    return load_detector(model, lang=lang)


@lru_cache(maxsize=_KEPT_OPEN)
def _opened_framer(folder: Path, _process: int) -> "EmbeddedFramer":
    from tactful.frames.embedded import load_embedded_framer

    return load_embedded_framer(folder)
