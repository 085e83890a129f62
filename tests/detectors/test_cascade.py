from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card, read_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.cascade import CascadeDetector
from tactful.detectors.weights import weights_folder
from tactful.types import Span


class Fixed(BaseDetector):
    """Gives each text the number it holds, plus a constant."""

    def __init__(self, name: str, added: float):
        self.card = Card(name, "1", ("pcl", "unhealthy"))
        self.added = added
        self.seen: list[str] = []

    def score(self, texts: Sequence[str]) -> Scores:
        self.seen += texts
        values = np.array([float(text) + self.added for text in texts], dtype=np.float32)
        return {"pcl": values, "unhealthy": (values / 2).astype(np.float32)}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        return {name: (Span(0, 1, name),) for name in ids}


def cascade() -> CascadeDetector:
    card = Card("both", "1", ("pcl", "unhealthy"), bands={"pcl": (0.3, 0.6), "unhealthy": (0.4, 1)})
    return CascadeDetector(card, Fixed("first", 0.0), Fixed("second", 0.05))


def test_only_open_texts_reach_the_second_detector() -> None:
    detector = cascade()
    found = detector.score(["0.1", "0.4", "0.7", "0.9"])
    assert isinstance(detector.second, Fixed)
    assert detector.second.seen == ["0.4", "0.9"]
    assert found["pcl"] == pytest.approx([0.1, 0.45, 0.7, 0.95])
    assert found["unhealthy"] == pytest.approx([0.05, 0.225, 0.35, 0.475])


def test_nothing_open_and_nothing_given() -> None:
    detector = cascade()
    assert detector.score(["0.1"])["pcl"] == pytest.approx([0.1])
    assert detector.score([])["pcl"].shape == (0,)


def test_spans_are_those_of_the_better_detector() -> None:
    report = cascade().check("0.9")
    assert [span.id for finding in report.findings for span in finding.spans] == ["pcl"]


def test_the_embedded_cascade_agrees_with_its_detectors(embedded_weights: Path) -> None:
    texts = [
        "The library opens at nine on weekdays.",
        "Only an idiot would believe such nonsense, go away.",
    ]
    found = load_detector("cascade").score(texts)
    fast, default = (load_detector(name).score(texts) for name in ("fast", "default"))
    assert found["pcl"][0] == pytest.approx(fast["pcl"][0], abs=1e-6)
    assert found["unhealthy"][1] == pytest.approx(default["unhealthy"][1], abs=0.05)


@pytest.mark.parametrize("prefix", ["", "open-"], ids=["research", "open"])
def test_a_check_never_reports_what_only_the_fast_detector_found(prefix: str) -> None:
    """A text whose fast score reaches a report threshold is read by the default, too."""
    card = read_card(weights_folder(f"{prefix}cascade-en"))
    default = read_card(weights_folder("open-en" if prefix else "default-en"))
    for name in card.ids:
        assert card.report_threshold(name) == default.report_threshold(name)
        low, high = card.bands[name]
        assert low <= default.report_threshold(name)
        assert high == 1.0
