"""Documents in several languages: who reads which passage, and what nobody reads."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tactful.checking.checker import Checker
from tactful.checking.languages import parts_by_language
from tactful.checking.reports.run import Tally, render
from tactful.detectors.base import BaseDetector, Scores
from tactful.detectors.card import Card
from tactful.documents.document import document_of
from tactful.documents.language import detect_language

ENGLISH = "The town council met on Monday and agreed to repair the old bridge before winter."
SPANISH = "El ayuntamiento se reunió el lunes y acordó reparar el viejo puente antes del invierno."
GERMAN = "Der Gemeinderat traf sich am Montag und beschloss, die alte Brücke bald zu reparieren."
BOTH = ("en", "es")


def read_in(text: str, main: str = "en", known: Sequence[str] = BOTH) -> dict[str, list[str]]:
    parts = parts_by_language(document_of(text), main, known)
    if parts is None:
        return {}
    found = {lang: [each.text for each in segments] for lang, segments in parts.by_lang.items()}
    return {**found, "": [each.text for each in parts.unchecked]}


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        f"{ENGLISH} {ENGLISH}\n\nHi there.\n\nOK",
        "",
        f"{ENGLISH}\n\nNo es justo.",
        f"{ENGLISH}\n\nDETESTS 2022, section 5.3; Jain et al. 2016",
        f"{ENGLISH}\n\nlol omg u r sooo wrong bro smh",
    ],
    ids=["one", "short", "empty", "short Spanish", "names", "slang"],
)
def test_a_document_in_one_language_stays_whole(text: str) -> None:
    assert read_in(text) == {}


def test_each_passage_is_read_in_its_language() -> None:
    assert read_in(f"{ENGLISH}\n\n{SPANISH}\n\n{ENGLISH}") == {
        "en": [ENGLISH, ENGLISH],
        "es": [SPANISH],
        "": [],
    }


def test_a_mixed_passage_is_read_sentence_by_sentence() -> None:
    text = f"{ENGLISH} {SPANISH} {GERMAN}"
    assert read_in(text) == {"en": [ENGLISH], "es": [SPANISH], "": [GERMAN]}
    parts = parts_by_language(document_of(text), "en", BOTH)
    assert parts is not None
    (segment,) = parts.by_lang["es"]
    assert text[segment.start : segment.end] == SPANISH
    start, end = segment.to_source(3, 15)
    assert text[start:end] == "ayuntamiento"


def test_one_sentence_in_the_other_language_is_read_in_it() -> None:
    insult = "Eres un idiota y no vales nada."
    answer = "You are an idiot and worth nothing."
    assert read_in(f"{insult} {answer}") == {"en": [answer], "es": [insult], "": []}
    # As a whole, this seems to be in one language.
    long = f"{SPANISH} {SPANISH} {SPANISH} {answer}"
    assert detect_language(long).lang == "es"
    assert read_in(long, main="es")["en"] == [answer]


@pytest.mark.parametrize(
    "short", ["Los vecinos son todos muy amables.", "Hoy no vamos a la escuela."]
)
def test_a_short_passage_in_the_other_language_is_read_in_it(short: str) -> None:
    assert read_in(f"{ENGLISH}\n\n{short}")["es"] == [short]


@pytest.mark.parametrize("name", ["El Paso Times", "Santa Fe, Los Alamos", "Viva la vida"])
def test_a_name_in_the_other_language_stays_in_that_of_the_document(name: str) -> None:
    assert read_in(f"{ENGLISH}\n\n{name}") == {}


@pytest.mark.parametrize(
    "foreign", ["Hasta la vista!", "Viva la vida, he said.", "We met at Los Amigos del Mar."]
)
def test_a_few_words_of_the_other_language_do_not_cut_a_passage(foreign: str) -> None:
    assert read_in(f"{ENGLISH} {foreign} {ENGLISH}") == {}


def test_a_third_language_is_not_checked() -> None:
    assert read_in(f"{ENGLISH}\n\n{GERMAN}\n\nHello.") == {"en": [ENGLISH, "Hello."], "": [GERMAN]}
    assert read_in(f"{GERMAN} {GERMAN}\n\nHallo Welt.")[""] == [f"{GERMAN} {GERMAN}", "Hallo Welt."]


def test_a_language_without_a_detector_is_not_checked() -> None:
    assert read_in(f"{ENGLISH}\n\n{SPANISH}", known=["en"]) == {"en": [ENGLISH], "": [SPANISH]}


def test_disguised_words_are_no_third_language() -> None:
    hidden = "".join(f"{char}\u200b" for char in ENGLISH)
    assert read_in(f"{ENGLISH}\n\n{hidden}") == {}
    assert read_in(hidden) == {}


def test_a_detector_of_another_language_reads_all() -> None:
    assert read_in(GERMAN, main="de", known=["de"]) == {}


class Bridges(BaseDetector):
    """Finds the word for a bridge in its language."""

    def __init__(self, lang: str, id: str, word: str):
        self.card = replace(Card(f"bridges-{lang}", "1", (id,)), lang=lang)
        self.word = word

    def score(self, texts: Sequence[str]) -> Scores:
        found = [0.9 if self.word in text else 0.1 for text in texts]
        return {self.card.ids[0]: np.array(found, dtype=np.float32)}


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch) -> Checker:
    detectors = {
        "en": Bridges("en", "pcl", "bridge"),
        "es": Bridges("es", "stereotype", "puente"),
    }
    cards = [each.card for each in detectors.values()]
    room = "tactful.checking.checker"
    monkeypatch.setattr(f"{room}.opened_detector", lambda model, lang: detectors[lang])
    monkeypatch.setattr(f"{room}.embedded_cards", lambda name: cards)
    return Checker(frames="off")


TEXT = f"# tactful: ignore-next pcl\n\n{ENGLISH}\n\n{SPANISH}\n\n{GERMAN}\n\n{ENGLISH} {SPANISH}\n"


def test_one_report_has_all_parts_in_order(checker: Checker) -> None:
    report = checker.check_document(document_of(TEXT, path=Path("news.md")))
    assert [(each.id, each.place.line) for each in report.findings] == [
        ("stereotype", 5),
        ("pcl", 9),
        ("stereotype", 9),
    ]
    assert report.silenced == 1
    assert not report.problems
    assert [each.place.line for each in report.passages] == [3, 5, 9, 9]
    assert [each.place.line for each in report.unchecked] == [7]
    assert (report.model, report.others) == ("bridges-en 1", ("bridges-es 1",))


@pytest.mark.parametrize("name", ["text", "json", "jsonl", "sarif", "html", "github"])
def test_every_format_reports_on_all_parts(checker: Checker, name: str) -> None:
    report = checker.check_document(document_of(TEXT, path=Path("news.md")))
    page = "".join(render(name, [report], checker.run()))
    assert "stereotype" in page
    if name != "sarif":
        assert "not checked" in page or '"unchecked"' in page
    if name == "json":
        found = json.loads(page)
        assert found["summary"]["unchecked"] == 1
        assert found["documents"][0]["unchecked"][0]["line"] == 7
        assert [each["lang"] for each in found["models"]] == ["en", "es"]
        findings = found["documents"][0]["findings"]
        assert [each["lang"] for each in findings] == ["es", "en", "es"]


def test_the_closing_line_counts_what_was_not_checked(checker: Checker) -> None:
    tally = Tally()
    list(tally.watch([checker.check(GERMAN)]))
    assert tally.sentence() == (
        "No findings in no passages; 1 passage in another language not checked."
    )


def test_ids_that_a_language_does_not_have(checker: Checker) -> None:
    only = Checker(checker.options, only=["pcl"])
    report = only.check(f"{ENGLISH}\n\n{SPANISH}")
    assert [each.id for each in report.findings] == ["pcl"]
    assert len(report.unchecked) == 1


def test_a_given_language_is_not_guessed(checker: Checker) -> None:
    report = Checker(checker.options, lang="en").check(f"{ENGLISH}\n\n{GERMAN}")
    assert len(report.passages) == 2
    assert not report.unchecked
