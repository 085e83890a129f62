"""Which words carry a score: leave each out and see how far the score drops (occlusion).

It works with anything that scores text, and it says what the detector itself does: the value of a
word is the drop of the log-odds when it is left out. Long texts would need one scoring for each
word, so there pieces are left out first, and single words only inside the strongest pieces.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.explain.contribution import WORD, Contribution, carrying_spans
from tactful.types import Span

MOST_WORDS = 128
"""Texts with more words are occluded by chunks first."""
CHUNK_WORDS = 16
STRONGEST_CHUNKS = 4
"""How many chunks of a long text are looked into, for each id."""

CLEAR_DROP = 0.1
"""The log-odds that a word must move at least; below, it is noise of the detector."""
CLEAR_SHARE = 0.3
"""The share of the strongest word's drop that a word needs to be shown beside it."""
_EDGE = 1e-6


class Scorer(Protocol):
    """All that occlusion needs of a detector."""

    def score(self, texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return one probability per text for each id."""
        ...


def words_of(text: str) -> list[tuple[int, int]]:
    """Return where the words of a text stand.

    >>> words_of("Don't stop!")
    [(0, 5), (6, 10)]
    """
    return [match.span() for match in WORD.finditer(text)]


def keep_words(text: str, words: Sequence[tuple[int, int]], kept: Sequence[bool]) -> str:
    """Return the text without some of its words; the space after a word goes with it."""
    parts, last = [], 0
    for (start, end), is_kept in zip(words, kept, strict=True):
        if not is_kept:
            parts.append(text[last:start])
            last = end + text[end : end + 1].isspace()
    return "".join([*parts, text[last:]])


def log_odds(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the log-odds; 0 and 1 stand for the nearest probabilities that have some."""
    safe = np.clip(np.asarray(probabilities, dtype=np.float64), _EDGE, 1 - _EDGE)
    return np.asarray(np.log(safe / (1 - safe)))


def word_contributions(
    detector: Scorer, text: str, ids: Sequence[str]
) -> dict[str, list[Contribution]]:
    """Return the value of every word for each id, in the order of the text.

    The only word of a text has nothing left to be compared with: its value is the whole log-odds.
    In texts over :data:`MOST_WORDS` words, those of the weaker chunks share the chunk's value.
    """
    words = words_of(text)
    if not words or not ids:
        return {name: [] for name in ids}
    if len(words) == 1:
        whole = detector.score([text])
        return {name: [Contribution(*words[0], float(log_odds(whole[name])[0]))] for name in ids}
    if len(words) <= MOST_WORDS:
        single = [[at] for at in range(len(words))]
        drops = _drops(detector, text, words, single, ids)
        return {name: _contributions(words, drops[name]) for name in ids}
    return _by_chunks(detector, text, words, ids)


def _by_chunks(
    detector: Scorer, text: str, words: Sequence[tuple[int, int]], ids: Sequence[str]
) -> dict[str, list[Contribution]]:
    numbers = list(range(len(words)))
    chunks = [numbers[at : at + CHUNK_WORDS] for at in range(0, len(words), CHUNK_WORDS)]
    coarse = _drops(detector, text, words, chunks, ids)
    strongest = {name: np.argsort(-coarse[name])[:STRONGEST_CHUNKS].tolist() for name in ids}
    inside = sorted({word for found in strongest.values() for at in found for word in chunks[at]})
    fine = _drops(detector, text, words, [[word] for word in inside], ids)
    answers = {}
    for name in ids:
        values = np.repeat(coarse[name] / [len(c) for c in chunks], [len(c) for c in chunks])
        values[inside] = fine[name]
        answers[name] = _contributions(words, values)
    return answers


def _drops(
    detector: Scorer,
    text: str,
    words: Sequence[tuple[int, int]],
    left_out: Sequence[Sequence[int]],
    ids: Sequence[str],
) -> dict[str, NDArray[np.float64]]:
    """Score the text and all its variants in one batch."""
    variants = [text]
    for gone in left_out:
        kept = [True] * len(words)
        for word in gone:
            kept[word] = False
        variants.append(keep_words(text, words, kept))
    scores = detector.score(variants)
    odds = {name: log_odds(scores[name]) for name in ids}
    return {name: values[0] - values[1:] for name, values in odds.items()}


def _contributions(
    words: Sequence[tuple[int, int]], values: NDArray[np.float64]
) -> list[Contribution]:
    return [
        Contribution(start, end, float(value))
        for (start, end), value in zip(words, values, strict=True)
    ]


def occlusion_spans(
    detector: Scorer, text: str, ids: Sequence[str], most: int = 3
) -> dict[str, tuple[Span, ...]]:
    """Return the few pieces of a text whose words carry each id; none where no word stands out."""
    found = word_contributions(detector, text, ids)
    return {name: _spans(text, found[name], name, most) for name in ids}


def _spans(
    text: str, contributions: Sequence[Contribution], name: str, most: int
) -> tuple[Span, ...]:
    if len(contributions) == 1:
        return (Span(contributions[0].start, contributions[0].end, name),)
    largest = max((each.value for each in contributions), default=0.0)
    least = max(CLEAR_DROP, CLEAR_SHARE * largest)
    # The many small drops of a long text would otherwise outweigh the few words that matter.
    clear = [each for each in contributions if each.value >= least]
    return carrying_spans(text, clear, name, most)
