"""What each word adds to a score, and how a few readable spans are made of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tactful.documents.normalise import Normalised
from tactful.types import Span

_MARKS = r"\s!-/:-@\[-`{-~¡¦§«¶·»¿\u2000-\u200b\u200e-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20"
_ALONE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTER = rf"[^{_MARKS}{_ALONE}]"
WORD = re.compile(rf"{_LETTER}+(?:['\u2019\-_]{_LETTER}+)*|[{_ALONE}]")
"""A run of anything but spaces and punctuation: letters with their marks, digits, emoji. Chinese
and Japanese characters stand alone, as no space divides their words."""
MOST_SPANS = 3
_CLEAR_SHARE = 0.12
"""A word carries an id when it adds at least this share of all that speaks for it."""
# Pronouns and modal verbs are not among them: "us", "they" and "must" are typical of PCL.
_FUNCTION_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "did", "do", "does",
        "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its",
        "nor", "of", "on", "or", "so", "than", "that", "the", "then", "there", "this", "to",
        "too", "was", "were", "what", "when", "which", "who", "with",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contribution:
    """What the word at ``start`` to ``end`` adds to the log-odds of an id."""

    start: int
    end: int
    value: float


def spread_over_words(
    clean: Normalised, offsets: Sequence[tuple[int, int]], parts: NDArray[np.floating]
) -> list[Contribution]:
    """Add the parts of the tokens up over the words that they lie in; places are of the source.

    Tokens outside all words (punctuation) stand for themselves; what has no place in the text (a
    model's own marks) is spread evenly.
    """
    words = [match.span() for match in WORD.finditer(clean.text)]
    values = dict.fromkeys(words, 0.0)
    nowhere = 0.0
    at = 0
    for (start, end), part in zip(offsets, parts, strict=True):
        if start >= end:
            nowhere += float(part)
            continue
        while at < len(words) and words[at][1] <= start:
            at += 1
        inside = at < len(words) and words[at][0] < end
        place = words[at] if inside else (start, end)
        values[place] = values.get(place, 0.0) + float(part)
    share = nowhere / len(values) if values else 0.0
    return [
        Contribution(*clean.to_source(*place), value + share)
        for place, value in sorted(values.items())
    ]


def carrying_spans(
    text: str, contributions: Sequence[Contribution], name: str | None, most: int = MOST_SPANS
) -> tuple[Span, ...]:
    """Return the few places that speak most for an id: neighbouring words joined, edges trimmed."""
    total = sum(max(each.value, 0.0) for each in contributions)
    chosen = [each for each in contributions if total > 0 and each.value >= _CLEAR_SHARE * total]
    if not chosen and total > 0:
        chosen = [max(contributions, key=lambda each: each.value)]
    runs: list[list[Contribution]] = []
    for each in chosen:
        if runs and not WORD.search(text[runs[-1][-1].end : each.start]):
            runs[-1].append(each)
        else:
            runs.append([each])
    trimmed = [run for run in (_trim(text, run) for run in runs) if run]
    strongest = sorted(trimmed or runs, key=lambda run: -sum(each.value for each in run))[:most]
    places = sorted((run[0].start, run[-1].end) for run in strongest)
    return tuple(Span(start, end, name) for start, end in places)


def _trim(text: str, run: list[Contribution]) -> list[Contribution]:
    def empty(each: Contribution) -> bool:
        word = text[each.start : each.end].casefold()
        return word in _FUNCTION_WORDS or not WORD.search(word)

    while run and empty(run[0]):
        run = run[1:]
    while run and empty(run[-1]):
        run = run[:-1]
    return run
