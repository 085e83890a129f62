"""Models are opened once in a process."""

import os
from pathlib import Path

import pytest
from tests.checking.adapters.conftest import PhraseDetector, detector, folder

from tactful.checking.models import opened_detector, opened_framer
from tactful.detectors.models.blend import BlendDetector
from tactful.detectors.weights import weights_folder
from tactful.errors import UsageError

__all__ = ["detector", "folder"]


def test_a_folder_is_opened_once(folder: str) -> None:
    assert opened_detector(folder) is opened_detector(Path(folder))


def test_a_folder_with_a_new_card_is_opened_again(folder: str) -> None:
    first = opened_detector(folder)
    os.utime(Path(folder) / "card.json", ns=(1, 1))
    assert opened_detector(folder) is not first


def test_an_opened_detector_is_used_as_it_is(detector: PhraseDetector) -> None:
    assert opened_detector(detector) is detector


def test_another_thing_is_no_detector() -> None:
    with pytest.raises(UsageError, match="Found int as the model; expected a detector's name"):
        opened_detector(7)  # type: ignore[arg-type]


def test_the_encoder_is_opened_once() -> None:
    own = opened_detector("open")
    framer = opened_framer(own)
    assert framer is not None
    assert isinstance(own, BlendDetector)
    assert framer.encoder is own.members[0]


def test_beside_another_detector_the_framer_reads_with_its_own_encoder() -> None:
    default = opened_detector("default")
    assert isinstance(default, BlendDetector)
    framer = opened_framer(default)
    assert framer is not None
    assert framer.encoder.folder == weights_folder("open-encoder-en")
    assert framer.encoder is not default.members[0]


def test_what_finds_no_offence_has_no_framer(detector: PhraseDetector) -> None:
    assert opened_framer(opened_detector("default", "es")) is None
    assert opened_framer(detector) is None
