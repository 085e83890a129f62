"""The sentences of explanations and reports, in each language that a reader may want.

The sentences of a language are data, ``LANG.toml`` in this folder: one :class:`Wording`, which no
language can have without all its sentences. How a language writes numbers and lists is here.
Taxonomies hold their own words (:mod:`tactful.taxonomies.translations`).
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tactful.checking.options import AUTO
from tactful.registry import unknown_name

T = TypeVar("T")
STEPS = (0.95, 0.85, 0.70, 0.50, 0.25, 0.00)
"""The least confidence for each word of a scale."""
_TIED = "\N{NO-BREAK SPACE}"
_THIN = "\N{NARROW NO-BREAK SPACE}"
# "Y" turns into "e" before the sound of i, but not before a diphthong (hielo, iones).
_SOUNDS_LIKE_I = re.compile(r"\W*h?[ií](?![aeouáéóú])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Count:
    """A number with its noun, and the verb where there is one."""

    one: str
    many: str
    none: str


@dataclass(frozen=True, slots=True)
class Explaining:
    """Parts of a paragraph on a finding; each entry of a taxonomy takes the next of each row."""

    sureness: tuple[str, str, str, str, str, str]
    sure: tuple[str, str, str, str]
    carried: tuple[str, str, str, str]
    whole: tuple[str, str, str, str]
    ask: tuple[str, str, str, str]
    unless: tuple[str, str, str, str]
    or_when: str
    unknown: str
    experimental: str
    these_words: str
    """The subject of an explanation that quotes several pieces; one piece is its own subject."""
    this_sentence: str
    implied: str
    implied_about: str
    tried: str
    """What is added to a short explanation that is experimental."""


@dataclass(frozen=True, slots=True)
class Reporting:
    """What all reports say."""

    finding: Count
    passage: Count
    document: Count
    silenced: Count
    silenced_here: Count
    quoted: Count
    in_quotation: str
    known: Count
    unchanged: Count
    unsure: Count
    unchecked: Count
    unread: Count
    found_in: str
    of_documents: str
    likelihoods: tuple[str, str, str, str, str, str]
    text: str
    all_scores: str
    carried: str
    carried_by_all: str
    instead: str
    instead_of: str
    short: Mapping[str, str]
    """The short name of an id in a line, if it differs from its name."""
    families: Mapping[str, Count]
    """How many findings have their main kind in a family."""
    also: str
    caveat: str
    implies: str
    about: str
    in_group: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Page:
    """What the HTML page says."""

    skip: str
    heading: str
    a_text: str
    the_text: str
    empty: str
    colours: str
    documents: str
    note_label: str
    note_head: str
    note: str
    not_checked: str
    line: str
    link: str
    sure: str
    clean: Count
    why: str
    about: str
    limits: str
    not_for: str
    looked_for: str
    colophon: str
    kinds: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rules:
    """What SARIF says of a rule and its places."""

    folder: str
    ask: str
    example: str
    not_this: str
    source: str
    caution: str
    more: str


@dataclass(frozen=True, slots=True)
class Wording:
    """All sentences of a language, and how it writes numbers and quotations."""

    lang: str
    explaining: Explaining
    reporting: Reporting
    page: Page
    rules: Rules
    quotes: tuple[str, str]
    under: str
    """The words for a share below 1 %; no detector can know that it is 0."""
    over: str

    def number(self, number: int) -> str:
        """Write a number."""
        return WORDINGS[self.lang].number(number)

    def likely(self, share: float) -> str:
        """Write a confidence or a probability in a report."""
        return WORDINGS[self.lang].likely(self, share)

    def joined(self, marked: Sequence[str]) -> str:
        """Put quotations into one list."""
        if len(marked) == 1:
            return marked[0]
        conjunction = WORDINGS[self.lang].conjunction(marked[-1])
        return f"{', '.join(marked[:-1])} {conjunction} {marked[-1]}"

    def sureness(self, confidence: float) -> str:
        """Say how sure an explanation is."""
        return _step(self.explaining.sureness, confidence)

    def likelihood(self, confidence: float) -> str:
        """Say how likely a finding is."""
        return _step(self.reporting.likelihoods, confidence)

    def how_sure(self, confidence: float) -> str:
        """Say how sure a finding is, in words and as a number."""
        return f"{self.likelihood(confidence)}, {self.likely(confidence)}"

    def short(self, name: str, title: str) -> str:
        """Return what a line calls an id with this title."""
        return self.reporting.short.get(name) or title[:1].lower() + title[1:]

    def count(self, noun: Count, number: int) -> str:
        """Say a number of things."""
        form = noun.none if number == 0 else noun.one if number == 1 else noun.many
        return form.format(n=self.number(number))

    def quote(self, words: str) -> str:
        """Put words between quotation marks."""
        return f"{self.quotes[0]}{words}{self.quotes[1]}"

    def quoted(self, pieces: Iterable[str]) -> str:
        """Put pieces between quotation marks and commas."""
        return ", ".join(self.quote(piece) for piece in pieces)

    def percent(self, probability: float, space: str = " ") -> str:
        """Say a probability as a percentage that claims neither 0 nor 100."""
        number = round(100 * probability)
        if 1 <= number <= 99:
            return f"{number}{space}%"
        return f"{self.under if number < 1 else self.over}{space}%"


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a language writes numbers and lists."""

    number: Callable[[int], str]
    likely: Callable[[Wording, float], str]
    conjunction: Callable[[str], str]
    """The word for "and" before another one."""


def _english_share(_: Wording, share: float) -> str:
    # No detector can know that something is certain.
    return f"{min(share, 0.99):.2f}"


def _spanish_number(number: int) -> str:
    # The Academy groups from five digits on, with a space (Ortografía de 2010, VIII, 2.2.1).
    return f"{number:,}".replace(",", _THIN) if number >= 10_000 else str(number)


WORDINGS = {
    "en": Grammar("{:,}".format, _english_share, lambda _: "and"),
    "es": Grammar(
        _spanish_number,
        lambda words, share: words.percent(share, _TIED),
        lambda last: "e" if _SOUNDS_LIKE_I.match(last) else "y",
    ),
}
"""The languages of reports."""
REPORT_LANGUAGES = (AUTO, *WORDINGS)
"""What the language of a report can be; ``auto`` is that of the texts."""


@cache
def wording(lang: str = "en") -> Wording:
    """Return the sentences of a language; an unknown one answers with the list."""
    if lang not in WORDINGS:
        raise unknown_name("language of reports", lang, list(WORDINGS))
    file = Path(__file__).with_name(f"{lang}.toml")
    found: Wording = _read(Wording, {"lang": lang, **tomllib.loads(file.read_text("utf-8"))})
    return found


def _read(kind: Any, said: Any) -> Any:
    """Return what a file says as a field of this kind."""
    if kind is Count:
        return Count(*[said] * 3 if isinstance(said, str) else said)
    if kind == Mapping[str, Count]:
        return {name: _read(Count, each) for name, each in said.items()}
    if kind in (Wording, Explaining, Reporting, Page, Rules):
        kinds = {each.name: each.type for each in fields(kind)}
        return kind(**{name: _read(kinds.get(name), each) for name, each in said.items()})
    return tuple(said) if isinstance(said, list) else said


def spoken_or_english(lang: str) -> str:
    """Return the language of ``lang`` (``es`` of ``es-MX``) where it has sentences, else English.

    >>> spoken_or_english("es-MX"), spoken_or_english("fr")
    ('es', 'en')
    """
    base = lang.replace("_", "-").partition("-")[0].lower()
    return base if base in WORDINGS else "en"


def in_or_english(said: Mapping[str, T], lang: str) -> T:
    """Return what is said in a language; in English where a new language has no words yet."""
    return said.get(lang, said["en"])


def _step(words: Sequence[str], confidence: float) -> str:
    return next(each for least, each in zip(STEPS, words, strict=True) if confidence >= least)
