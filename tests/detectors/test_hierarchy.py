"""A blend whose categories never contradict the whole."""

import json
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.card import CARD_FILE, Card, write_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.hierarchy import HierarchyDetector, ordered_scores
from tactful.detectors.models.ngrams import NgramDetector, Ngrams
from tactful.errors import FileFormatError

IDS = (
    "stereotype",
    "stereotype.health",
    "stereotype.security",
    "stereotype.others",
    "stereotype.implicit",
    "toxicity",
)
CARD = Card("x", "1", IDS, thresholds=dict.fromkeys(IDS, 0.4), lang="es")


def ordered(**scores: float) -> dict[str, float]:
    given = {name: scores.get(name.rpartition(".")[2], 0.0) for name in IDS}
    arrays = {name: np.array([value], dtype=np.float32) for name, value in given.items()}
    return {name: float(values[0]) for name, values in ordered_scores(arrays, CARD).items()}


def test_nothing_below_is_more_probable_than_the_whole() -> None:
    found = ordered(stereotype=0.3, health=0.9, implicit=0.8, toxicity=0.7)
    assert found["stereotype.health"] == found["stereotype.implicit"] == pytest.approx(0.3)
    assert found["toxicity"] == pytest.approx(0.7)
    rng = np.random.default_rng(1)
    scores = {name: rng.random(500).astype(np.float32) for name in IDS}
    for name, values in ordered_scores(scores, CARD).items():
        if name.startswith("stereotype"):
            assert (values <= scores["stereotype"]).all()


def test_the_likeliest_category_stays_the_likeliest() -> None:
    found = ordered(stereotype=0.3, health=0.8, security=0.4, implicit=0.4)
    assert found["stereotype.health"] == pytest.approx(0.3)
    assert found["stereotype.security"] == pytest.approx(0.15)
    # Health is found to three quarters of its threshold: a quarter of the whole is left.
    assert found["stereotype.others"] == pytest.approx(0.075)
    # What is implicit is no rival of the categories.
    assert found["stereotype.implicit"] == pytest.approx(0.3)
    # Below the whole there is nothing to make smaller.
    assert ordered(stereotype=0.9, health=0.8)["stereotype.health"] == pytest.approx(0.8)


def test_what_no_category_names_is_of_another_kind() -> None:
    assert ordered(stereotype=0.9)["stereotype.others"] == pytest.approx(0.9)
    assert ordered(stereotype=0.9, health=0.2)["stereotype.others"] == pytest.approx(0.45)
    assert ordered(stereotype=0.9, health=0.5)["stereotype.others"] == pytest.approx(0.0)


def write_blend(folder: Path, ids: tuple[str, ...] = IDS) -> Path:
    known = Ngrams({"vecinos": 0, "salud": 1}, {}, np.ones(2, dtype=np.float32), most_words=1)
    weights = np.zeros((2, len(ids)), dtype=np.float32)
    weights[0, 0], weights[1, 1] = 5.0, 9.0
    bias = np.full(len(ids), -1.0, dtype=np.float32)
    member = Card("words", "1", ids, kind="ngrams", lang="es")
    NgramDetector(known, weights, bias, member).save(folder / "words")
    card = Card("all", "1", ids, kind="hierarchy", lang="es", training={"members": {"words": 1.0}})
    write_card(card, folder / "all")
    return folder / "all"


def test_its_folder_opens(tmp_path: Path) -> None:
    detector = load_detector(write_blend(tmp_path))
    assert isinstance(detector, HierarchyDetector)
    scores = detector.score(["vecinos", "salud", ""])
    assert scores["stereotype"][0] > 0.9
    # "salud" speaks for a category only: it cannot be found without the whole.
    assert scores["stereotype.health"][1] == scores["stereotype"][1] < 0.5
    spans = detector.spans("los vecinos", ["stereotype"])["stereotype"]
    assert [span.cut("los vecinos") for span in spans] == ["vecinos"]


def test_a_card_without_the_whole_or_members_is_refused(tmp_path: Path) -> None:
    folder = write_blend(tmp_path, ("toxicity", "pcl"))
    with pytest.raises(FileFormatError, match="without the id 'stereotype'"):
        load_detector(folder)
    folder = write_blend(tmp_path / "other")
    card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
    card["training"] = {}
    (folder / CARD_FILE).write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(FileFormatError, match="no members"):
        load_detector(folder)
