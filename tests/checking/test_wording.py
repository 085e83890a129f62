"""The sentences of each language: the same places to fill in, and grammar that always fits."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from string import Formatter
from typing import Any

import pytest

from tactful.checking.wording import (
    REPORT_LANGUAGES,
    STEPS,
    WORDINGS,
    Count,
    spoken_or_english,
    wording,
)
from tactful.documents.document import KINDS
from tactful.errors import UnknownNameError

ES = wording("es")
EN = wording("en")


def sentences(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    elif is_dataclass(value):
        for each in fields(value):
            yield from sentences(getattr(value, each.name), f"{at}.{each.name}")
    elif isinstance(value, tuple):
        for number, inner in enumerate(value):
            yield from sentences(inner, f"{at}[{number}]")
    elif isinstance(value, dict) and not at.endswith(".short"):  # names, where they are too long
        for key, inner in value.items():
            yield from sentences(inner, f"{at}[{key}]")


def places(sentence: str) -> set[str]:
    # "{Sure}" is "{sure}" at the beginning of a sentence.
    return {name.casefold() for _, name, _, _ in Formatter().parse(sentence) if name}


def test_each_sentence_has_the_same_places_to_fill_in() -> None:
    theirs = dict(sentences(EN))
    for at, sentence in sentences(ES):
        if at == ".rules.source":  # "section 4.1" is English; the title is enough
            assert places(sentence) < places(theirs[at])
        elif not at.endswith((".none", ".one")):
            assert places(sentence) == places(theirs[at]), at
    assert [at for at, _ in sentences(ES)] == list(theirs)


def test_nothing_is_said_in_english() -> None:
    names = ("markdown", "html", "rst", "docx")
    shared = {".lang", *(f".page.kinds[{name}]" for name in names)}
    theirs = dict(sentences(EN))
    english = re.compile(r"\b(the|of|is|are|when|this|and|by|not|text|what)\b", re.IGNORECASE)
    for at, sentence in sentences(ES):
        if at not in shared:
            assert sentence != theirs[at]
            assert not english.search(sentence), f"{at}: {sentence}"


def test_the_scales_have_the_steps_of_the_checks() -> None:
    assert {len(each.reporting.likelihoods) for each in (EN, ES)} == {len(STEPS)}
    assert {len(each.explaining.sureness) for each in (EN, ES)} == {len(STEPS)}
    assert set(EN.page.kinds) == set(ES.page.kinds) == set(KINDS)


@pytest.mark.parametrize(
    ("probability", "sure", "likely"),
    [
        (1.0, "casi total", "casi seguro, más del 99 %"),
        (0.9499, "muy alta", "muy probable, 95 %"),
        (0.76, "bastante alta", "probable, 76 %"),
        (0.5, "algo más que media", "más bien probable, 50 %"),
        (0.004, "muy escasa", "dudoso, menos del 1 %"),
    ],
)
def test_how_sure_in_spanish(probability: float, sure: str, likely: str) -> None:
    assert ES.sureness(probability) == sure
    assert ES.how_sure(probability).replace("\N{NO-BREAK SPACE}", " ") == likely


def test_the_words_of_the_scale_agree_with_their_nouns() -> None:
    # Seguridad, certeza and confianza are feminine and singular, and so is every word for them.
    for words in ES.explaining.sureness:
        assert re.search(r"(a|total)$", words), words
    for sentence in ES.explaining.sure:
        assert re.search("seguridad|certeza|confianza", sentence.casefold())
    # A likelihood is used alone and is neuter: es casi seguro, es dudoso.
    for words in ES.reporting.likelihoods:
        assert re.search(r"(o|le)$", words), words


@pytest.mark.parametrize(
    ("quotes", "said"),
    [
        (["«a»"], "«a»"),
        (["«a»", "«b»"], "«a» y «b»"),
        (["«a»", "«b»", "«c»"], "«a», «b» y «c»"),
        (["«a»", "«inmigrantes»"], "«a» e «inmigrantes»"),
        (["«a»", "«¡Hijos de aquí!»"], "«a» e «¡Hijos de aquí!»"),
        (["«a»", "«hielo»"], "«a» y «hielo»"),
        (["«inmigrantes»", "«a»"], "«inmigrantes» y «a»"),
    ],
)
def test_quotations_are_joined_as_the_language_does(quotes: list[str], said: str) -> None:
    assert ES.joined(quotes) == said


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0"), (7, "7"), (9_999, "9999"), (12_345, "12\u202f345")]
)
def test_numbers_are_grouped_from_five_digits_on(number: int, said: str) -> None:
    assert ES.number(number) == said


def test_numbers_agree_with_their_nouns() -> None:
    said = ES.reporting
    assert [ES.count(said.finding, number) for number in (0, 1, 2)] == [
        "ningún hallazgo",
        "1 hallazgo",
        "2 hallazgos",
    ]
    assert ES.count(said.unread, 1) == "1 documento no se pudo revisar"
    assert ES.count(said.unread, 2) == "2 documentos no se pudieron revisar"
    for at, sentence in sentences(ES):
        if at.endswith(".many"):
            assert "{n}" in sentence
    assert EN.count(Count("{n} a", "{n} b", "no c"), 1_000) == "1,000 b"


def test_an_unknown_language_answers_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match=r"no language of reports named 'fr'.*en, es"):
        wording("fr")
    assert list(WORDINGS) == ["en", "es"]
    assert REPORT_LANGUAGES == ("auto", "en", "es")


@pytest.mark.parametrize(
    ("lang", "spoken"), [("es", "es"), ("es-MX", "es"), ("ES_es", "es"), ("fr", "en"), ("", "en")]
)
def test_a_language_without_sentences_is_told_in_english(lang: str, spoken: str) -> None:
    assert spoken_or_english(lang) == spoken
