"""Whether a short text is English, Spanish or neither, from the pieces of its words.

A log-linear model: each n-gram of 1 to 4 letters of a word, and each short word as a whole, says a
little for English, Spanish or any other language. What a word says is remembered, so that running
text costs one look-up per word; the weights are whole numbers, so that sums are the same on every
machine. ``factory.language`` makes the table beside this file.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tactful.errors import FileFormatError

LANGUAGE_NAMES = {"en": "English", "es": "Spanish"}
TABLE = Path(__file__).with_name("language.npz")
CARD = Path(__file__).with_name("language.json")
LEAST_WORDS = 3
"""Fewer words than these are given no language."""
LEAST_PROBABILITY = 0.6
"""An answer less probable than this is not given."""
FOREIGN_WORDS = 8
"""Fewer different words of slang look like another language too easily."""
FAR_LIKELIER = 3.5
"""How far (in log odds) a short text without a language must lean to one of the two to be read
in that one."""
LEANING = 6.0
"""How far (in log odds) a word must lean to one of the two languages to count as one of it."""
MOST_OF_THE_OTHER = 0.5
"""With more words of the other language than this part of its own, a text is of neither."""
UNKNOWN = "?"
"""Stands in the table for a trigram that is not in it: what no text of ours was made of."""
OPENER = "¿"
"""Stands in the table for a text that opens a question or an exclamation as only Spanish does."""
LONGEST_WHOLE_WORD = 6
_LONGEST_GRAM = 4
_ENOUGH = 20_000
"""More characters than these make no difference."""
# Addresses, mentions, hashtags and character entities match first and are no words.
_LONGEST_REMEMBERED = 40
_TOKEN = re.compile(
    r"(?:https?://|www\.)\S+|[@#]\w+|&\#?\w{1,8};|([^\W\d_]{1,40}(?:['\u2019][^\W\d_]{1,40})*)",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"(.)\1{2,}")


class Detected(NamedTuple):
    """What language a text is in, and how sure that is."""

    lang: str | None
    """``en``, ``es``, or None for neither and for too little to say."""
    probability: float
    """Of ``lang``; without one, of the more probable of the two; 0 where there are no words."""
    reason: str | None = None
    """Why there is no language: too few words, another language, both languages, or unsure."""
    leaning: str | None = None
    """The language to read a short text in that is given none; None where neither is likelier."""


class Table(NamedTuple):
    """What each n-gram says for English and for Spanish, against all other languages."""

    weights: Mapping[str, tuple[int, int]]
    scale: float
    """What one unit of the whole numbers is worth."""
    bias: tuple[float, float]


def words_of(text: str) -> list[str]:
    """Return the words of a text; addresses, mentions, hashtags, numbers and emoji are left out."""
    return [word for word in _TOKEN.findall(text[:_ENOUGH].lower()) if word]


def grams_of(word: str) -> list[str]:
    """Return the n-grams of a word in small letters, and the word itself where it is short.

    >>> grams_of("se")
    ['s', 'e', '_s', 'se', 'e_', '_se', 'se_', '_se_']
    """
    plain = _REPEATED.sub(r"\1", word.replace("\u2019", "'"))
    padded = f"_{plain}_"
    grams = list(plain)
    for length in range(2, _LONGEST_GRAM + 1):
        grams += [padded[at : at + length] for at in range(len(padded) - length + 1)]
    if _LONGEST_GRAM - 1 <= len(plain) <= LONGEST_WHOLE_WORD:
        grams.append(padded)
    return grams


def detect_language(text: str) -> Detected:
    """Say whether a text is English, Spanish or neither.

    >>> detect_language("La plaza es para todos los vecinos.").lang
    'es'
    """
    words = words_of(text)
    if not words:
        return Detected(None, 0.0, "too few words")
    table = embedded_table()
    # Long words come once, and 30,000 of them would fill the memory of a service.
    scores = [
        _word_score(word) if len(word) <= _LONGEST_REMEMBERED else score_of(word, table.weights)
        for word in words
    ]
    english, spanish = sum(score[0] for score in scores), sum(score[1] for score in scores)
    if OPENER in text or "¡" in text:
        bonus = table.weights[OPENER]
        english, spanish = english + bonus[0], spanish + bonus[1]
    # The words of a text are not independent: evidence grows with the root of their number.
    worth = table.scale / math.sqrt(len(words))
    sides = english * worth + table.bias[0], spanish * worth + table.bias[1]
    found = _answer(*sides, len(words))
    likelier = "en" if sides[0] >= sides[1] else "es"
    is_one_of_both = found.reason in (None, "unsure")
    if is_one_of_both and _is_mixed(scores, likelier, LEANING / table.scale):
        return Detected(None, found.probability, "both languages")
    is_short = len(set(words)) < FOREIGN_WORDS
    if found.lang is None and is_short and abs(sides[0] - sides[1]) >= FAR_LIKELIER:
        return found._replace(leaning=likelier)
    return found


def guess_language(text: str) -> str | None:
    """Return ``en`` or ``es``, or None where the text is too short, neither, or not sure.

    >>> guess_language("Los vecinos del barrio dicen que la plaza es para todos.")
    'es'
    """
    return detect_language(text).lang


def possible_languages(text: str, known: Sequence[str]) -> list[str]:
    """Return the languages a text may be in, most likely first; none for a third language.

    A text that is too short or too mixed to tell may be in any of those that are known.
    """
    found = detect_language(text)
    if found.lang is not None:
        return [found.lang]
    if found.reason == "another language" and has_enough_words(text):
        return []
    return sorted(known, key=lambda lang: lang != found.leaning)


def has_enough_words(text: str) -> bool:
    """Say whether a text has enough different words to be taken for another language."""
    return len(set(words_of(text))) >= FOREIGN_WORDS


def _is_mixed(scores: list[tuple[int, int]], lang: str, far: float) -> bool:
    """Say whether at least two words, and too many, are of the other of the two languages."""
    leans = [score[0] - score[1] for score in scores]
    english, spanish = sum(lean > far for lean in leans), sum(lean < -far for lean in leans)
    own, other = (english, spanish) if lang == "en" else (spanish, english)
    return other > max(1, MOST_OF_THE_OTHER * own)


def _answer(english: float, spanish: float, words: int) -> Detected:
    top = max(english, spanish, 0.0)
    shares = [math.exp(value - top) for value in (english, spanish, 0.0)]
    lang, share = ("en", shares[0]) if english >= spanish else ("es", shares[1])
    # Rounded, because the last digits of an exponential are not the same everywhere.
    probability = round(share / sum(shares), 6)
    if words < LEAST_WORDS:
        return Detected(None, probability, "too few words")
    if probability >= LEAST_PROBABILITY:
        return Detected(lang, probability)
    return Detected(None, probability, "another language" if top == 0.0 else "unsure")


@lru_cache(maxsize=1 << 15)
def _word_score(word: str) -> tuple[int, int]:
    return score_of(word, embedded_table().weights)


def score_of(word: str, weights: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """Return what the n-grams of a word say for English and for Spanish."""
    english = spanish = 0
    for gram in grams_of(word):
        found = weights.get(gram)
        if found is None:
            if len(gram) != _LONGEST_GRAM - 1:
                continue
            found = weights[UNKNOWN]
        english, spanish = english + found[0], spanish + found[1]
    return english, spanish


@cache
def embedded_table() -> Table:
    """Return the table that comes with Tactful."""
    return read_table(TABLE)


def read_table(path: Path) -> Table:
    """Read a table that ``factory.language`` wrote."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = arrays["grams"].tobytes().decode("utf-8").split("\n")
            pairs: list[list[int]] = arrays["weights"].tolist()
            scale, english, spanish = (float(value) for value in arrays["scale_and_bias"])
        weights = {name: (en, es) for name, (en, es) in zip(names, pairs, strict=True)}
    except (KeyError, ValueError, OSError) as error:
        raise FileFormatError(
            f"{path}: found no table of the language detector ({error}); expected n-grams and "
            "their weights; install Tactful again."
        ) from None
    if UNKNOWN not in weights or OPENER not in weights:
        raise FileFormatError(
            f"{path}: found no weights of '{UNKNOWN}' and '{OPENER}'; expected both; install "
            "Tactful again."
        )
    return Table(weights, scale, (english, spanish))
