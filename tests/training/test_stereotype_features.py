"""Linguistic and negation features on sentences of ours (DETESTS 2022, section 5.2: UMUTeam)."""

import numpy as np
import pytest

from tactful_lab.training.stereotypes.features import (
    NEGATION_FEATURES,
    feature_names,
    features_of,
    linguistic_features,
    negation_features,
    negations,
    plain,
)


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("Todos ellos siempre llegan tarde.", ["all", "they", "always"], ["we", "crime"]),
        ("Nuestro barrio era más tranquilo.", ["we", "here"], ["they", "money"]),
        ("Hay que cambiar la ley.", ["deontic", "politics"], ["irony"]),
        ("Las ayudas son para los extranjeros.", ["money", "groups"], ["suffering"]),
        ("Qué casualidad, otra vez los mismos…", ["irony", "dots"], ["groups"]),
        ("HABLAN 3 idiomas!!", ["capitals", "numbers", "exclamations", "culture"], ["questions"]),
        ("Probablemente llegarán pronto.", ["adverbs", "future", "movement"], ["past"]),
    ],
)
def test_what_a_sentence_counts(text: str, present: list[str], absent: list[str]) -> None:
    found = features_of(text)
    assert [name for name in present if not found[name] > 0] == []
    assert [name for name in absent if found[name] > 0] == []


def test_a_word_counts_whole_and_without_accents() -> None:
    # "moroso" (late with a payment) is not the word for a group; "país" counts as "pais".
    assert features_of("Un vecino moroso no pagó.")["groups"] == 0
    assert features_of("Mi país.")["here"] == features_of("Mi pais.")["here"] > 0
    assert plain("ÑANDÚ") == "nandu"


def test_tables_have_a_column_for_each_name_and_no_gaps() -> None:
    texts = ["Todos vienen.", "", "¿?", "a" * 5000]
    assert len(feature_names()) == len(set(feature_names())) >= 30
    table = linguistic_features(texts)
    assert table.shape == (4, len(feature_names()))
    assert np.isfinite(table).all()
    assert negation_features([]).shape == (0, len(NEGATION_FEATURES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No todos vienen a eso, pero algunos sí.", [("no", "todos vienen a eso")]),
        ("Nunca llegan tarde", [("nunca", "llegan tarde")]),
        ("Llegaron sin papeles.", [("sin", "papeles")]),
        ("No dice nada.", [("no", "dice nada"), ("nada", "")]),
        ("No creo que vengan", [("no", "creo")]),
        ("Sin embargo, llegan a tiempo.", []),
        ("No obstante llegan.", []),
        ("No solo cantan.", []),
        ("Vienen hoy, ¿no?", []),
        ("No uno dos tres cuatro cinco seis siete ocho nueve.",
         [("no", "uno dos tres cuatro cinco seis siete ocho")]),
        ("", []),
    ],
)  # fmt: skip
def test_cues_and_scopes(text: str, expected: list[tuple[str, str]]) -> None:
    found = negations(text)
    assert [(each.cue, text[slice(*each.scope)]) for each in found] == expected
    assert all(text[each.start : each.end].lower() == each.cue for each in found)


def test_negation_features_say_what_is_reached() -> None:
    row = dict(zip(NEGATION_FEATURES, negation_features(["No todos dicen nada."])[0], strict=True))
    assert row["negated_all"] > 0
    assert row["double"] == 1
    assert row["negated_group"] == row["never"] == row["without"] == 0
