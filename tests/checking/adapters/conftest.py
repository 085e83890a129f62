"""A small detector that anybody can follow, as an object and as a folder with a card."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tactful.detectors import load
from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card, read_card, write_card
from tactful.registry import Registry
from tactful.types import Span

PHRASES = {
    "pcl": ("these people", 0.9),
    "pcl.compassion": ("poor souls", 0.8),
    "unhealthy.sarcastic": ("how clever", 0.7),
}
"""id -> the phrase that shows it, and the probability it then has; else 0.125."""


class PhraseDetector(BaseDetector):
    """Scores a text by fixed phrases, and keeps count of its calls."""

    card = Card("phrases", "1", tuple(PHRASES), kind="phrases", thresholds={"pcl": 0.6})

    def __init__(self) -> None:
        self.calls: list[int] = []

    def score(self, texts: Sequence[str]) -> Scores:
        self.calls.append(len(texts))
        return {
            name: np.array([high if phrase in text else 0.125 for text in texts], dtype=np.float32)
            for name, (phrase, high) in PHRASES.items()
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        found = {}
        for name in ids:
            phrase = PHRASES[name][0]
            start = text.find(phrase)
            found[name] = () if start < 0 else (Span(start, start + len(phrase), name),)
        return found

    def __deepcopy__(self, memo: object) -> "PhraseDetector":
        raise TypeError("an open detector is not to be copied")


@pytest.fixture
def detector() -> PhraseDetector:
    return PhraseDetector()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a folder that ``load_detector`` opens as a PhraseDetector."""
    module = ModuleType("phrase_detector")
    module.load_phrases = lambda path: PhraseDetector() if read_card(path) else None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    kinds: Registry[Any] = Registry("kind of detector", {"phrases": "phrase_detector:load_phrases"})
    monkeypatch.setattr(load, "KINDS", kinds)
    write_card(PhraseDetector.card, tmp_path / "phrases")
    return str(tmp_path / "phrases")
