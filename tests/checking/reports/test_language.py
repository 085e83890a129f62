"""Reports in Spanish: every word of ours, in every form, and what the documents say untouched."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.explanation import explain, in_language
from tactful.checking.findings import check_document, without_explanations
from tactful.checking.report import DocumentReport
from tactful.checking.reports.run import (
    Run,
    common_language,
    evidence_sentence,
    implied_sentences,
    in_group_sentence,
    render,
)
from tactful.detectors.base import BaseDetector
from tactful.detectors.card import Card
from tactful.documents.document import document_of
from tactful.errors import UnknownNameError
from tactful.taxonomies.translations import load_translated
from tactful.types import Frame, Implication, Span

Rendered = Callable[..., str]
SPANISH_CARD = Card("frases", "1", ("pcl",), lang="es", licence="CC0-1.0")
ENGLISH = re.compile(
    r"\b(the|of|is|are|when|this|and|not|with|finding|findings|passage|passages|document|documents|"
    r"likely|certain|carried|text|ask|line|probability|unhealthy)\b",
    re.IGNORECASE,
)


class Parts(HTMLParser):
    """Reads what a page says in the language of the page, and what it says in another."""

    def __init__(self, page: str):
        super().__init__()
        self.lang = ""
        self.own: list[str] = []
        self.other: list[tuple[str, str]] = []
        self._open: list[str | None] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "html":
            self.lang = given["lang"] or ""
        elif tag not in ("meta", "rect", "line"):
            inside = self._open[-1] if self._open else None
            skipped = "-" if tag in ("style", "code") else None
            lang = given.get("lang") or skipped or inside
            self._open.append(None if lang == self.lang else lang)
        for name in ("title", "aria-label"):
            self._say(given.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("html", "meta", "rect", "line"):
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._say(data)

    def _say(self, words: str) -> None:
        lang = self._open[-1] if self._open else None
        if lang is None:
            self.own.append(words)
        elif lang != "-":
            self.other.append((lang, words))


def spanish(report: DocumentReport) -> DocumentReport:
    """Return the report as if a detector for Spanish had made it."""
    return replace(report, model=SPANISH_CARD.model)


def test_a_page_in_spanish_says_nothing_of_its_own_in_english(
    rendered: Rendered, letter: Any, unread: Any
) -> None:
    parts = Parts(rendered("html", letter, unread, lang="es"))
    assert parts.lang == "es"
    own = " ".join(parts.own)
    assert not ENGLISH.search(own.replace("letter.txt", "").replace("tactful: ignore", "")), own
    assert "2 hallazgos en 3 pasajes: 1 paternalista, 1 poco sano; 1 documento" in own
    assert "Lenguaje paternalista y condescendiente (1)" in " ".join(own.split())
    for words in (
        "Decide una persona.",
        "Por qué, y qué preguntas ayudan",
        "Hallazgo 1: Paternalista",
    ):
        assert words in own
    assert "seguridad: 88\N{NO-BREAK SPACE}%; probabilidad: 83\N{NO-BREAK SPACE}%" in own
    first = letter.findings[0]
    spans = [Span(span.start, span.end) for span in first.main.spans]
    assert explain("pcl", first.passage.text, first.confidence, spans, "es") in own
    # The card, the error and the document are English, and the page says so.
    english = " ".join(words for lang, words in parts.other if lang == "en")
    for words in ("It knows six phrases.", "it cannot be read", "With a little help"):
        assert words in english


def test_a_page_in_its_own_language_marks_none(rendered: Rendered, letter: Any) -> None:
    assert Parts(rendered("html", letter)).other == []


def test_hostile_text_does_nothing_in_spanish(rendered: Rendered, hostile: Any) -> None:
    page = rendered("html", hostile, lang="es")
    assert "<img" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    for options in ({}, {"width": 70, "colour": True}):
        text = re.sub(r"\x1b\[[0-9;]*m", "", rendered("text", hostile, lang="es", **options))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", text)


def test_the_terminal_in_spanish(rendered: Rendered, letter: Any, unread: Any) -> None:
    short = rendered("text", letter, unread, lang="es").replace("\N{NO-BREAK SPACE}", " ")
    first, second, blank, last = short.splitlines()
    assert first.startswith(
        "letter.txt:3:1: «even they», «Poor souls» — paternalista: compasión (muy probable, 88 %)."
    )
    assert "poco sano: despectivo (casi seguro, 97 %). Decir" in second
    assert (blank, last) == (
        "",
        "2 hallazgos en 3 pasajes: 1 paternalista, 1 poco sano; 1 documento no se pudo revisar.",
    )
    long = rendered("text", letter, unread, lang="es", explain=True)
    assert "^^^^^^^^^" in long
    lines = [*short.splitlines(), *long.splitlines()]
    ours = "\n".join(line for line in lines if "|" not in line)
    quoted = re.sub("«.*?»|letter.txt|unhealthy[.a-z]*|pcl[.a-z]*", "", ours)
    assert not ENGLISH.search(quoted), quoted


def test_words_without_explanations_in_spanish(rendered: Rendered, plain_letter: Any) -> None:
    text = rendered("text", plain_letter, lang="es", explain=True)
    assert "%): Se apoya en «even they», «Poor souls».\n" in text
    first = plain_letter.findings[0]
    bare = replace(first, kinds=tuple(replace(kind, spans=()) for kind in first.kinds))
    report = replace(plain_letter, findings=(bare,))
    shown = rendered("text", report, lang="es", explain=True)
    assert "%): Se apoya en el pasaje entero.\n" in shown
    assert shown.startswith("letter.txt:3:1: paternalista: compasión (")


def test_nothing_found_and_all_scores_in_spanish(rendered: Rendered, phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("Hola."), only=["pcl"], all_scores=True)
    text = rendered("text", report, lang="es")
    assert text.startswith("texto:1:1: todas las puntuaciones\n  0.0100  pcl\n")
    assert text.endswith("Ningún hallazgo en 1 pasaje.\n")
    empty = check_document(phrases, document_of(""))
    page = rendered("html", empty, lang="es")
    assert "No contiene ningún texto que revisar." in page
    assert "<title>Tactful: Un texto</title>" in page


def test_json_keeps_its_keys_and_its_words_for_programs(rendered: Rendered, letter: Any) -> None:
    before, after = (json.loads(rendered("json", letter, lang=lang)) for lang in ("en", "es"))
    for old, new in zip(
        before["documents"][0]["findings"], after["documents"][0]["findings"], strict=True
    ):
        changed = {key for key in old if old[key] != new[key]}
        assert changed == {"name", "explanation", "advice", "kinds"}
        for before_kind, kind in zip(old["kinds"], new["kinds"], strict=True):
            changed = {key for key in kind if before_kind[key] != kind[key]}
            assert changed == {"name", "explanation"}
        assert new["name"] == load_translated(new["id"].split(".")[0], "es").entry(new["id"]).name
        assert not ENGLISH.search(re.sub("«.*?»", "", new["explanation"]))
    lines = [json.loads(line) for line in rendered("jsonl", letter, lang="es").splitlines()]
    assert lines[0]["explanation"] == after["documents"][0]["findings"][0]["explanation"]
    assert lines[-1]["findings"] == 2


def test_sarif_in_spanish(rendered: Rendered, letter: Any) -> None:
    """SARIF 2.1.0, section 3.14.7: the run names the language of its messages."""
    (old,) = json.loads(rendered("sarif", letter))["runs"]
    (run,) = json.loads(rendered("sarif", letter, lang="es"))["runs"]
    assert "language" not in old
    assert run["language"] == "es"
    for rule, before in zip(
        run["tool"]["driver"]["rules"], old["tool"]["driver"]["rules"], strict=True
    ):
        assert (rule["id"], rule.get("name")) == (before["id"], before.get("name"))
        assert "decide una persona" in rule["help"]["text"]
        said = rule["help"]["text"].partition("Fuente:")[0]
        assert not ENGLISH.search(re.sub("«.*?»", "", said)), said
    message = run["results"][0]["message"]["text"].replace("\N{NO-BREAK SPACE}", " ")
    assert message.startswith(
        "«even they», «Poor souls» — paternalista: compasión (muy probable, 88 %). Decir"
    )
    fingerprints = [[each["partialFingerprints"] for each in log["results"]] for log in (old, run)]
    assert fingerprints[0] == fingerprints[1]


def test_auto_is_the_language_of_all_documents(phrases: BaseDetector, letter: Any) -> None:
    run = Run(phrases.card, phrases.card.ids, lang="auto", others=(SPANISH_CARD,))
    assert run.language_of(letter) == "en"
    assert run.language_of(spanish(letter)) == "es"

    def page(*reports: DocumentReport) -> Parts:
        return Parts("".join(render("html", reports, run)))

    assert page(letter).lang == "en"
    assert page(spanish(letter)).lang == "es"
    assert page(letter, spanish(letter)).lang == "en"
    both = page(spanish(letter), spanish(letter))
    assert both.lang == "es"
    assert "Lo que dan a entender estos documentos" in both.own
    assert "CC0-1.0" in " ".join(words for _, words in both.other)


def test_auto_in_a_stream_is_the_language_of_each_document(
    phrases: BaseDetector, letter: Any, unread: Any
) -> None:
    run = Run(phrases.card, phrases.card.ids, lang="auto", explain=True, others=(SPANISH_CARD,))

    def last(*outcomes: Any) -> str:
        return list(render("text", outcomes, run))[-1]

    mixed = "".join(render("text", [letter, spanish(letter)], run))
    assert "Ask yourself:" in mixed
    assert "Preguntas que ayudan:" in mixed
    assert last(letter, spanish(letter)) == (
        "4 findings in 6 passages (2 of 2 documents): 2 patronizing, 2 unhealthy.\n"
    )
    assert last(spanish(letter), spanish(letter)).startswith("4 hallazgos en 6 pasajes (2 de 2 ")
    assert last(unread) == "No findings in no passages; 1 document could not be checked.\n"
    first, second = (
        json.loads(next(iter(render("jsonl", [each], run)))) for each in (letter, spanish(letter))
    )
    assert (first["name"], second["name"]) == (
        "Patronizing or condescending",
        "Paternalista o condescendiente",
    )


@pytest.mark.parametrize(
    ("langs", "common"),
    [(["es"], "es"), (["es", "es"], "es"), (["en", "es"], "en"), (["fr"], "en"), ([], "en")],
)
def test_the_common_language(langs: list[str], common: str) -> None:
    assert common_language(langs) == common


def test_there_and_back_again(letter: Any) -> None:
    there = in_language(letter, "es")
    assert there != letter
    assert in_language(there, "en") == letter
    assert in_language(letter, "en") == letter
    assert in_language(without_explanations(letter), "es").findings[0].explanation == ""


def test_the_words_of_another_detector_are_kept(letter: Any) -> None:
    kind = replace(letter.findings[0].main, name="Our name", explanation="Our own words.")
    own = replace(letter.findings[0], kinds=(kind,), explanation="Our own words.")
    (kept,) = in_language(replace(letter, findings=(own,)), "es").findings
    assert (kept.name, kept.explanation) == ("Our name", "Our own words.")


def test_an_unknown_language_or_format_is_refused_at_once(
    phrases: BaseDetector, letter: Any
) -> None:
    with pytest.raises(UnknownNameError, match="language of reports"):
        list(render("html", [letter], Run(phrases.card, phrases.card.ids, lang="fr")))
    with pytest.raises(UnknownNameError, match="format"):
        render("pdf", [letter], Run(phrases.card, phrases.card.ids))


def test_a_detector_of_ones_own_may_read_a_language_without_sentences(
    phrases: BaseDetector, letter: Any
) -> None:
    run = Run(replace(phrases.card, lang="fr"), phrases.card.ids, lang="auto")
    assert "".join(render("text", [letter], run)).endswith("1 unhealthy.\n")
    parts = Parts("".join(render("html", [letter], run)))
    assert parts.lang == "en"
    assert {lang for lang, _ in parts.other} == {"fr"}


def test_what_a_frame_implies_in_spanish() -> None:
    frame = Frame(
        {"frame.in_group": 0.31},
        answers={"frame.in_group": "maybe"},
        implications=(Implication("contables", "son {tacaños}", 0.62), Implication("vecinos")),
    )
    tied = "\N{NO-BREAK SPACE}"
    assert implied_sentences(frame, "es") == [
        f"Puede dar a entender, sobre contables: «son {{tacaños}}» (62{tied}%).",
        "Puede tratar de vecinos.",
    ]
    said = in_group_sentence(frame, "es")
    assert said is not None
    assert f"(31{tied}%); es una suposición" in said
    assert evidence_sentence(["casa", "casa"], "es") == "Se desprende de «casa»."


def test_silenced_findings_are_counted_in_spanish(
    rendered: Rendered, phrases: BaseDetector
) -> None:
    source = "Even they.\n\n<!-- tactful: ignore -->\nPoor souls.\n"
    report = check_document(phrases, document_of(source, "markdown", path=Path("a.md")))
    assert report.silenced == 1
    assert "1 silenciado con «tactful: ignore»" in rendered("text", report, lang="es")
    assert "Markdown · 2 pasajes · 1 hallazgo · 1 silenciado" in rendered("html", report, lang="es")
