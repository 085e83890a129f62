"""The models that a check reads with: opened once in a process, and corrected by a second reading.

Models are not made for two threads, so all users of a shared one hold :data:`LOCK`. A process that
was forked opens its own: the threads of an ONNX session are not forked with it.

The second reading: naming a group is not an offence. Detectors give high scores of offence to many
texts that only mention a group. The framer reads with the same encoder and was corrected for that
on neutral sentences. A corrected score is the lower one of both, so a text
counts as offensive only if both find it so.

The framer reads a text a second time where the detector finds any offence in it; a lower score is
no finding, whatever the framer says. It reads the default detector's texts with the very numbers
that this detector computes, so there a second reading costs next to nothing, and every text has it.
Either way a corrected score depends on no other text, to the last bit (docs/decisions/0006).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tactful.detectors.base import BaseDetector, Detector, Scores, Spans
from tactful.detectors.card import Card
from tactful.detectors.explain.words import occlusion_spans
from tactful.detectors.load import DETECTORS, load_detector
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tactful.detectors.models.blend import BlendDetector
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
    from tactful.frames.embedded import framer_folder, load_embedded_framer

    folder = framer_folder(lang)
    return None if folder is None else load_embedded_framer(folder)


OFFENCE = ("frame.offensive", "frame.intent", "frame.group")
"""The ids that the mere mention of a group raises."""
RULE = "the lower of both, from the threshold on; 1"
"""What the correction does. A change of the scores that it makes needs another number here."""
_HIGHEST_GATE = 0.5


class SecondReading(BaseDetector):
    """A detector with corrected scores of offence; all other scores are the detector's own."""

    def __init__(
        self,
        detector: Detector,
        read_again: Callable[[Sequence[str]], Scores],
        thresholds: Mapping[str, float] = MappingProxyType({}),
    ):
        """Correct ``detector`` with the scores of offence that ``read_again`` returns.

        A text is read again where an id of offence reaches the card's threshold, or one half if
        that is lower, or its value in ``thresholds`` if that is lower still.
        """
        self.card, self.detector, self.read_again = detector.card, detector, read_again
        self.gates = {
            name: min(self.card.threshold(name), thresholds.get(name, 1.0), _HIGHEST_GATE)
            for name in OFFENCE
            if name in self.card.ids
        }

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        found = dict(self.detector.score(texts))
        reached = [found[name] >= gate for name, gate in self.gates.items()]
        rows = np.flatnonzero(np.logical_or.reduce(reached))
        if rows.size:
            again = self.read_again([texts[row] for row in rows.tolist()])
            for name in self.gates:
                found[name] = found[name].copy()
                found[name][rows] = np.minimum(found[name][rows], again[name])
        return found

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id, as the detector finds them."""
        if isinstance(self.detector, BaseDetector):
            return self.detector.spans(text, ids)
        return occlusion_spans(self.detector, text, ids)


class JointReading(SecondReading):
    """The detector that the framer reads with: one reading of a text serves both."""

    def __init__(self, framer: "EmbeddedFramer"):
        super().__init__(framer.detector, framer.score)
        self.framer = framer

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        found, again = self.framer.score_both(texts)
        return found | {name: np.minimum(found[name], again[name]) for name in self.gates}


def can_read_again(card: Card) -> bool:
    """Say whether there is a second reading for a detector: for its language and its ids."""
    from tactful.frames.embedded import framer_folder

    return framer_folder(card.lang) is not None and any(name in card.ids for name in OFFENCE)


def with_second_reading(
    detector: Detector,
    framer: "EmbeddedFramer | None" = None,
    thresholds: Mapping[str, float] = MappingProxyType({}),
) -> Detector:
    """Return the detector with corrected scores, or as it is where nothing can correct it.

    Without ``framer`` the embedded one of the detector's language reads again. Where an id of
    offence has a value in ``thresholds``, texts are read again from that value on.

    >>> from tactful.detectors import load_detector
    >>> detector = with_second_reading(load_detector("fast"))
    >>> bool(detector.score(["My neighbour is Muslim."])["frame.offensive"][0] < 0.2)
    True
    """
    from tactful.frames.embedded import framer_folder, load_embedded_framer

    folder = framer_folder(detector.card.lang)
    if folder is None or not can_read_again(detector.card):
        return detector
    framer = framer or load_embedded_framer(folder)
    shared = _shared(detector, framer)
    if shared is not None:
        framer.detector = shared
    if shared is detector:
        return JointReading(framer)
    return SecondReading(detector, framer.score, thresholds)


def _shared(detector: Detector, framer: "EmbeddedFramer") -> "BlendDetector | None":
    """Return the detector that the framer reads with, if it is open already."""
    from tactful.detectors.models.blend import BlendDetector

    found = getattr(detector, "second", detector)  # of a cascade
    if not isinstance(found, BlendDetector) or found.folder is None:
        return None
    return found if found.folder.resolve() == framer.detector_folder.resolve() else None
