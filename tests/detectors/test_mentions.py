"""The second reading: a mention is no offence, an offence stays one, and no text sways another."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tactful.checking.models import (
    OFFENCE,
    JointReading,
    SecondReading,
    can_read_again,
    with_second_reading,
)
from tactful.detectors.base import BaseDetector, Detector, Scores, found_ids
from tactful.detectors.card import Card
from tactful.detectors.identity_bias import neutral_sentences
from tactful.detectors.load import load_detector
from tactful.detectors.weights import weights_folder
from tactful.frames.embedded import load_embedded_framer

NEIGHBOUR = "My neighbour is Muslim and we share a garden."
TEXTS = [
    "",
    NEIGHBOUR,
    "Rape Crisis Society",
    "The library opens at nine on weekdays and closes at six.",
    "Women should stay at home and leave the thinking to men.",
    "Gay couples bought the house beside the station.",
    "What a silly comment. Only a fool would believe such nonsense.",
    "e\u0301" * 60 + "\x00\ud800",
    " ".join(f"Muslim families and Jewish families met at stop {at}." for at in range(60)),
]
MODELS = ("default", "cascade", "fast")


def bits(scores: Scores, ids: Sequence[str]) -> NDArray[np.uint32]:
    """Return the bits of the scores, texts x ids."""
    return np.stack([scores[name] for name in ids], axis=1).view(np.uint32)


@pytest.fixture(scope="module", params=MODELS)
def corrected(request: pytest.FixtureRequest) -> Detector:
    return with_second_reading(load_detector(request.param))


@pytest.fixture(scope="module")
def together(corrected: Detector) -> NDArray[np.uint32]:
    return bits(corrected.score(TEXTS), corrected.card.ids)


def test_a_mention_scores_low_and_an_offence_stays(corrected: Detector) -> None:
    limit = corrected.card.threshold("frame.offensive")
    scores = corrected.score(TEXTS)["frame.offensive"]
    assert scores[TEXTS.index(NEIGHBOUR)] < 0.2
    assert scores[TEXTS.index("Women should stay at home and leave the thinking to men.")] >= limit


def test_few_neutral_sentences_are_marked(corrected: Detector) -> None:
    """``tactful check`` marks 1.2 % of all 2,968 (benchmarks/RESULTS.md, The embedded framer)."""
    neutral = [each.text for each in neutral_sentences() if each.kind == "neutral"]
    some = random.Random(1).sample(neutral, 200)
    scores = corrected.score(some)["frame.offensive"]
    assert np.mean(scores >= corrected.card.threshold("frame.offensive")) < 0.05


def test_alone_and_together_are_the_same(corrected: Detector, together: NDArray[np.uint32]) -> None:
    for at, text in enumerate(TEXTS):
        alone = bits(corrected.score([text]), corrected.card.ids)
        np.testing.assert_array_equal(alone[0], together[at])


@pytest.mark.parametrize("size", [2, 3, 7])
def test_order_and_size_of_the_batch_do_not_matter(
    corrected: Detector, together: NDArray[np.uint32], size: int
) -> None:
    rows = list(range(len(TEXTS))) * 2
    random.Random(size).shuffle(rows)
    for start in range(0, len(rows), size):
        chosen = rows[start : start + size]
        found = bits(corrected.score([TEXTS[row] for row in chosen]), corrected.card.ids)
        np.testing.assert_array_equal(found, together[chosen])


def test_a_corrected_score_is_the_lower_of_both(
    corrected: Detector, together: NDArray[np.uint32]
) -> None:
    """Both opened apart, so that what they share cannot hide a difference."""
    name = corrected.card.name.removesuffix("-en")
    first = load_detector(name).score(TEXTS)
    again = load_embedded_framer(weights_folder("frames-en")).score(TEXTS)
    reached = [first[each] >= corrected.card.threshold(each) for each in OFFENCE]
    read = np.logical_or.reduce(reached) | isinstance(corrected, JointReading)
    assert read.any()
    for each in OFFENCE:
        first[each] = np.where(read, np.minimum(first[each], again[each]), first[each])
    np.testing.assert_array_equal(bits(first, corrected.card.ids), together)


def test_the_default_detector_and_the_framer_share_one_reading() -> None:
    detector = load_detector("default")
    corrected = with_second_reading(detector)
    assert isinstance(corrected, JointReading)
    assert corrected.framer.detector is detector
    cascade = load_detector("cascade")
    framer = load_embedded_framer(weights_folder("frames-en"))
    assert type(with_second_reading(cascade, framer)) is SecondReading
    assert framer.detector is getattr(cascade, "second", None)


class Told(BaseDetector):
    """Says what it was told, for texts that are numbers."""

    def __init__(self, card: Card, rows: Sequence[dict[str, float]]):
        self.card, self.rows, self.asked = card, rows, [""]

    def score(self, texts: Sequence[str]) -> Scores:
        self.asked = list(texts)
        return {
            name: np.array([self.rows[int(text)][name] for text in texts], dtype=np.float32)
            for name in self.card.ids
        }


CARD = Card("told", "1", (*OFFENCE, "frame.lewd"), thresholds={"frame.offensive": 0.4})
NOTHING = dict.fromkeys(CARD.ids, 0.0)


def test_only_texts_with_an_offence_are_read_again() -> None:
    rows = [
        {**NOTHING, "frame.offensive": 0.39, "frame.lewd": 0.9},
        {**NOTHING, "frame.offensive": 0.41, "frame.lewd": 0.9},
        {**NOTHING, "frame.group": 0.5},
    ]
    framer = Told(CARD, [NOTHING] * 3)
    corrected = SecondReading(Told(CARD, rows), framer.score)
    found = corrected.score(["0", "1", "2"])
    assert framer.asked == ["1", "2"]
    assert found["frame.offensive"].tolist() == pytest.approx([0.39, 0, 0])
    assert found["frame.group"].tolist() == [0, 0, 0]
    # Other ids keep their score; what is below a closed gate is no finding all the same.
    assert found["frame.lewd"].tolist() == pytest.approx([0.9, 0.9, 0])
    second = {name: float(column[1]) for name, column in found.items()}
    assert found_ids(second, dict.fromkeys(CARD.ids, 0.4)) == []


def test_a_lower_threshold_is_read_again_from_there_on() -> None:
    rows = [{**NOTHING, "frame.offensive": 0.2}]
    corrected = SecondReading(
        Told(CARD, rows), Told(CARD, [NOTHING]).score, {"frame.offensive": 0.1}
    )
    assert corrected.score(["0"])["frame.offensive"].tolist() == [0.0]
    # A higher one changes no score: it only says what counts as found.
    strict = SecondReading(Told(CARD, rows), Told(CARD, [NOTHING]).score, {"frame.offensive": 0.9})
    assert strict.gates["frame.offensive"] == 0.4


def test_the_detector_itself_is_left_as_it_is() -> None:
    class Kept(Told):
        def score(self, texts: Sequence[str]) -> Scores:
            return kept

    kept = {name: np.array([0.9], dtype=np.float32) for name in CARD.ids}
    SecondReading(Kept(CARD, []), Told(CARD, [NOTHING]).score).score(["0"])
    assert {name: column.tolist() for name, column in kept.items()} == {
        name: pytest.approx([0.9]) for name in CARD.ids
    }


def test_without_a_framer_or_an_id_of_offence_nothing_is_corrected() -> None:
    spanish = load_detector(lang="es")
    assert with_second_reading(spanish) is spanish
    patronizing = Told(Card("told", "1", ("pcl",)), [])
    assert with_second_reading(patronizing) is patronizing
    assert not can_read_again(patronizing.card)


def test_a_detector_of_your_own_has_it_too(tmp_path: Path) -> None:
    folder = tmp_path / "default-en"  # the name of an embedded one, and another detector
    folder.mkdir()
    for file in weights_folder("fast-en").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    own, fast = (
        with_second_reading(load_detector(folder)),
        with_second_reading(load_detector("fast")),
    )
    assert type(own) is SecondReading
    np.testing.assert_array_equal(
        bits(own.score(TEXTS), own.card.ids), bits(fast.score(TEXTS), own.card.ids)
    )
    spans = own.spans(NEIGHBOUR, ["frame.offensive"])
    assert spans == load_detector("fast").spans(NEIGHBOUR, ["frame.offensive"])  # type: ignore[attr-defined]
