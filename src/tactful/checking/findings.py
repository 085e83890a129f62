"""Turns the scores and terms of a document into findings with a place in its source.

Passages are scored many at a time; only those in which a score reaches its threshold are
processed further (:mod:`tactful.checking.placing`). Terms of style guides are found in the same
passages. Terms in quotation marks, and terms that the writers use for
themselves, are not reported.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tactful.checking.confidence import REPORTED, confidence, probability_at, thresholds_in_force
from tactful.checking.options import LEAST, QUOTES, CheckOptions, ProjectTerms
from tactful.checking.report import DocumentReport, Passage, PlacedFinding, passage_of
from tactful.checking.wording import spoken_or_english
from tactful.detectors.base import BaseDetector, Detector, Scores, found_ids, gates_of
from tactful.detectors.card import Card
from tactful.documents.document import Document
from tactful.documents.segments import (
    Segment,
    is_quoted,
    quotations,
    several_sentences,
    without_quotations,
)
from tactful.errors import Problem, UsageError
from tactful.registry import unknown_name
from tactful.terms.lexicon import IDS, LANGUAGES, ROOT, Lexicon, TermMatch, find_terms, load_terms
from tactful.types import Finding, Frame, Span

BATCH = 256
"""How many passages are scored in one call."""
Framing = Callable[[Sequence[str]], Sequence[Frame]]
"""A function that turns texts into frames."""
MOST_CATEGORIES = 3
"""How many categories of a family are reported of one passage; the variables of a frame are not
categories of one thing, and all of them are."""
SUSPICION = 0.2
"""The share of its threshold from which a score makes a passage's sentences be read, too."""
QUOTE = "quote"
"""The block of a passage that is a quotation as a whole."""
Range = tuple[int, int]
Scored = tuple[Segment, dict[str, float], dict[str, Range]]
"""A passage, its scores, and for ids that one of its sentences carries, that sentence."""
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


def ids_below(name: str, known: Iterable[str]) -> set[str]:
    """Return the known ids that a name includes: ``pcl`` means itself and all ids below it."""
    return {each for each in known if f"{each}.".startswith(f"{name}.")}


def choose_ids(wanted: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    """Return the known ids that are wanted; each name means those of :func:`ids_below`."""
    chosen: set[str] = set()
    for name in wanted:
        below = ids_below(name, known)
        if not below:
            heads = dict.fromkeys(each.split(".")[0] for each in known)
            raise unknown_name("id to find", name, list(dict.fromkeys([*heads, *known])))
        chosen |= below
    return frozenset(chosen or known)


def check_thresholds(thresholds: Mapping[str, float], known: Sequence[str]) -> None:
    """Refuse thresholds for ids that the detector does not score, or outside 0 to 1."""
    for name, value in thresholds.items():
        if name not in known:
            raise unknown_name("id to find", name, list(known))
        if not 0 <= value <= 1:
            raise UsageError(f"The threshold of '{name}' is {value:g}; expected 0 to 1.")


def check_document(
    detector: Detector,
    document: Document,
    *,
    only: Sequence[str] | None = (),
    thresholds: Mapping[str, float] | None = None,
    least: float = LEAST,
    all_scores: bool = False,
    terms: "TermReader | None" = None,
    quotes: str = QUOTES[0],
    explanations: bool = True,
) -> DocumentReport:
    """Find problems in a document; ``thresholds`` replace those of the detector's card.

    ``terms`` finds terms in the same passages. Without any id to look for (``only`` is None) the
    detector reads nothing.

    What has less confidence than ``least`` is left out; an id that ``thresholds`` names is reported
    from that probability on.

    ``quotes`` says what happens to findings that only a quotation carries: ``skip`` leaves them
    out, ``label`` reports them as quoted, and ``check`` as any other.

    Without ``explanations``, none are written for what the detector finds.

    ``only`` takes ids and what they begin with: ``pcl`` is ``pcl`` and its categories. A category
    is still judged together with its parent when only the category is wanted.
    """
    card = detector.card
    chosen = frozenset[str]() if only is None else choose_ids(only, card.ids)
    own = thresholds or {}
    check_thresholds(own, card.ids)
    limits = thresholds_in_force(card, own)
    needed = {
        name: limit if name in own else probability_at(least, limit)
        for name, limit in limits.items()
    }
    # A detector with only the protocol has its own words.
    is_explained = explanations and isinstance(detector, BaseDetector)
    lang = spoken_or_english(card.lang) if is_explained else None
    silences, problems = _ignores(document)
    passages: list[Passage] = []
    findings: list[PlacedFinding] = []
    silenced = left_out = 0
    reached: list[Scored] = []
    for segment, scores, places in _scored(detector, document.segments, needed, only):
        kept = {name: scores[name] for name in scores if name in chosen} if all_scores else None
        passages.append(passage_of(document, segment, kept, card.lang))
        found = [name for name in found_ids(scores, needed) if name in chosen]
        most = likeliest(found, scores, own) if card.report_thresholds else found
        reached.append((segment, {name: scores[name] for name in most}, places if most else {}))
    # Before any words are marked: a detector that reads only so much must read this first.
    only_quoted = _quoted(detector, reached, needed, quotes)
    for (segment, scores, places), passage, quoted in zip(
        reached, passages, only_quoted, strict=True
    ):
        found = list(scores)
        matches = [] if terms is None else list(terms.findings(segment.text))
        if not found and not matches:
            continue
        from tactful.checking.placing import Seen, by_sentence, kind_of, kinds_of, placed

        if quotes == "skip" and quoted:
            found = [name for name in found if name not in quoted]
            left_out += not found
        sure = {name: confidence(scores[name], limits[name]) for name in found}
        here: list[PlacedFinding] = []
        for place, names in by_sentence(found, sure, places).items():
            loud = [
                name
                for name in names
                if not any(silences(segment, each) for each in (name, *gates_of(name)))
            ]
            silenced += not loud
            if loud:
                wanted = {name: Seen(scores[name], sure[name], limits[name]) for name in loud}
                kinds = kinds_of(
                    detector, document, segment, wanted, place, explanations=explanations
                )
                one = placed(document, segment, passage, kinds, place, lang)
                here.append(replace(one, quoted=quoted.issuperset(loud)))
        for term in matches:
            if silences(segment, term.finding.id):
                silenced += 1
                continue
            in_quotation = quotes != "check" and (term.quoted or segment.block == QUOTE)
            if in_quotation and quotes == "skip":
                left_out += 1
                continue
            seen = Seen(term.finding.probability, term.finding.probability, term.threshold)
            kinds = (kind_of(document, segment, term.finding, seen, ()),)
            one = placed(document, segment, passage, kinds, None)
            here.append(replace(one, suggestions=term.suggestions, quoted=in_quotation))
        findings += sorted(here, key=lambda each: each.place.start)
    return DocumentReport(
        document.path if document.path is None else str(document.path),
        document.kind,
        card.model,
        document.source,
        tuple(findings),
        tuple(passages),
        problems,
        silenced,
        left_out,
    )


def _ignores(
    document: Document,
) -> tuple[Callable[[Segment, str], bool], tuple[Problem, ...]]:
    """Return a function that says whether a document ignores an id, and the problems with that."""
    if not document.directives:
        return lambda segment, name: False, ()
    from tactful.documents.ignores import find_ignores

    found = find_ignores(document)
    return found.silences, found.problems


def without_explanations(report: DocumentReport) -> DocumentReport:
    """Return the report with kinds, confidence and places, and without explanations."""
    return replace(
        report,
        findings=tuple(
            replace(
                each,
                explanation="",
                kinds=tuple(replace(kind, explanation="") for kind in each.kinds),
            )
            for each in report.findings
        ),
    )


def rule_ids(card: Card, only: Sequence[str] = ()) -> list[str]:
    """Return the ids that a check looks for, in the order of the card."""
    chosen = choose_ids(only, card.ids)
    return [name for name in card.ids if name in chosen]


def _scored(
    detector: Detector,
    segments: Sequence[Segment],
    needed: Mapping[str, float],
    only: Sequence[str] | None,
) -> Iterator[Scored]:
    """Yield each segment with its scores, and for ids that one sentence carries, that sentence.

    A passage of several sentences is read as a whole. If a score is high enough, its sentences are
    read as well, so that the others cannot hide a harmful one. Without ids to look for (``only`` is
    None), nothing is read.
    """
    if only is None:
        yield from ((segment, {}, {}) for segment in segments)
        return
    for at in range(0, len(segments), BATCH):
        batch = segments[at : at + BATCH]
        scores = detector.score([segment.text for segment in batch])
        parts = [
            (row, place)
            for row in _suspicious(scores, needed, detector.card)
            for place in several_sentences(batch[row].text)
        ]
        texts = [batch[row].text[start:end] for row, (start, end) in parts]
        again = detector.score(texts) if texts else {}
        found: list[dict[str, float]] = [
            {name: float(column[row]) for name, column in scores.items()}
            for row in range(len(batch))
        ]
        places: list[dict[str, Range]] = [{} for _ in batch]
        loudest: dict[tuple[int, str], float] = {}
        for number, (row, place) in enumerate(parts):
            for name, column in again.items():
                score = float(column[number])
                # A sentence that is reported alone carries what the passage has, too.
                enough = min(found[row][name], needed[name])
                if score >= enough and score > loudest.get((row, name), -1.0):
                    loudest[row, name] = score
                    places[row][name] = place
        for (row, name), score in loudest.items():
            found[row][name] = max(found[row][name], score)
        yield from zip(batch, found, places, strict=True)


def likeliest(
    found: Sequence[str], scores: Mapping[str, float], kept: Collection[str]
) -> list[str]:
    """Return what is reported of a passage: of each family the root and its likeliest categories.

    Rare categories have low thresholds, and so a high confidence: by confidence they would push
    the common ones out.

    An id with a threshold of the user's own (``kept``) is always reported as well.
    """
    below: dict[str, list[str]] = {}
    for name in found:
        root, _, category = name.partition(".")
        if category and root != "frame" and name not in kept:
            below.setdefault(root, []).append(name)
    weakest = {
        name
        for names in below.values()
        for name in sorted(names, key=lambda each: -scores[each])[MOST_CATEGORIES:]
    }
    return [name for name in found if name not in weakest]


def _suspicious(scores: Scores, needed: Mapping[str, float], card: Card) -> list[int]:
    """Return the rows whose sentences are read as well.

    Only detectors with report thresholds read sentences, because these limit false positives, and
    each further reading is another chance of one.
    """
    if not card.report_thresholds:
        return []
    reached = [scores[name] >= SUSPICION * needed[name] for name in scores]
    return np.flatnonzero(np.logical_or.reduce(reached)).tolist()


def _quoted(
    detector: Detector, reached: Sequence[Scored], needed: Mapping[str, float], quotes: str
) -> list[set[str]]:
    """Return, for each passage, which of its ids only quotations carry; none if all are checked.

    A text without its quotations does not have these.
    """
    if quotes == "check":
        return [set() for _ in reached]
    quoted = [
        set(scores) if segment.block == QUOTE else set[str]() for segment, scores, _ in reached
    ]
    cut = [
        (row, *each)
        for row, scored in enumerate(reached)
        if scored[1] and scored[0].block != QUOTE
        for each in _without_quotations(*scored)
    ]
    for at in range(0, len(cut), BATCH):
        batch = cut[at : at + BATCH]
        scores = detector.score([text for _, _, text in batch])
        for number, (row, names, _) in enumerate(batch):
            quoted[row] |= {name for name in names if scores[name][number] < needed[name]}
    return [
        only | {name for name in found if not only.isdisjoint(gates_of(name))}
        for (_, found, _), only in zip(reached, quoted, strict=True)
    ]


def _without_quotations(
    segment: Segment, found: Iterable[str], places: Mapping[str, Range]
) -> Iterator[tuple[list[str], str]]:
    """Yield ids, and the piece that carries them without the quotations that are in it."""
    marked = quotations(segment.text)
    pieces: dict[Range, list[str]] = {}
    for name in found if marked else ():
        pieces.setdefault(places.get(name, (0, len(segment.text))), []).append(name)
    for (start, end), names in pieces.items():
        within = [
            (max(first, start) - start, min(last, end) - start)
            for first, last in marked
            if first < end and start < last
        ]
        if within:
            yield names, without_quotations(segment.text[start:end], within)


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
        matches = find_terms(text, terms=self.lexicon, level=self.level)
        quoted = quotations(text) if matches else []
        for match in matches:
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
    """Return the finder of the terms of a language; None if no terms are wanted."""
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
