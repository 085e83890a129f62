"""Language detection on short texts: English, Spanish, or neither; fast, bounded and repeatable."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tactful.documents import language
from tactful.documents.language import (
    CARD,
    LEAST_PROBABILITY,
    OPENER,
    TABLE,
    UNKNOWN,
    Detected,
    detect_language,
    embedded_table,
    grams_of,
    guess_language,
    possible_languages,
    read_table,
    words_of,
)
from tactful.errors import FileFormatError

CASES: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("language_cases.yaml").read_text(encoding="utf-8")
)
OURS = ("en", "es")
LATIN = ("pt", "fr", "it", "ca", "gl", "de", "nl", "sv", "pl", "tr")
OTHER_SCRIPTS = ("ru", "el", "ar", "he", "hi", "zh", "ja", "ko")


@pytest.mark.parametrize(
    ("lang", "text"), [(lang, text) for lang in OURS for text in CASES[lang]], ids=str
)
def test_english_and_spanish_are_known(lang: str, text: str) -> None:
    assert guess_language(text) == lang
    assert guess_language(text.upper()) == lang


@pytest.mark.parametrize("lang", OTHER_SCRIPTS)
def test_other_scripts_are_neither(lang: str) -> None:
    assert [guess_language(text) for text in CASES[lang]] == [None] * len(CASES[lang])


def test_other_languages_are_mostly_neither() -> None:
    answers = [(lang, guess_language(text)) for lang in LATIN for text in CASES[lang]]
    wrong = [answer for answer in answers if answer[1] is not None]
    assert len(wrong) <= 0.05 * len(answers), wrong


def test_every_case_is_of_a_language_that_is_tested() -> None:
    assert set(CASES) == {*OURS, *LATIN, *OTHER_SCRIPTS}


@pytest.mark.parametrize(
    "text", ["", "Hello!", "¡Hola!", "12 34 --- 🙂", "#Vecinos @ana", "https://example.org/a/b"]
)
def test_too_little_is_said_so(text: str) -> None:
    found = detect_language(text)
    assert (found.lang, found.reason) == (None, "too few words")


@pytest.mark.parametrize("text", ["Vete a tu país.", "De nada", "gracias"])
def test_a_short_text_leans_to_the_language_that_is_far_likelier(text: str) -> None:
    found = detect_language(text)
    assert (found.lang, found.leaning) == (None, "es")
    assert possible_languages(text, ["en", "es"]) == ["es", "en"]
    assert possible_languages(text, ["en"]) == ["en"]


@pytest.mark.parametrize("text", ["Women", "Go home", "Los Angeles Lakers", "Taco Bell", "!!! 123"])
def test_other_short_texts_are_read_in_english_first(text: str) -> None:
    assert possible_languages(text, ["en", "es"]) == ["en", "es"]


def test_a_long_text_in_another_language_leans_to_none() -> None:
    long = "Ich habe heute mit meinen Nachbarn über den neuen Spielplatz am Bahnhof gesprochen."
    assert detect_language(long).leaning is None
    assert possible_languages(long, ["en", "es"]) == []


def test_a_word_that_is_repeated_does_not_make_a_text_foreign() -> None:
    assert possible_languages("Poor souls. " * 11, ["en", "es"]) == ["en", "es"]


def test_without_words_no_language_has_a_probability() -> None:
    assert detect_language("!!! 123") == Detected(None, 0.0, "too few words")


@pytest.mark.parametrize(
    "text",
    [
        "the of and que los las",
        "The house is big and I like it, pero la cocina es más pequeña que la de mi madre",
    ],
)
def test_half_and_half_is_neither(text: str) -> None:
    found = detect_language(text)
    assert (found.lang, found.reason) == (None, "both languages")


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Mi hermana dice que el show fue muy cool y que quiere volver", "es"),
        ("My sister says the fiesta was great and she wants to go back", "en"),
    ],
)
def test_the_language_that_carries_the_sentence_wins(text: str, lang: str) -> None:
    assert guess_language(text) == lang


def test_an_answer_has_a_language_and_no_reason() -> None:
    found = detect_language("Los vecinos del barrio dicen que la plaza es para todos.")
    assert found.lang == "es"
    assert LEAST_PROBABILITY <= found.probability <= 1
    assert found.reason is None


def test_another_language_is_the_reason() -> None:
    assert detect_language(CASES["de"][0]).reason == "another language"


def test_addresses_mentions_and_entities_are_no_words() -> None:
    text = "RT @ana: mira https://example.org/the/house &amp; #TheHouse WWW.example.org 3x 😀 casa"
    assert words_of(text) == ["rt", "mira", "x", "casa"]


def test_grams_know_the_ends_of_words_and_short_words() -> None:
    assert "_the_" in grams_of("the")
    assert "_people_" in grams_of("people")
    assert not any(len(gram) > 4 for gram in grams_of("persons'"))
    assert grams_of("holaaaaaa") == grams_of("hola")
    assert grams_of("don\u2019t") == grams_of("don't")


def test_a_long_text_costs_no_more() -> None:
    assert guess_language("the " * 10_000_000) == "en"


@pytest.mark.parametrize("text", ["a" * 1_000_000, "a'" * 500_000, "@" * 500_000, "&" * 500_000])
def test_a_strange_text_comes_to_an_end(text: str) -> None:
    found = detect_language(text)
    assert 0 <= found.probability <= 1


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    found = detect_language(text)
    assert 0 <= found.probability <= 1
    assert (found.lang is None) == (found.reason is not None)
    assert found == detect_language(text)


def test_what_was_read_before_does_not_matter() -> None:
    texts = [text for own in CASES.values() for text in own]
    before = list(map(detect_language, texts))
    language._word_score.cache_clear()
    assert list(map(detect_language, reversed(texts))) == before[::-1]


def test_another_process_says_the_same() -> None:
    texts = [text for own in CASES.values() for text in own]
    program = (
        "import json, sys; from tactful.documents.language import detect_language as f; "
        "print(json.dumps(list(map(f, json.load(sys.stdin)))))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "3"},
    )
    found = [Detected(*each) for each in json.loads(answer.stdout)]
    assert found == list(map(detect_language, texts))


def test_the_table_is_small_and_holds_only_pieces_of_words() -> None:
    assert TABLE.stat().st_size <= 300_000
    weights = embedded_table().weights
    assert {UNKNOWN, OPENER} <= set(weights)
    assert all(len(gram) <= 4 or len(gram.strip("_")) <= 6 for gram in weights)
    assert not any(" " in gram for gram in weights)
    assert all(isinstance(value, int) for pair in weights.values() for value in pair)


def test_the_card_tells_where_the_table_comes_from() -> None:
    card = json.loads(CARD.read_text(encoding="utf-8"))
    assert {"lessons-en", "lessons-es", "europarl-es", "edos"} <= set(card["sources"])
    assert all(each["texts"] for each in card["sources"].values())
    assert card["grams"] == len(embedded_table().weights)
    assert len(card["data_sha256"]) == 64


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "language.npz"
    path.write_bytes(b"not a table")
    with pytest.raises(FileFormatError, match=r"language\.npz: found no table"):
        read_table(path)
    with pytest.raises(FileFormatError, match=r"absent\.npz: found no table"):
        read_table(tmp_path / "absent.npz")
    np.savez(path, grams=np.frombuffer(b"a\nb", dtype=np.uint8))
    with pytest.raises(FileFormatError, match="found no table"):
        read_table(path)


@pytest.mark.parametrize("rows", [1, 2])
def test_a_table_without_its_marks_or_rows_is_refused(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "language.npz"
    np.savez(
        path,
        grams=np.frombuffer(b"a\nb", dtype=np.uint8),
        weights=np.ones((rows, 2), dtype=np.int8),
        scale_and_bias=np.ones(3),
    )
    with pytest.raises(FileFormatError, match="install Tactful again"):
        read_table(path)


def test_long_words_are_not_remembered() -> None:
    known = language._word_score.cache_info().currsize
    for number in range(100):
        detect_language("'".join(["ordinary"] * 10 + [chr(ord("a") + number % 26)] * number))
    assert language._word_score.cache_info().currsize == known
