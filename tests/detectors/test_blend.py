from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tactful.detectors.base import Contribution, Spans
from tactful.detectors.card import Card, write_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.blend import BlendDetector, load_blend_detector
from tactful.errors import FileFormatError
from tactful.types import Span

IDS = ("pcl", "unhealthy")


class Marker:
    """Marks the first word for ``pcl``; every letter adds to the log-odds."""

    card = Card("marker", "1", IDS, span_thresholds={"pcl": 0.5}, calibration={"pcl": (2.0, 0.0)})

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = [[len(text) / 10, -1.0] for text in texts]
        return np.array(found, dtype=np.float32).reshape(-1, 2)

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        return {name: [Contribution(0, 4, 2.0), Contribution(5, 9, 4.0)] for name in ids}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        return {name: (Span(0, 4, name),) for name in ids}


class Adder(Marker):
    """Has no marks of its own, and finds one word more."""

    card = Card("adder", "1", IDS)

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 2), dtype=np.float32)

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        return {name: [Contribution(0, 4, 1.0), Contribution(9, 10, 3.0)] for name in ids}


def blend() -> BlendDetector:
    card = Card("both", "1", IDS, kind="blend", calibration={"pcl": (3.0, 0.5)})
    return BlendDetector(card, [Marker(), Adder()], [0.75, 0.25])


def test_log_odds_are_averaged_and_then_calibrated() -> None:
    scores = blend().score(["poor kind!"])
    pcl = 3.0 * (0.75 * 1.0 + 0.25 * 1.0) + 0.5
    assert scores["pcl"] == pytest.approx([1 / (1 + np.exp(-pcl))])
    assert scores["unhealthy"] == pytest.approx([1 / (1 + np.exp(0.5))])


def test_shares_may_differ_by_taxonomy() -> None:
    card = Card("both", "1", IDS, kind="blend")
    shares = [{"pcl": 0.75, "unhealthy": 0.1}, {"pcl": 0.25, "unhealthy": 0.9}]
    detector = BlendDetector(card, [Marker(), Adder()], shares)
    assert detector.logits(["poor"])[0] == pytest.approx([0.75 * 0.4 + 0.25, -0.1 + 0.9])
    alone = Marker().contributions("poor kind!", ["pcl"])["pcl"][1].value
    found = detector.contributions("poor kind!", ["pcl"])["pcl"]
    assert found[1].value == pytest.approx(0.75 * alone / 2), "calibrated by 2 in the member"


def test_contributions_are_the_same_mean() -> None:
    found = blend().contributions("poor kind!", ["pcl"])["pcl"]
    # Each member's parts are those of its calibrated log-odds: its own slope is taken out first.
    first, second = 0.75 * 3.0 / 2.0, 0.25 * 3.0
    assert [(part.start, part.end) for part in found] == [(0, 4), (5, 9), (9, 10)]
    assert [part.value for part in found] == pytest.approx(
        [2 * first + 1 * second, 4 * first, 3 * second]
    )


def test_marks_go_before_sums() -> None:
    spans = blend().spans("poor kind!", ["pcl", "unhealthy"])
    assert spans["pcl"] == (Span(0, 4, "pcl"),)
    assert [span.id for span in spans["unhealthy"]] == ["unhealthy"]


def test_no_texts_no_scores() -> None:
    assert blend().score([])["pcl"].shape == (0,)


@pytest.mark.parametrize("members", [None, {}, "fast-en"])
def test_a_card_without_members_is_refused(members: object, tmp_path: Path) -> None:
    card = Card("odd", "1", IDS, kind="blend", training={"members": members})
    write_card(card, tmp_path)
    with pytest.raises(FileFormatError, match="found no members"):
        load_blend_detector(tmp_path)


def test_the_embedded_default_is_the_mean_of_its_members(embedded_weights: Path) -> None:
    default = load_detector("default")
    assert isinstance(default, BlendDetector)
    texts = ["Only an idiot would believe such nonsense.", "The bridge opens on Monday."]
    expected = sum(
        share * member.logits(texts)
        for member, share in zip(default.members, default.shares, strict=True)
    )
    assert default.logits(texts) == pytest.approx(expected, abs=1e-5)
    assert sum(default.shares) == pytest.approx(1)


def test_the_embedded_default_explains_what_it_finds(embedded_weights: Path) -> None:
    text = "What a stupid comment. Only an idiot would believe such nonsense."
    report = load_detector("default").check(text)
    assert report.findings
    for finding in report.findings:
        assert finding.explanation
        assert all(0 <= span.start < span.end <= len(text) for span in finding.spans)
