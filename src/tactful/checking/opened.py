"""Detectors and framers that a process opens once and then shares.

Models are not made for two threads, so whoever uses a shared one holds :data:`LOCK`. A process
that was forked opens its own: the threads of an ONNX session are not forked with it.
"""

import os
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from tactful.detectors.base import Detector
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


def opened_corrected(model: Model, lang: str = "en") -> Detector:
    """Return an open detector with the second reading."""
    from tactful.checking.second_reading import with_second_reading

    detector = opened_detector(model, lang)
    return with_second_reading(detector, opened_framer(detector.card.lang))


def opened_framer(lang: str) -> "EmbeddedFramer | None":
    """Return the embedded framer of a language; None if there is none."""
    return _opened_framer(lang, os.getpid())


@lru_cache(maxsize=_KEPT_OPEN)
def _opened(model: str, lang: str, _changed: int, _process: int) -> Detector:
    return load_detector(model, lang=lang)


@lru_cache(maxsize=_KEPT_OPEN)
def _opened_framer(lang: str, _process: int) -> "EmbeddedFramer | None":
    from tactful.frames.embedded import load_embedded_framer
    from tactful.frames.load import framer_folder

    folder = framer_folder(lang)
    return None if folder is None else load_embedded_framer(folder)
