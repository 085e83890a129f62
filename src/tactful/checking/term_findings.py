"""Terms as findings: what the lexicon tier adds to the passages that the detectors read.

A term between quotation marks is somebody else's, or is spoken about, and people may call
themselves what they like: neither is reported.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tactful.checking.confidence import REPORTED
from tactful.checking.options import CheckOptions, ProjectTerms
from tactful.checking.quotations import is_quoted, quotations
from tactful.terms.lexicon import IDS, LANGUAGES, ROOT, Lexicon, load_terms
from tactful.terms.match import TermMatch, find_terms
from tactful.types import Finding, Span

PROBABILITIES = {"avoid": 0.9, "advice": 0.5}
"""A level as a probability: how many style guides would agree, roughly. It is also the confidence,
because terms are reported from 0.5 on."""
_OF_ONESELF = re.compile(
    r"\b(?:I['\u2019]?m|I am|I was|I['\u2019]ve been|we['\u2019]?re|we are|we were|soy|fui|somos)"
    r"(?: +[\w'\u2019-]+){0,2} +$",
    re.IGNORECASE,
)
_BEFORE = 40
"""How many characters before a term may say that the writers speak of themselves."""


class FoundTerm(NamedTuple):
    """A term, the probability from which it is reported, and what to write instead."""

    finding: Finding
    threshold: float
    suggestions: tuple[str, ...]
    quoted: bool


@dataclass(frozen=True, slots=True)
class TermReader:
    """Finds the terms that the options of a check ask for."""

    lexicon: Lexicon
    level: str
    thresholds: Mapping[str, float]
    """For each wanted id, the probability from which it is reported by default."""
    needed: Mapping[str, float]
    """For each wanted id, the probability from which it is reported in this check."""

    def findings(self, text: str) -> Iterator[FoundTerm]:
        """Yield the terms of a text."""
        quoted = quotations(text)
        for match in find_terms(text, terms=self.lexicon, level=self.level):
            if _OF_ONESELF.search(text, max(match.start - _BEFORE, 0), match.start):
                continue
            least = self.needed.get(match.id)
            probability = PROBABILITIES[match.level]
            if least is not None and probability >= least:
                spans = (Span(match.start, match.end, match.id),)
                finding = Finding(match.id, probability, spans, _said(match))
                found = self.thresholds[match.id], match.replacements
                yield FoundTerm(finding, *found, is_quoted((match.start, match.end), quoted))


def term_reader(options: CheckOptions, lang: str) -> TermReader | None:
    """Return what finds the terms of a language; None where none are wanted."""
    wanted = wanted_terms(options.only)
    if options.terms == "off" or lang not in LANGUAGES or not wanted:
        return None
    level = "advice" if options.terms == "all" else "avoid"
    project = options.configuration
    lexicon = _lexicon(lang, ProjectTerms() if project is None else project.terms)
    # A threshold for 'term' holds for all kinds that have none of their own.
    own = {
        name: options.thresholds[each]
        for name in wanted
        for each in (ROOT, name)
        if each in options.thresholds
    }
    return TermReader(
        lexicon,
        level,
        {name: own.get(name, REPORTED) for name in wanted},
        {name: own.get(name, options.least) for name in wanted},
    )


def wanted_terms(only: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of terms that are wanted; all of them where ``only`` is empty.

    >>> wanted_terms(["term.age", "pcl"])
    ('term.age',)
    """
    return tuple(name for name in IDS if not only or name in only or ROOT in only)


@lru_cache(maxsize=16)
def _lexicon(lang: str, project: ProjectTerms) -> Lexicon:
    known = load_terms(lang)
    if not (project.add or project.allow):
        return known
    return known.with_project(project.tables(), project.allow)


def _said(match: TermMatch) -> str:
    return f"{match.reason} ({match.source})"
