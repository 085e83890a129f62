"""Marks as phrases: "poor souls" and not "poor", where the rules of wording know the phrase."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tactful.checking.cues import find_cues
from tactful.checking.people import mentions
from tactful.detectors.explain.words import is_light, narrowed, room_in
from tactful.documents.normalise import normalise
from tactful.documents.segments import sentences
from tactful.terms.lexicon import LANGUAGES, find_terms, load_terms
from tactful.types import Span

MOST_ADDED = 2
"""How many phrases of a sentence are marked of which the detector marks no word."""
Range = tuple[int, int]


def in_phrases(
    text: str, kinds: Sequence[str], spans: Mapping[str, Sequence[Span]], lang: str
) -> dict[str, tuple[Span, ...]]:
    """Widen marks to the phrases that they are a part of, up to the limit of a sentence.

    Parameters
    ----------
    text
        The text.
    kinds
        The ids of what was found in it, the gravest first.
    spans
        The marks of each id.
    lang
        The language of the text.

    Returns
    -------
    dict
        The marks of each id, in the sentences in which the gravest one has marks; together at most
        as many as the limit of a sentence allows, the gravest first. Names of people, terms and
        cues that overlap with a mark are marked as a whole; so are the surest cues of such a
        sentence, because the advice quotes them.

    """
    found: dict[str, list[Span]] = {name: [] for name in spans}
    main = next((spans[name] for name in kinds if spans.get(name)), ())
    for start, end in sentences(text):
        if not any(start <= each.start < end for each in main):
            continue
        marks = sorted(
            (rank, each.start - start, each.end - start)
            for rank, name in enumerate(kinds)
            for each in spans.get(name, ())
            if start <= each.start < end
        )
        for place, owners in _chosen(text[start:end], kinds, marks, lang):
            for name in owners:
                found[name].append(Span(place[0] + start, place[1] + start, name))
    # What carries a kind may be too much beside the graver ones: theirs are then enough.
    first_marks = next((found[name] for name in kinds if found.get(name)), [])
    return {
        name: tuple(replace(each, id=name) for each in narrowed(text, marks or first_marks, ()))
        if spans[name]
        else ()
        for name, marks in found.items()
    }


def _chosen(
    text: str, kinds: Sequence[str], marks: Sequence[tuple[int, int, int]], lang: str
) -> Iterator[tuple[Range, list[str]]]:
    """Yield the places of a sentence that are marked, and the ids that each carries."""
    every, marked = bytearray(len(text)), bytearray(len(text))
    for _, first, last in marks:
        every[first:last] = b"\1" * (last - first)
    room = room_in(text)
    content = [each for each in marks if not is_light(text[slice(*each[1:])])] or marks
    main = [(each[1:], ()) for each in content if each[0] == content[0][0]]
    others = [(each[1:], ()) for each in content if each[0] != content[0][0]]
    for (first, last), owners in (*main, *_phrases(text, kinds, every, lang), *others):
        new = marked.count(0, first, last)
        if new and any(marked) and marked.count(1) + new > room:
            continue
        marked[first:last] = b"\1" * (last - first)
        touched = {kinds[rank] for rank, begin, stop in marks if begin < last and first < stop}
        yield (first, last), [name for name in kinds if name in touched or name in owners]


def _phrases(
    text: str, kinds: Sequence[str], marked: bytearray, lang: str
) -> Iterator[tuple[Range, Sequence[str]]]:
    """Yield phrases of a sentence, and the ids that they carry where no word of them is marked."""
    clean = normalise(text)
    people = [(each.start, each.end) for each in mentions(clean.text)]
    if lang in LANGUAGES:
        terms = find_terms(clean.text, terms=load_terms(lang))
        people += [(each.start, each.end) for each in terms]
    named = (clean.to_source(*place) for place in people)
    yield from ((place, ()) for place in named if marked.count(1, *place))
    words = [normalise(text[slice(*run.span())]).text for run in re.finditer(b"\1+", marked)]
    cues: list[tuple[Range, Sequence[str]]] = []
    for each in find_cues(kinds, clean.text, words):
        # The quotation has one space between words; of several places, a marked one is meant.
        pattern = r"\s+".join(map(re.escape, each.quote.split())) or r"\Z."
        places = [clean.to_source(*found.span()) for found in re.finditer(pattern, clean.text)]
        if places:
            place = max(places, key=lambda at: marked.count(1, *at))
            cues.append((place, each.cue.kinds))
    yield from [cue for cue in cues if not marked.count(1, *cue[0])][:MOST_ADDED]
    yield from ((place, ()) for place, _ in cues if marked.count(1, *place))
