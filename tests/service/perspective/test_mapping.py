"""The table of attributes: whole, and about ids that the detectors score."""

from pathlib import Path

import pytest

from tactful.detectors.card import read_card
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError
from tactful.service.perspective.mapping import (
    attributes,
    bare_name,
    find_attribute,
    read_attributes,
)
from tactful.taxonomies import load_taxonomy

PERSPECTIVE = [
    "TOXICITY",
    "TOXICITY_EXPERIMENTAL",
    "TOXICITY_FAST",
    "SEVERE_TOXICITY",
    "SEVERE_TOXICITY_EXPERIMENTAL",
    "IDENTITY_ATTACK",
    "IDENTITY_ATTACK_EXPERIMENTAL",
    "INSULT",
    "INSULT_EXPERIMENTAL",
    "PROFANITY",
    "PROFANITY_EXPERIMENTAL",
    "THREAT",
    "THREAT_EXPERIMENTAL",
    "SEXUALLY_EXPLICIT",
    "SEXUALLY_EXPLICIT_EXPERIMENTAL",
    "FLIRTATION",
    "ATTACK_ON_AUTHOR",
    "ATTACK_ON_COMMENTER",
    "INCOHERENT",
    "INFLAMMATORY",
    "LIKELY_TO_REJECT",
    "OBSCENE",
    "SPAM",
    "UNSUBSTANTIAL",
    "AFFINITY_EXPERIMENTAL",
    "COMPASSION_EXPERIMENTAL",
    "CURIOSITY_EXPERIMENTAL",
    "NUANCE_EXPERIMENTAL",
    "PERSONAL_STORY_EXPERIMENTAL",
    "REASONING_EXPERIMENTAL",
    "RESPECT_EXPERIMENTAL",
    "ALIENATION_EXPERIMENTAL",
    "FEARMONGERING_EXPERIMENTAL",
    "GENERALIZATION_EXPERIMENTAL",
    "MORAL_OUTRAGE_EXPERIMENTAL",
    "POWER_APPEAL_EXPERIMENTAL",
    "SCAPEGOATING_EXPERIMENTAL",
]
"""Every name on the page "Attributes and languages" of Perspective's documentation, and more."""
OURS = [
    "CONDESCENDING",
    "DISMISSIVE",
    "SARCASTIC",
    "HOSTILE",
    "ANTAGONISTIC",
    "UNFAIR_GENERALISATION",
    "UNHEALTHY",
    "PATRONIZING",
    "STEREOTYPE",
]


def test_every_documented_name_has_a_row_with_a_reason() -> None:
    for name in (*PERSPECTIVE, *OURS):
        row = attributes()[name]
        assert row.reason
        assert row.meaning
        assert bool(row.id) != (row.nearest is not None)
    assert sum(name.startswith("PATRONIZING_") for name in attributes()) == 7
    assert sum(name.startswith("STEREOTYPE_") for name in attributes()) == 11


def test_every_id_is_one_that_a_default_detector_scores() -> None:
    cards = [read_card(weights_folder(folders["default"])) for folders in EMBEDDED.values()]
    for row in attributes().values():
        if row.id is not None:
            assert any(row.id_for(card.ids) for card in cards), row.name


def test_every_id_of_the_english_detector_but_its_frames_can_be_asked_for() -> None:
    card = read_card(weights_folder(EMBEDDED["en"]["default"]))
    asked = {row.id_for(card.ids) for row in attributes().values()}
    assert {name for name in set(card.ids) - asked if not name.startswith("frame.")} == set()


def test_the_kinds_of_toxicity_are_scored_in_every_language_that_has_them() -> None:
    toxicity = load_taxonomy("toxicity")
    own = {name: row for name, row in attributes().items() if row.id in toxicity.ids()}
    plain = {str(row.id): name for name, row in own.items() if row.same_as is None}
    assert sorted(plain) == sorted(toxicity.ids())
    for each, name in plain.items():
        assert name in toxicity.entry(each).source_names
        assert f"{name}_EXPERIMENTAL" in own
    for row in own.values():
        assert row.id_for(toxicity.ids()) == row.id
        assert row.id_for(("frame.lewd", "unhealthy")) is None


def test_versions() -> None:
    assert bare_name("TOXICITY@latest") == "TOXICITY"
    assert find_attribute("INSULT@2") is attributes()["INSULT"]
    assert find_attribute("INSULT@two") is None


@pytest.mark.parametrize(
    "row",
    [
        "A: {meaning: m, reason: r}",
        "A: {meaning: m, reason: r, same_as: B}",
        "A: {meaning: m, reason: r, nearest: A}",
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "attributes.yaml"
    path.write_text(f"attributes:\n  {row}\n")
    with pytest.raises(FileFormatError, match="'A'"):
        read_attributes(path)
