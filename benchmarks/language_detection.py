"""Language detection on short texts: right answers by length, other languages, speed, peers.

Texts of five corpora in $TACTFUL_DATA, none of which the table learnt from, are cut into pieces.
The peers py3langid and lingua, and the messages of Django in other languages, are measured where
they are installed.
"""

import ast
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from factory.language import Text, without_accents

from results import machine_line, table, write_page
from tactful.corpora import CORPORA, load_corpus
from tactful.documents.language import TABLE, detect_language, words_of
from tactful.documents.segments import sentences
from tactful.settings import load_settings

SEED = 11
LANGUAGE_OF = {"dpm": "en", "ucc": "en", "sbic": "en", "stereoimmigrants": "es", "detoxis": "es"}
MOST_TEXTS = 700
"""Of each corpus, drawn with the seed."""
BUCKETS = {"3": (3, 3), "4": (4, 4), "5-7": (5, 7), "8-12": (8, 12), "13+": (13, 25)}
EACH = 2_000
"""Pieces of each language and length."""
SPEED_TEXTS = 40_000
PEER_TEXTS = 1_000
"""The peers are slower: of each kind they are asked about as many texts, evenly spread."""
OURS = "tactful"
FOREIGN = ("pt", "pt_BR", "gl", "ca", "it", "fr", "ro", "de", "nl", "sv", "pl", "eu", "ru", "ja")

Answer = Callable[[str], str | None]
Case = tuple[str, str]
"""A text and its language."""


def corpus_texts(data: Path) -> list[Text]:
    """Return texts of the corpora, none of which the table learnt from."""
    rng = random.Random(SEED)
    found = []
    for corpus, lang in LANGUAGE_OF.items():
        opened = load_corpus(corpus, data / CORPORA.get(corpus).folder)
        texts = sorted({text for frame in opened.example_frames() for text in frame["text"]})
        found += [Text(text, lang, corpus) for text in rng.sample(texts, MOST_TEXTS)]
    return found


def pieces(texts: Sequence[Text], low: int, high: int, rng: random.Random) -> list[Case]:
    """Return pieces of running text, marks and capitals as they were, as many of each language."""
    found = []
    for lang in ("en", "es"):
        own = [text.text.split() for text in texts if text.lang == lang]
        own = [tokens for tokens in own if len(tokens) >= low]
        made = 0
        while made < EACH:
            tokens = rng.choice(own)
            length = rng.randint(low, min(high, len(tokens)))
            at = rng.randint(0, len(tokens) - length)
            piece = " ".join(tokens[at : at + length])
            if low <= len(words_of(piece)) <= high:
                found.append((piece, lang))
                made += 1
    return found


def whole_sentences(texts: Sequence[Text], least: int = 5) -> list[Case]:
    """Return the sentences of at least five words, each once."""
    found = {
        text.text[start:end]: text.lang
        for text in texts
        for start, end in sentences(text.text)
        if len(words_of(text.text[start:end])) >= least
    }
    return list(found.items())


def django_messages(locale: str) -> list[str]:
    """Return the messages of at least five words that Django has in a language, or nothing."""
    spec = find_spec("django")
    if spec is None or not spec.submodule_search_locations:
        return []
    found = set()
    for path in Path(spec.submodule_search_locations[0]).rglob(f"locale/{locale}/**/django.po"):
        for entry in path.read_text(encoding="utf-8").split("\n\n")[1:]:
            match = re.search(r'^msgstr(?:\[0\])? ((?:".*"\n?)+)', entry, re.MULTILINE)
            lines = match[1].splitlines() if match else []
            text = "".join(ast.literal_eval(line) for line in lines)
            text = re.sub(r"%\(?\w*\)?[sd]|[{}<>]", " ", text)
            if len(words_of(text)) >= 5 or (locale == "ja" and len(text) >= 10):
                found.add(text)
    return sorted(found)


def peers() -> dict[str, Answer]:
    """Return the detectors to measure: ours, and those that are installed."""
    found: dict[str, Answer] = {OURS: lambda text: detect_language(text).lang}
    if find_spec("py3langid"):
        py3langid = import_module("py3langid")
        found["py3langid"] = lambda text: str(py3langid.classify(text)[0])
    if find_spec("lingua"):
        builder = import_module("lingua").LanguageDetectorBuilder
        lingua = builder.from_all_languages().build()

        def by_lingua(text: str) -> str | None:
            best = lingua.detect_language_of(text)
            return None if best is None else str(best.iso_code_639_1.name).lower()

        found["lingua (75 languages)"] = by_lingua
    return found


def accuracy(cases: Iterable[Case], answer: Answer) -> dict[str, float]:
    """Return the percentage of right answers: of all, of English and of Spanish."""
    right: dict[str, list[bool]] = defaultdict(list)
    for text, lang in cases:
        right[lang].append(answer(text) == lang)
    right["all"] = [value for lang in ("en", "es") for value in right[lang]]
    return {lang: 100 * sum(values) / len(values) for lang, values in right.items() if values}


def speed(texts: Sequence[str], answer: Answer) -> float:
    """Return texts per CPU second."""
    began = time.process_time()
    for text in texts:
        answer(text)
    return len(texts) / (time.process_time() - began)


def length_rows(cases: dict[str, list[Case]], answers: dict[str, Answer]) -> list[Sequence[object]]:
    """Return one row for each kind of text and detector."""
    rows: list[Sequence[object]] = []
    for kind, own in cases.items():
        for name, answer in answers.items():
            asked = own if name == OURS else own[:: max(1, len(own) // PEER_TEXTS)]
            score = accuracy(asked, answer)
            cells = [f"{score[key]:.2f}" if key in score else "-" for key in ("all", "en", "es")]
            rows.append((kind, len(asked), name, *cells))
    return rows


def foreign_rows(answers: dict[str, Answer]) -> list[Sequence[object]]:
    """Return how often messages in other languages are taken for English or Spanish."""
    rows: list[Sequence[object]] = []
    for locale in FOREIGN:
        messages = django_messages(locale)
        if messages:
            said = {name: [answer(text) for text in messages] for name, answer in answers.items()}
            rows += [
                (locale, len(messages), name, *(f"{100 * all_.count(lang) / len(all_):.1f}"
                 for lang in ("en", "es")))
                for name, all_ in said.items()
            ]  # fmt: skip
    return rows


def main() -> None:
    """Measure, print, and write the page."""
    data = load_settings().data
    if data is None:
        print("language_detection: TACTFUL_DATA is unset; nothing was measured.")
        return
    held_out = corpus_texts(data)
    rng = random.Random(SEED)
    cases = {f"{name} words": pieces(held_out, *limits, rng) for name, limits in BUCKETS.items()}
    for name in ("3 words", "4 words", "5-7 words", "8-12 words", "13+ words"):
        cases[f"{name}, no accents"] = [(without_accents(text), lang) for text, lang in cases[name]]
    cases["5-7 words, CAPITALS"] = [(text.upper(), lang) for text, lang in cases["5-7 words"]]
    whole = whole_sentences(held_out)
    cases["sentences of 5+ words"] = whole
    cases["sentences of 5+ words, no accents"] = [(without_accents(t), lang) for t, lang in whole]
    messages = [(text, "es") for locale in ("es", "es_MX") for text in django_messages(locale)]
    if messages:
        cases["Django's Spanish messages"] = list(dict.fromkeys(messages))
    answers = peers()
    lengths = table(
        ("texts", "n", "detector", "right %", "English %", "Spanish %"),
        length_rows(cases, answers),
    )
    foreign = table(
        ("language", "messages", "detector", "taken for English %", "taken for Spanish %"),
        foreign_rows(answers),
    )
    short = [text for name in ("5-7 words", "8-12 words") for text, _ in cases[name]]
    many = (short * (SPEED_TEXTS // len(short) + 1))[:SPEED_TEXTS]
    few = short[:1_000]
    speeds = table(
        ("detector", "texts of 5-12 words per CPU second"),
        [(name, round(speed(many if name == OURS else few, answer)))
         for name, answer in answers.items()],
    )  # fmt: skip
    body = "\n\n".join(
        [
            machine_line(),
            f"`python benchmarks/language_detection.py` (seed {SEED}); table "
            f"{TABLE.stat().st_size / 1000:.0f} kB. {MOST_TEXTS} texts of each of "
            f"{', '.join(LANGUAGE_OF)}, which the table did not learn from, cut into pieces. No "
            "answer counts as wrong. The peers choose among all their languages.",
            lengths,
            "Messages of Django of at least five words in other languages, which were looked at "
            "while the detector was made and not trained on: fewer is better."
            if foreign.count("\n") > 1
            else "Django is not installed: other languages were not measured here.",
            foreign,
            speeds,
        ]
    )
    print(body)
    write_page("language-detection", "Language detection on short texts", body)


if __name__ == "__main__":
    main()
