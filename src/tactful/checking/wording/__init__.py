"""The sentences of explanations and reports, in each language that a reader may want.

A language is one :class:`Wording`: a sentence that one language lacks does not pass the type
checker. Taxonomies hold their own words (:mod:`tactful.taxonomies.translations`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tactful.checking.options import AUTO
from tactful.registry import Registry

T = TypeVar("T")
STEPS = (0.95, 0.85, 0.70, 0.50, 0.25, 0.00)
"""The least confidence for each word of a scale."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number with its noun, and the verb where there is one."""

    one: str
    many: str
    none: str


@dataclass(frozen=True, slots=True)
class Explaining:
    """What a paragraph on a finding is made of; of each row the next entry takes the next."""

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
    """What a line calls an id, where that is not its name."""
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
    number: Callable[[int], str]
    likely: Callable[[float], str]
    """A confidence or a probability in a report."""
    joined: Callable[[Sequence[str]], str]
    """Puts quotations into one list."""

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


WORDINGS: Registry[Wording] = Registry(
    "language of reports",
    {
        "en": "tactful.checking.wording.english:ENGLISH",
        "es": "tactful.checking.wording.spanish:SPANISH",
    },
)


REPORT_LANGUAGES = (AUTO, *WORDINGS)
"""What the language of a report can be; ``auto`` is that of the texts."""


def wording(lang: str = "en") -> Wording:
    """Return the sentences of a language; an unknown one answers with the list."""
    return WORDINGS.get(lang)


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
