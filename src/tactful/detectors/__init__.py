"""Anything that scores text: baselines, linear models, the encoder, the cascade; and why."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.detectors.base import BaseDetector, Detector, Scores
    from tactful.detectors.card import Card, read_card, write_card
    from tactful.detectors.load import DETECTORS, load_detector

__all__ = [
    "DETECTORS",
    "BaseDetector",
    "Card",
    "Detector",
    "Scores",
    "load_detector",
    "read_card",
    "write_card",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "base": ["BaseDetector", "Detector", "Scores"],
        "card": ["Card", "read_card", "write_card"],
        "load": ["DETECTORS", "load_detector"],
    },
)
