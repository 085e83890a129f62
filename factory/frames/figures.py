"""What a framer's card says about it: figures on the held-out posts, and on neutral sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factory.lessons.load import read_lessons
from tactful.detectors.base import Detector, Scores, sigmoid
from tactful.detectors.card import Card
from tactful.frames.embedded import EmbeddedFramer, pool
from tactful.frames.posts import Post
from tactful.frames.schema import CATEGORICAL, breaks
from tactful.metrics.calibration import expected_calibration_error
from tactful.training.calibrate import best_threshold, platt
from tactful.types import Report
from tactful_lab.evaluation.frame_measures import evaluate_frames
from tactful_lab.evaluation.identity_bias import identity_bias

GROUP = "frame.group"
RECALL = 0.95
"""The share of texts with a group for which one is to be named."""
QUIET = {"neutral": 0.005, "quotation": 0.1}
"""Kind of lessons of ours that imply nothing -> the share for which a group may be named."""
SHOWN = {
    "frame.offensive": {"f1": "offensive.f1"},
    "frame.intent": {"f1": "intent.f1"},
    "frame.lewd": {"f1": "lewd.f1"},
    "frame.group": {"f1": "group.all.f1", "recall": "group.all.recall"},
    "frame.in_group": {"f1": "in_group.all.f1"},
    "frame.target_group": {
        "exact match": "target_group.exact_match",
        "BLEU-2, best reference": "target_group.best_reference_bleu_2",
        "BLEU-2": "target_group.mean_sentence_bleu_2",
        "ROUGE-L": "target_group.rouge_l",
    },
    "frame.implied_statement": {
        "BLEU-2, best reference": "implied_statement.best_reference_bleu_2",
        "BLEU-2": "implied_statement.mean_sentence_bleu_2",
        "ROUGE-L": "implied_statement.rouge_l",
    },
}
"""id -> what the card calls a figure -> the measure it is."""


def calibrated(framer: EmbeddedFramer, posts: Sequence[Post]) -> Card:
    """Return the card with calibration and thresholds, from the held-out posts.

    A group is named from where on all but few of the posts with one are expected to be reached,
    but not so early that lessons of ours (those that nothing learnt from) which only mention, quote
    or criticise get one. There is no group without offence, so offence is claimed as early.
    """
    held = [post for post in posts if post.held_out]
    scores = framer.score([post.text for post in held])
    calibration, thresholds = {}, {}
    for name in CATEGORICAL:
        chances = scores[name].astype(np.float64)
        odds = np.log(chances / (1 - chances))
        gold = _gold(held, name)
        asked = [at for at, value in enumerate(gold) if value is not None]
        slope, level = platt(odds[asked], np.array([gold[at] for at in asked]))
        calibration[name] = (round(slope, 4), round(level, 4))
        found = sigmoid(slope * odds + level)
        thresholds[name] = best_threshold(found)
        if name == GROUP:
            thresholds[name] = recall_threshold(found, RECALL)
            for kind, share in QUIET.items():
                quiet = framer.score(quiet_lessons(kind))[name].astype(np.float64)
                without = sigmoid(slope * np.log(quiet / (1 - quiet)) + level)
                thresholds[name] = max(thresholds[name], quiet_threshold(without, share))
    thresholds["frame.offensive"] = min(thresholds["frame.offensive"], thresholds[GROUP])
    rounded = {name: round(value, 4) for name, value in thresholds.items()}
    return replace(framer.card, calibration=calibration, thresholds=rounded)


def quiet_threshold(chances: NDArray[np.float64], share: float) -> float:
    """Return the least probability, to four digits, that at most this share of the texts reach.

    >>> quiet_threshold(np.array([0.9, 0.5, 0.2, 0.1]), 0.25)
    0.5001
    """
    ordered = np.sort(chances)[::-1]
    return round(float(ordered[int(share * len(ordered))]) + 1e-4, 4)


def quiet_lessons(kind: str) -> list[str]:
    """Return lessons of ours that nothing learnt from, and that imply nothing about anybody."""
    return [
        lesson.text
        for lesson in read_lessons()
        if lesson.part == "validation" and lesson.kind == kind
    ]


def _gold(posts: Sequence[Post], name: str) -> list[int | None]:
    """Return the answers; who was not asked about a group, because of no offence, saw none."""
    found: list[int | None] = []
    for post in posts:
        answer = post.frame.answers.get(name)
        if answer is None and name == GROUP and post.frame.answers.get("frame.offensive") == "no":
            answer = "no"
        found.append(None if answer is None else int(answer == "yes"))
    return found


def recall_threshold(chances: NDArray[np.float64], recall: float) -> float:
    """Return the threshold with this expected recall.

    >>> recall_threshold(np.array([0.9, 0.8, 0.2, 0.1]), 0.8)
    0.8
    """
    ordered = np.sort(chances)[::-1]
    reached = np.cumsum(ordered) / ordered.sum()
    return float(ordered[int(np.argmax(reached >= recall))])


def frame_figures(framer: EmbeddedFramer, posts: Sequence[Post], implicit: Sequence[Post]) -> Card:
    """Return the framer's card with figures on the held-out posts and on neutral sentences."""
    held = [post for post in posts if post.held_out]
    figures = _measured(framer, held, "held-out posts", SHOWN)
    further = [post for post in implicit if post.held_out]
    texts = {name: SHOWN[name] for name in ("frame.target_group", "frame.implied_statement")}
    figures += _measured(framer, further, "held-out posts of Implicit Hate", texts)
    figures += _calibration(framer, held)
    figures.append(
        _figure("frame", "breaks a constraint before the search", _broken(framer, held), len(held))
    )
    bias = identity_bias(_AsDetector(framer)).summary()
    return replace(framer.card, figures=tuple(figures), bias=bias)


def _measured(
    framer: EmbeddedFramer,
    posts: Sequence[Post],
    part: str,
    shown: Mapping[str, Mapping[str, str]],
) -> list[dict[str, Any]]:
    """Measure the framer on posts that nothing learnt from."""
    frames = framer.frame([post.text for post in posts])
    measures = evaluate_frames([post.frame for post in posts], frames)
    return [
        _figure(name, title, found.value, found.items or 0, part)
        for name, titles in shown.items()
        for title, measure in titles.items()
        if (found := measures[measure]).value is not None
    ]


def _calibration(framer: EmbeddedFramer, posts: Sequence[Post]) -> list[dict[str, Any]]:
    scores = framer.score([post.text for post in posts])
    figures = []
    for name in CATEGORICAL:
        answers = _gold(posts, name)
        rows = [at for at, value in enumerate(answers) if value is not None]
        gold = np.array([answers[at] for at in rows], dtype=np.int64)
        error = expected_calibration_error(gold, scores[name][rows].astype(np.float64))
        if error.value is not None:
            figures.append(_figure(name, "ece", error.value, len(rows)))
    return figures


def _broken(framer: EmbeddedFramer, posts: Sequence[Post]) -> float:
    """Return the share of posts whose answers would contradict each other without the search."""
    texts = [post.text for post in posts]
    readings = framer.encoder.readings(texts, "frame.group")
    chances = framer.probabilities(readings, pool(readings))
    limits = np.array([framer.card.threshold(name) for name in CATEGORICAL])
    said = (chances >= limits).astype(np.int8)
    # Annotators who name no group are not asked whether the author belongs to it.
    said[said[:, 3] == 0, 4] = 0
    return float(breaks(said).mean())


def _figure(
    name: str, metric: str, value: float, items: int, part: str = "held-out posts"
) -> dict[str, Any]:
    return {
        "id": name,
        "metric": metric,
        "value": round(value, 4),
        "low": None,
        "high": None,
        "items": items,
        "part": part,
    }


class _AsDetector(Detector):
    """A framer's probabilities, as those who measure detectors want them."""

    def __init__(self, framer: EmbeddedFramer):
        self.framer = framer

    @property
    def card(self) -> Card:
        return self.framer.card

    def score(self, texts: Sequence[str]) -> Scores:
        return self.framer.score(texts)

    def check(self, text: str) -> Report:
        return Report(text)
