"""A mention is not a harm: who only names people scores low, and an offence stays one."""

import random

import numpy as np
import pytest

from tactful.detectors.base import Detector
from tactful.detectors.load import load_detector
from tactful_lab.evaluation.identity_bias import neutral_sentences

MODELS = ("default", "cascade", "fast")
MENTIONS = [
    "My neighbour is Muslim and we share a garden.",
    "Immigrant Communities",
    "Women",
    "Gay couples bought the house beside the station.",
]
OFFENCE = "Women are too stupid to vote."
ROOTS = ("pcl", "unhealthy", "frame.offensive", "toxicity", "toxicity.identity_attack")


@pytest.fixture(scope="module", params=MODELS)
def detector(request: pytest.FixtureRequest) -> Detector:
    return load_detector(request.param)


def test_a_mention_scores_low_and_an_offence_does_not(detector: Detector) -> None:
    scores = detector.score([*MENTIONS, OFFENCE])
    for name in ROOTS:
        assert (scores[name][:-1] < detector.card.report_threshold(name)).all(), name
    assert scores["frame.offensive"][-1] >= detector.card.threshold("frame.offensive")


@pytest.mark.parametrize("name", ROOTS)
def test_few_neutral_sentences_are_marked(detector: Detector, name: str) -> None:
    """benchmarks/results/identity-bias.md has the shares of all sentences."""
    neutral = [each.text for each in neutral_sentences() if each.kind == "neutral"]
    some = random.Random(1).sample(neutral, 200)
    assert np.mean(detector.score(some)[name] >= detector.card.threshold(name)) <= 0.05
