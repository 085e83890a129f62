"""Anything that scores text: baselines, linear models, the encoder, the cascade; and why."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.detectors.base import BaseDetector, Detector, Scores
    from tactful.detectors.card import Card, read_card, write_card
    from tactful.detectors.load import DETECTORS, load_detector

_LAZY = {
    "BaseDetector": "tactful.detectors.base",
    "Card": "tactful.detectors.card",
    "DETECTORS": "tactful.detectors.load",
    "Detector": "tactful.detectors.base",
    "Scores": "tactful.detectors.base",
    "load_detector": "tactful.detectors.load",
    "read_card": "tactful.detectors.card",
    "write_card": "tactful.detectors.card",
}

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


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.detectors' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
