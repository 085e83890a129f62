from pathlib import Path

import pytest

import tactful
from tactful.detectors.base import Detector
from tactful.detectors.card import Card, read_card, write_card
from tactful.detectors.card_page import PAGE_FILE, card_page
from tactful.detectors.load import DETECTORS, EMBEDDED, KINDS, load_detector
from tactful.detectors.weights import INSTEAD, weights_folder
from tactful.errors import FileFormatError, UnknownNameError, UsageError

SIZES_MB = {"encoder-en": 24, "default-en": 1, "fast-en": 6, "cascade-en": 1}
LIMITS_MB = SIZES_MB | {INSTEAD[name]: size for name, size in SIZES_MB.items()}


@pytest.mark.parametrize("name", DETECTORS)
def test_the_embedded_detectors_open_by_name(name: str, embedded_weights: Path) -> None:
    detector = tactful.load_detector(name)
    assert isinstance(detector, Detector)
    assert detector.card.name == f"{name}-en"


@pytest.mark.parametrize("name", DETECTORS)
def test_every_card_is_complete(name: str) -> None:
    folder = weights_folder(EMBEDDED["en"][name])
    card = read_card(folder)
    assert set(card.thresholds) == set(card.ids)
    assert card.limits
    assert (folder / PAGE_FILE).read_text(encoding="utf-8") == card_page(card)


TRAINED = ("default", "fast", "cascade", "open", "open-fast", "open-cascade")


@pytest.mark.parametrize("name", TRAINED)
def test_a_trained_detector_says_how_it_was_made(name: str, embedded_weights: Path) -> None:
    card = read_card(weights_folder(EMBEDDED["en"][name]))
    assert len(card.ids) == 28
    assert all(corpus["sha256"] for corpus in card.corpora)
    assert card.corpora
    assert card.bias
    assert ("non-commercial" in card.licence) != name.startswith("open")
    assert {figure["metric"] for figure in card.figures} >= {"auc", "f1", "ece"}
    for key in ("command", "network sha256", "base sha256"):
        assert card.training[key]


@pytest.mark.parametrize("name", LIMITS_MB)
def test_weights_stay_small_and_are_no_pickles(name: str, embedded_weights: Path) -> None:
    # The default is a blend of the encoder and the fast detector: 30 MB together.
    folder = weights_folder(name)
    files = list(folder.iterdir())
    assert {file.suffix for file in files} <= {".json", ".md", ".npz", ".onnx", ".txt"}
    assert sum(file.stat().st_size for file in files) / 1e6 <= LIMITS_MB[name]


def test_an_unknown_name_is_answered_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'cascade'"):
        load_detector("casade")
    with pytest.raises(UnknownNameError, match="no language named 'xx'"):
        load_detector(lang="xx")


def test_a_missing_folder_and_one_without_a_card(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        load_detector(tmp_path / "nothing")
    with pytest.raises(FileFormatError, match=r"card\.json"):
        load_detector(tmp_path)


def test_an_unknown_kind_is_answered_with_the_list(tmp_path: Path) -> None:
    write_card(Card("odd", "1", ("pcl",), kind="oracle"), tmp_path)
    with pytest.raises(UnknownNameError, match="kind of detector named 'oracle'"):
        load_detector(tmp_path)


def test_every_kind_can_be_imported() -> None:
    for kind in KINDS:
        assert callable(KINDS.get(kind))
