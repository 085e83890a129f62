"""Two experts for one id: whose answer counts, and what follows for the ids below it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tactful.detectors.base import sigmoid
from tactful.detectors.card import CARD_FILE, Card, write_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.experts import Expert, Experts, ExpertsDetector, mixed_scores
from tactful.detectors.models.ngrams import NgramDetector, Ngrams
from tactful.errors import FileFormatError

COLUMNS = ("comment", "speech", "register", "stereotype.health", "stereotype.others", "pcl")
IDS = ("stereotype", "stereotype.health", "stereotype.others", "pcl")
EXPERTS = Experts(
    "stereotype",
    Expert("register", 2.0, -1.0),
    Expert("comment", 2.0, 0.5),
    Expert("speech", 1.0, -1.0),
    "stereotype.others",
)
CARD = Card("x", "1", IDS, calibration={"stereotype.health": (3.0, 0.25)}, lang="es")
FAR = 50.0


def scored(**columns: float) -> dict[str, float]:
    row = [[columns.get(name.replace(".", "_"), 0.0) for name in COLUMNS]]
    found = mixed_scores(np.array(row), COLUMNS, EXPERTS, CARD)
    return {name: float(values[0]) for name, values in found.items()}


def odds(value: float) -> float:
    return float(sigmoid(np.array(value)))


def test_the_gate_chooses_the_expert() -> None:
    assert scored(comment=1.0, speech=9.0, register=-FAR)["stereotype"] == pytest.approx(odds(2.5))
    assert scored(comment=9.0, speech=3.0, register=FAR)["stereotype"] == pytest.approx(odds(2.0))
    between = scored(comment=1.0, speech=3.0, register=0.5)
    assert between["stereotype"] == pytest.approx(odds(0.5 * 2.5 + 0.5 * 2.0))


def test_a_category_is_never_more_probable_than_the_whole() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(scale=4, size=(500, len(COLUMNS)))
    found = mixed_scores(logits, COLUMNS, EXPERTS, CARD)
    for name in ("stereotype.health", "stereotype.others"):
        assert (found[name] <= found["stereotype"] + 1e-6).all()
    one = scored(comment=1.0, register=-FAR, stereotype_health=2.0)
    assert one["stereotype.health"] == pytest.approx(odds(2.5))
    one = scored(comment=1.0, register=-FAR, stereotype_health=-0.5)
    assert one["stereotype.health"] == pytest.approx(odds(-0.5 * 3.0 + 0.25))


def test_what_no_category_names_is_of_another_kind() -> None:
    none = scored(comment=5.0, register=-FAR, stereotype_health=-FAR, stereotype_others=-FAR)
    assert none["stereotype.others"] == pytest.approx(none["stereotype"], abs=1e-6)
    named = scored(comment=5.0, register=-FAR, stereotype_health=FAR, stereotype_others=-FAR)
    assert named["stereotype.others"] == pytest.approx(0.0, abs=1e-6)


def test_ids_beside_it_are_their_own() -> None:
    assert scored(comment=-FAR, pcl=1.5)["pcl"] == pytest.approx(odds(1.5))


def member(name: str, folder: Path) -> NgramDetector:
    words = {"vecinos": 0, "tren": 1, "senado": 2, "salud": 3}
    known = Ngrams(words, {}, np.ones(len(words), dtype=np.float32), most_words=1)
    weights = np.zeros((len(words), len(COLUMNS)), dtype=np.float32)
    weights[0, :2] = 20.0, -20.0
    weights[1, :2] = -15.0, 15.0
    weights[2, 2] = 40.0
    weights[3, 3] = 30.0
    bias = np.array([-1.0, -1.0, -10.0, -3.0, -9.0, -9.0], dtype=np.float32)
    made = NgramDetector(known, weights, bias, Card(name, "1", COLUMNS, kind="ngrams", lang="es"))
    made.save(folder / name)
    return made


def training(**changes: Any) -> dict[str, Any]:
    return {
        "members": {"one": 0.75, "two": 0.25},
        "columns": list(COLUMNS),
        "experts": {
            "id": "stereotype",
            "gate": ["register", 1.0, 0.0],
            "first": ["comment", 1.0, 0.0],
            "second": ["speech", 1.0, 0.0],
        },
        "rest": "stereotype.others",
    } | changes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        member(name, tmp_path)
    card = Card("both", "1", IDS, kind="experts", lang="es", training=training())
    write_card(card, tmp_path / "both")
    return tmp_path / "both"


def test_a_folder_opens_and_words_carry_by_register(folder: Path) -> None:
    detector = load_detector(folder)
    assert isinstance(detector, ExpertsDetector)
    scores = detector.score(["vecinos", "tren", "senado tren", "senado vecinos"])
    assert (scores["stereotype"][[0, 2]] > 0.9).all()
    assert (scores["stereotype"][[1, 3]] < 0.1).all()
    report = detector.check("el tren y vecinos con salud")
    assert [finding.id for finding in report.findings] == ["stereotype", "stereotype.health"]
    spans = [[span.cut(report.text) for span in each.spans] for each in report.findings]
    assert spans == [["vecinos"], ["salud"]]
    formal = detector.contributions("senado tren", ["stereotype"])["stereotype"]
    assert max(formal, key=lambda each: each.value).start == len("senado ")


def test_a_stereotype_without_a_category_is_one_of_the_others(folder: Path) -> None:
    report = load_detector(folder).check("vecinos")
    assert [finding.id for finding in report.findings] == ["stereotype", "stereotype.others"]


def test_nothing_found_is_nothing_said(folder: Path) -> None:
    assert not load_detector(folder).check("salud").findings


@pytest.mark.parametrize(
    "changes",
    [
        {"experts": None},
        {
            "experts": {
                "id": "stereotype",
                "gate": ["register", 1.0, 0.0],
                "first": ["comment", 1.0],
            }
        },
        {"columns": ["comment"]},
        {"columns": None},
        {"rest": "stereotype.culture"},
        {"experts": training()["experts"] | {"id": "frame"}},
        {"experts": training()["experts"] | {"gate": ["pace", 1.0, 0.0]}},
        {"members": {}},
        {"members": {"one": {"comment": 1.0}}},
    ],
)
def test_broken_cards(folder: Path, changes: dict[str, Any]) -> None:
    path = folder / CARD_FILE
    card = json.loads(path.read_text(encoding="utf-8"))
    card["training"] |= changes
    path.write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"restore the file|check the folders"):
        load_detector(folder)
