"""What the tests of the detectors share: a detector to check by hand, and the embedded ones."""

import runpy
from pathlib import Path

import pytest

from tactful.detectors.base import BaseDetector
from tactful.detectors.load import WEIGHTS

PHRASES = Path(__file__).parents[1] / "phrase_detector.py"


@pytest.fixture
def phrases() -> BaseDetector:
    """Return the detector of ``tests/phrase_detector.py``."""
    detector: BaseDetector = runpy.run_path(str(PHRASES))["PhraseDetector"]()
    return detector


@pytest.fixture(scope="session")
def embedded_weights() -> Path:
    """Return the folder of the embedded default."""
    return WEIGHTS / "default-en"
