import json
from pathlib import Path

import pytest

from tactful.detectors.card import CARD_FILE, Card, read_card, write_card
from tactful.errors import FileFormatError

CARD = Card(
    "mild",
    "1.0",
    ("pcl", "unhealthy"),
    kind="linear",
    thresholds={"pcl": 0.3},
    calibration={"pcl": (1.5, -0.25)},
    bands={"pcl": (0.1, 0.9)},
    figures=({"id": "pcl", "metric": "f1", "value": 0.5},),
    limits=("sees words only",),
)


def test_a_card_survives_its_file(tmp_path: Path) -> None:
    write_card(CARD, tmp_path)
    assert read_card(tmp_path) == CARD


def test_an_id_without_a_threshold_is_reported_from_one_half() -> None:
    assert CARD.threshold("pcl") == 0.3
    assert CARD.threshold("unhealthy") == 0.5
    assert CARD.model == "mild 1.0"


def test_fields_of_later_versions_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / CARD_FILE).write_text(
        json.dumps({"name": "a", "version": "2", "ids": ["pcl"], "colour": "blue"})
    )
    assert read_card(tmp_path).ids == ("pcl",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "found no card.json"),
        ("{", "found no readable JSON"),
        ("[]", "found no mapping"),
        ('{"name": "a", "version": "1"}', "found no 'ids'"),
        ('{"name": "a", "version": "1", "ids": ["pcl"], "bands": {"pcl": 3}}', "'bands'"),
        ('{"name": "a", "version": "1", "ids": 5}', "'ids'"),
    ],
)
def test_a_broken_card_says_what_is_wrong(
    content: str | None, message: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / CARD_FILE).write_text(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_card(tmp_path)
    assert str(tmp_path) in str(caught.value)
