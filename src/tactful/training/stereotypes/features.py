"""About fifty readable features of a Spanish sentence: whom it speaks of, how surely, and of what.

UMUTeam took 389 features of a tool of their own (DETESTS 2022, section 5.2). These are ours: the
word lists are data (``stereotype_features.yaml``), the rest is counted here. Each is a rate per
word or a plain count that grows slowly, so that long sentences do not outweigh short ones.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from tactful.training.stereotypes.negation import Negation, negations

Numbers = NDArray[np.float64]

_FILE = "stereotype_features.yaml"
_WORD = re.compile(r"[^\W\d_]+")
_SHAPES = (
    "words", "word_length", "capitals", "numbers", "exclamations", "questions", "dots", "quotes",
    "commas", "links", "repeated_letters", "emoji", "first_word_is_they", "distinct_words",
)  # fmt: skip
_REPEATED = re.compile(r"([^\W\d_])\1{2,}")
_LINK = re.compile(r"https?://|www\.|@\w")
NEGATION_FEATURES = (
    "cues", "scope_share", "negated_group", "negated_all", "negated_they", "double", "never",
    "without",
)  # fmt: skip


@cache
def _lists() -> tuple[dict[str, re.Pattern[str]], dict[str, tuple[str, ...]]]:
    import yaml

    text = (resources.files(__package__) / _FILE).read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    words = {name: _pattern(entries) for name, entries in found["words"].items()}
    return words, {name: tuple(each) for name, each in found["endings"].items()}


def _pattern(entries: Sequence[str]) -> re.Pattern[str]:
    parts = [
        re.escape(entry.removesuffix("*")) + (r"\w*" if entry.endswith("*") else "")
        for entry in sorted(entries, key=len, reverse=True)
    ]
    return re.compile(rf"\b(?:{'|'.join(parts)})\b")


def plain(text: str) -> str:
    """Return a text in lower case and without accents; the letter ñ becomes n.

    >>> plain("¡Mañana será ÁGIL!")
    '¡manana sera agil!'
    """
    parts = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def feature_names() -> tuple[str, ...]:
    """Return the names of the features, in the order of their columns."""
    words, endings = _lists()
    return (*words, *endings, *_SHAPES)


def linguistic_features(texts: Sequence[str]) -> Numbers:
    """Return one row for each text and one column for each of :func:`feature_names`."""
    rows = [list(features_of(text).values()) for text in texts]
    return np.array(rows, dtype=np.float64).reshape(len(texts), len(feature_names()))


def features_of(text: str) -> dict[str, float]:
    """Return the features of one text by name.

    >>> found = features_of("Todos ellos siempre dicen lo mismo.")
    >>> found["all"] > 0, found["they"] > 0, found["always"] > 0, found["crime"]
    (True, True, True, 0.0)
    """
    words, endings = _lists()
    simple = plain(text)
    found = _WORD.findall(simple)
    size = max(len(found), 1)
    counted = {name: _grown(_count(pattern, simple)) for name, pattern in words.items()}
    shaped = {
        name: sum(word.endswith(ends) and len(word) > 4 for word in found) / size
        for name, ends in endings.items()
    }
    return {**counted, **shaped, **_shape(text, found)}


def _shape(text: str, found: Sequence[str]) -> dict[str, float]:
    size, letters = max(len(found), 1), max(sum(map(str.isalpha, text)), 1)
    they = _lists()[0]["they"]
    values: Mapping[str, float] = {
        "words": np.log1p(len(found)),
        "word_length": sum(map(len, found)) / size,
        "capitals": sum(map(str.isupper, text)) / letters,
        "numbers": _grown(len(re.findall(r"\d+", text))),
        "exclamations": _grown(text.count("!")),
        "questions": _grown(text.count("?")),
        "dots": _grown(text.count("...") + text.count("…")),
        "quotes": _grown(sum(text.count(mark) for mark in '"«»“”')),
        "commas": text.count(",") / size,
        "links": _grown(len(_LINK.findall(text))),
        "repeated_letters": _grown(len(_REPEATED.findall(text))),
        "emoji": _grown(sum(unicodedata.category(letter) == "So" for letter in text)),
        "first_word_is_they": float(bool(found) and bool(they.fullmatch(found[0]))),
        "distinct_words": len(set(found)) / size,
    }
    return {name: float(values[name]) for name in _SHAPES}


def negation_features(texts: Sequence[str]) -> Numbers:
    """Return one row for each text and one column for each of :data:`NEGATION_FEATURES`."""
    rows = [list(_negation(text).values()) for text in texts]
    return np.array(rows, dtype=np.float64).reshape(len(texts), len(NEGATION_FEATURES))


def _negation(text: str) -> dict[str, float]:
    found = negations(text)
    words, _ = _lists()
    scopes = [plain(text[slice(*each.scope)]) for each in found]
    reached = sum(len(_WORD.findall(scope)) for scope in scopes)
    size = max(len(_WORD.findall(plain(text))), 1)
    values = (
        _grown(len(found)),
        min(reached / size, 1.0),
        _grown(sum(_count(words["groups"], scope) for scope in scopes)),
        _grown(sum(_count(words["all"], scope) for scope in scopes)),
        _grown(sum(_count(words["they"], scope) for scope in scopes)),
        float(_is_double(found)),
        float(any(plain(each.cue) in ("nunca", "jamas") for each in found)),
        float(any(each.cue == "sin" for each in found)),
    )
    return dict(zip(NEGATION_FEATURES, values, strict=True))


def _is_double(found: Sequence[Negation]) -> bool:
    """Say whether a cue is inside the scope of another: 'no dice nada'."""
    return any(
        first.reaches(second.start, second.end)
        for first in found
        for second in found
        if first is not second
    )


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))


def _grown(count: float) -> float:
    return float(np.log1p(count))
