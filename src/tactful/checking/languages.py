"""Documents in several languages: each passage is read in its own, or said to be unchecked.

A passage that clearly is in the other language of the detectors is read by that detector. One that
mixes two languages, or has a whole sentence in the other one, is read sentence by sentence. One in
a third language is not checked.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from tactful.checking.options import AUTO, CheckOptions
from tactful.checking.report import DocumentReport, passage_of
from tactful.checking.wording import spoken_or_english
from tactful.documents.document import Document
from tactful.documents.language import (
    FOREIGN_WORDS,
    LANGUAGE_NAMES,
    Detected,
    detect_language,
    has_enough_words,
    words_of,
)
from tactful.documents.normalise import normalise
from tactful.documents.segments import Segment, sentences, several_sentences

SURE = 0.9
"""A passage leaves the language of its document only if that is at least this probable."""
SENTENCE_WORDS = 4
"""A shorter sentence of a mixed passage is read in the language of its document."""
CLEAR, CLEAR_WORDS = 0.98, 5
"""A short passage in the other language is read in that language if it is at least this
probable and has at least this many words; so is a sentence of a passage that seems to be in one
language."""
_MIXED, _FOREIGN = "both languages", "another language"
_SEGMENTS = 100
"""How many passages are used to detect the language of a document."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A document by languages."""

    main: str
    by_lang: Mapping[str, tuple[Segment, ...]]
    unchecked: tuple[Segment, ...] = ()


def parts_by_language(document: Document, main: str, known: Collection[str]) -> Parts | None:
    """Sort the passages of a document by their language.

    Parameters
    ----------
    document
        The document.
    main
        The language of the document.
    known
        The languages that detectors read.

    Returns
    -------
    Parts or None
        None where all passages are read in the main language.

    """
    if main not in LANGUAGE_NAMES:  # a detector for a language that we cannot recognise
        return None
    is_foreign = _is_foreign(_start(document), detected_in(document))
    by_lang: dict[str, list[Segment]] = {main: []}
    unchecked: list[Segment] = []
    for segment in document.segments:
        for piece, lang in _read_in(segment, main, is_foreign):
            if lang in known:
                by_lang.setdefault(lang, []).append(piece)
            else:
                unchecked.append(piece)
    if not unchecked and len(by_lang) == 1 and len(by_lang[main]) == len(document.segments):
        return None
    return Parts(main, {lang: tuple(found) for lang, found in by_lang.items()}, tuple(unchecked))


def detected_in(document: Document) -> Detected:
    """Say in what language a document seems to be, by its first passages."""
    return _detected(_start(document))


def _start(document: Document) -> str:
    return " ".join(segment.text for segment in document.segments[:_SEGMENTS])


@lru_cache(maxsize=2)  # a check asks twice for the same document
def _detected(start: str) -> Detected:
    return detect_language(start)


class _Piece(NamedTuple):
    segment: Segment
    lang: str
    """Empty for a third language."""


def _read_in(segment: Segment, main: str, is_foreign: bool) -> list[_Piece]:
    found = detect_language(segment.text)
    if found.reason == _MIXED or _switches(segment.text, found):
        pieces = [_piece(segment, start, end) for start, end in sentences(segment.text)]
        langs = [
            _language(piece.text, detect_language(piece.text), main, is_foreign, SENTENCE_WORDS)
            for piece in pieces
        ]
        # Where all sentences are read in one language, the passage is read as a whole.
        if len(set(langs)) > 1:
            return [_Piece(*pair) for pair in zip(pieces, langs, strict=True)]
    return [_Piece(segment, _language(segment.text, found, main, is_foreign, FOREIGN_WORDS))]


def _switches(text: str, found: Detected) -> bool:
    """Say whether a sentence of a text is clearly in the other language."""
    if found.lang is None:
        return False
    return any(
        own.lang not in (None, found.lang)
        and own.probability >= CLEAR
        and len(words_of(sentence)) >= CLEAR_WORDS
        for sentence in (text[start:end] for start, end in several_sentences(text))
        for own in (detect_language(sentence),)
    )


def _language(text: str, found: Detected, main: str, is_foreign: bool, least_words: int) -> str:
    """Return the language to read a text in; empty for a third one.

    What is too short or too unclear is in the language of its document, be that a third one.
    """
    if found.lang == main:
        return main
    words = len(words_of(text))
    if found.lang is not None and (
        (words >= least_words and found.probability >= SURE)
        or (words >= CLEAR_WORDS and found.probability >= CLEAR)
    ):
        return found.lang
    if words >= least_words and _is_foreign(text, found):
        return ""
    return "" if is_foreign else main


def _is_foreign(text: str, found: Detected) -> bool:
    if found.reason != _FOREIGN or not has_enough_words(text):
        return False
    # Words that are disguised with other letters look like another language.
    return detect_language(normalise(text).text).reason == _FOREIGN


def _piece(segment: Segment, start: int, end: int) -> Segment:
    place = segment.to_source(start, end)
    return Segment(
        segment.text[start:end],
        *place,
        segment.block,
        segment.number,
        segment.maps,
        segment.offset + start,
    )


def part_of(document: Document, segments: Sequence[Segment]) -> Document:
    """Return the document with some of its passages; ignores are those of the whole."""
    return replace(document, segments=tuple(segments), whole=document)


def options_for_parts(options: CheckOptions, main: str) -> CheckOptions:
    """Return the options with which parts are checked: all are reported on in one language."""
    if options.report_lang != AUTO:
        return options
    return replace(options, report_lang=spoken_or_english(main))


def merged(
    document: Document, reports: Sequence[DocumentReport], unchecked: Sequence[Segment]
) -> DocumentReport:
    """Join the reports on the parts of a document, that of its main language first."""
    first = reports[0]
    order = {id(each.passage): each.passage.place.start for r in reports for each in r.findings}
    return replace(
        first,
        findings=tuple(
            sorted(
                (each for report in reports for each in report.findings),
                key=lambda each: order[id(each.passage)],
            )
        ),
        passages=tuple(
            sorted(
                (each for report in reports for each in report.passages),
                key=lambda each: each.place.start,
            )
        ),
        silenced=sum(report.silenced for report in reports),
        quoted=sum(report.quoted for report in reports),
        others=tuple(report.model for report in reports[1:]),
        unchecked=tuple(passage_of(document, segment) for segment in unchecked),
    )
