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
    "FLIRTATION",
    "ATTACK_ON_AUTHOR",
    "ATTACK_ON_COMMENTER",
    "INCOHERENT",
    "INFLAMMATORY",
    "LIKELY_TO_REJECT",
    "OBSCENE",
    "SPAM",
    "UNSUBSTANTIAL",
]
"""Every name on the page "Attributes and languages" of Perspective's documentation."""
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
        assert bool(row.ids) != (row.nearest is not None)
    assert sum(name.startswith("PATRONIZING_") for name in attributes()) == 7 + 1
    assert sum(name.startswith("STEREOTYPE_") for name in attributes()) == 10


def test_every_id_is_one_that_the_default_detector_scores() -> None:
    for row in attributes().values():
        for lang, name in row.ids.items():
            card = read_card(weights_folder(EMBEDDED[lang]["default"]))
            assert name in card.ids, row.name


def test_every_id_of_the_english_detector_but_some_of_its_frames_can_be_asked_for() -> None:
    card = read_card(weights_folder(EMBEDDED["en"]["default"]))
    asked = {name for row in attributes().values() for name in (row.ids.get("en"), row.own)}
    assert set(card.ids) - asked == {"frame.in_group", "frame.intent", "frame.offensive"}


def test_an_attribute_with_an_id_of_toxicity_is_that_id_where_a_detector_scores_it() -> None:
    toxicity = load_taxonomy("toxicity")
    own = {name: row.own for name, row in attributes().items() if row.own}
    plain = {name: each for name, each in own.items() if attributes()[name].same_as is None}
    assert sorted(plain.values()) == sorted(toxicity.ids())
    for name, each in plain.items():
        assert name in toxicity.entry(each).source_names
    for name, each in own.items():
        row = attributes()[name]
        assert row.id_for("es", toxicity.ids()) == row.id_for("en", toxicity.ids()) == each
        assert each not in row.ids.values()


def test_other_detectors_are_read_by_the_table() -> None:
    ids = ("frame.offensive", "unhealthy", "frame.lewd")
    toxic, lewd, threat = (
        attributes()[name] for name in ("TOXICITY", "SEXUALLY_EXPLICIT", "THREAT")
    )
    assert lewd.id_for("en", ids) == "frame.lewd"
    assert lewd.id_for("es", ids) is lewd.id_for("en", ids[:1]) is None
    assert toxic.id_for("en", ids) is threat.id_for("en", ids) is None


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
