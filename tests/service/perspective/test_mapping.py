"""The table of attributes: whole, monotone, and about ids that the detectors score."""

from itertools import pairwise
from pathlib import Path

import pytest

from tactful.detectors.card import read_card
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError
from tactful.service.perspective.mapping import (
    Formula,
    attributes,
    bare_name,
    find_attribute,
    fitted,
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
        assert bool(row.formulas) != (row.nearest is not None)
    assert sum(name.startswith("PATRONIZING_") for name in attributes()) == 7 + 1
    assert sum(name.startswith("STEREOTYPE_") for name in attributes()) == 10


def test_every_formula_is_of_ids_that_the_default_detector_scores() -> None:
    for row in attributes().values():
        for lang, formula in row.formulas.items():
            card = read_card(weights_folder(EMBEDDED[lang]["default"]))
            assert set(formula.weights) <= set(card.ids), row.name


def test_every_id_of_the_english_detector_but_two_can_be_asked_for() -> None:
    card = read_card(weights_folder(EMBEDDED["en"]["default"]))
    asked = {
        name
        for row in attributes().values()
        for formula in (row.formulas.get("en"), row.own)
        if formula is not None
        for name in formula.weights
    }
    assert set(card.ids) - asked == {"frame.in_group", "frame.intent"}


def test_an_attribute_with_an_id_of_toxicity_is_that_id_where_a_detector_scores_it() -> None:
    toxicity = load_taxonomy("toxicity")
    own = {name: row.own.only_id for name, row in attributes().items() if row.own}
    plain = {name: each for name, each in own.items() if attributes()[name].same_as is None}
    assert sorted(map(str, plain.values())) == sorted(toxicity.ids())
    for name, each in plain.items():
        assert name in toxicity.entry(str(each)).source_names
    for name, each in own.items():
        row = attributes()[name]
        assert row.formula("es", toxicity.ids()) == row.formula("en", toxicity.ids()) == row.own
        assert str(each) not in {part for found in row.formulas.values() for part in found.weights}


def test_other_detectors_are_read_by_the_table() -> None:
    ids = ("frame.offensive", "unhealthy", "frame.lewd")
    toxic, lewd, threat = (
        attributes()[name] for name in ("TOXICITY", "SEXUALLY_EXPLICIT", "THREAT")
    )
    assert toxic.formula("en", ids) == toxic.formulas["en"]
    assert lewd.formula("en", ids) == lewd.formulas["en"]
    assert toxic.formula("es", ids) is toxic.formula("en", ids[:1]) is None
    assert threat.formula("en", ids) is None


@pytest.mark.parametrize("name", ["TOXICITY", "SEVERE_TOXICITY", "INSULT"])
def test_combinations_rise_with_each_of_their_parts(name: str) -> None:
    formula = attributes()[name].formulas["en"]
    assert len(formula.weights) > 1
    for part in formula.weights:
        base = dict.fromkeys(formula.weights, 0.3)
        values = [formula.value({**base, part: at / 10}) for at in range(11)]
        assert all(before < after for before, after in pairwise(values))
        assert 0 < values[0] < values[-1] < 1


def test_a_formula_of_one_id_hands_it_on() -> None:
    assert Formula({"x": 1.0}).value({"x": 0.123456789}) == 0.123456789
    assert Formula({"x": 1.0}, 1.0, 0.5).value({"x": 0.5}) == pytest.approx(0.7310586)
    assert Formula({"x": 50.0}, 0.0, 0.5).value({"x": 0.0}) == pytest.approx(0.0, abs=1e-9)


def test_versions() -> None:
    assert bare_name("TOXICITY@latest") == "TOXICITY"
    assert find_attribute("INSULT@2") is attributes()["INSULT"]
    assert find_attribute("INSULT@two") is None


def test_how_the_table_was_fitted_is_told() -> None:
    assert fitted()["seed"] == 1
    assert len(fitted()["data_sha256"]) == 64


@pytest.mark.parametrize(
    "row",
    [
        "A: {meaning: m, reason: r}",
        "A: {meaning: m, reason: r, same_as: B}",
        "A: {meaning: m, reason: r, nearest: A}",
        "A: {meaning: m, reason: r, scores: {en: {weights: {x: -1}, intercept: 0, threshold: 1}}}",
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "attributes.yaml"
    path.write_text(f"attributes:\n  {row}\n")
    with pytest.raises(FileFormatError, match="'A'"):
        read_attributes(path)
