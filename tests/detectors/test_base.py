from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import BaseDetector, Detector, Scores, found_ids
from tactful.detectors.card import Card


def odds(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1 / (1 + np.exp(-values))).astype(np.float32)


class Counting(BaseDetector):
    """Each word 'sadly' speaks for PCL, each 'nonsense' for dismissal."""

    card = Card("counting", "1", ("pcl", "pcl.compassion", "unhealthy.dismissive"))

    def score(self, texts: Sequence[str]) -> Scores:
        sad = np.array([text.count("sadly") for text in texts], dtype=np.float32)
        rude = np.array([text.count("nonsense") for text in texts], dtype=np.float32)
        return {
            "pcl": odds(3 * sad - 2),
            "pcl.compassion": odds(3 * sad - 1),
            "unhealthy.dismissive": odds(3 * rude - 2),
        }


def test_it_is_a_detector() -> None:
    assert isinstance(Counting(), Detector)


def test_a_report_names_what_where_and_why() -> None:
    text = "They live, sadly, far away."
    report = Counting().check(text)
    assert [finding.id for finding in report.findings] == ["pcl", "pcl.compassion"]
    assert report.model == "counting 1"
    for finding in report.findings:
        assert [span.cut(text) for span in finding.spans] == ["sadly"]
        assert "sadly" in finding.explanation


def test_nothing_found_is_an_empty_report() -> None:
    assert Counting().check("The train leaves at nine.").findings == ()


def test_a_category_is_reported_only_with_its_gate() -> None:
    thresholds = {"pcl": 0.5, "pcl.compassion": 0.5, "unhealthy": 0.5, "unhealthy.hostile": 0.5}
    weak = {"pcl": 0.4, "pcl.compassion": 0.9, "unhealthy": 0.1, "unhealthy.hostile": 0.8}
    # UCC's attributes do not imply that the comment is unhealthy (Price et al. 2020, section 2).
    assert found_ids(weak, thresholds) == ["unhealthy.hostile"]
    assert found_ids(weak | {"pcl": 0.5}, thresholds) == [
        "pcl",
        "pcl.compassion",
        "unhealthy.hostile",
    ]


def test_a_gate_that_is_not_scored_is_open() -> None:
    assert found_ids({"frame.lewd": 0.9}, {"frame.lewd": 0.5}) == ["frame.lewd"]
