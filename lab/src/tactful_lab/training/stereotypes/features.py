"""About fifty readable features of a Spanish sentence: its topic, its people, its certainty.

UMUTeam used 389 features of their own tool (DETESTS 2022, section 5.2). These are ours: the
word lists are data (``stereotype_features.yaml``), the rest is counted here. Each is a rate per
word or a plain count that grows slowly, so that long sentences do not outweigh short ones.

They also added negation (it helped in subtask 2 only), here by rule: a cue reaches the words after
it up to a mark, a contrast ("pero", "sino") or a number of words; "no obstante" and the like are no
cues, and neither is "¿no?" at the end of a question.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

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
_ANY_WORD = re.compile(r"\w+(?:-\w+)*")
CUES = frozenset(
    {
        "no", "nunca", "jamás", "jamas", "nadie", "nada", "ningún", "ningun", "ninguno", "ninguna",
        "ningunos", "ningunas", "ni", "sin", "tampoco",
    }
)  # fmt: skip
NOT_CUES = (
    ("no", "obstante"), ("sin", "embargo"), ("sin", "duda"), ("sin", "dudas"), ("nada", "más"),
    ("nada", "mas"), ("no", "solo"), ("no", "sólo"), ("no", "solamente"), ("ni", "que"),
)  # fmt: skip
"""Two words that look like a negation and are none of what follows."""
BORDERS = frozenset({"pero", "sino", "aunque", "mas", "porque", "pues", "excepto", "salvo", "que"})
MOST_WORDS = 8
_MARKS = re.compile(r"[.,;:!?¡¿()\[\]\"«»…\n—]")


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


@dataclass(frozen=True, slots=True)
class Negation:
    """One cue and its scope, as half-open places in the text; the scope may be empty."""

    cue: str
    start: int
    end: int
    scope: tuple[int, int]

    def reaches(self, start: int, end: int) -> bool:
        """Say whether a place lies in the scope."""
        return self.scope[0] <= start and end <= self.scope[1]


def negations(text: str) -> list[Negation]:
    """Return every negation of a text, in order.

    >>> text = "No todos vienen a eso, pero algunos dicen que sí."
    >>> [(found.cue, text[slice(*found.scope)]) for found in negations(text)]
    [('no', 'todos vienen a eso')]
    """
    places = [(match.group().lower(), *match.span()) for match in _ANY_WORD.finditer(text)]
    found = []
    for at, (word, start, end) in enumerate(places):
        if word not in CUES or _is_none(places, at, text):
            continue
        reached = end
        for size, (other, first, last) in enumerate(places[at + 1 :]):
            # "que" opens a clause that the cue may apply to if it follows the cue directly.
            border = other in BORDERS and not (other == "que" and size == 0)
            if size == MOST_WORDS or border or _MARKS.search(text[reached:first]):
                break
            reached = last
        begin = places[at + 1][1] if reached > end else end
        found.append(Negation(word, start, end, (begin, max(begin, reached))))
    return found


def _is_none(places: Sequence[tuple[str, int, int]], at: int, text: str) -> bool:
    word, start, end = places[at]
    following = places[at + 1][0] if at + 1 < len(places) else ""
    if (word, following) in NOT_CUES:
        return True
    # A tag: "¿no?" or ", no?"
    before, after = text[:start].rstrip(), text[end:].lstrip()
    return word == "no" and after.startswith("?") and before.endswith(("¿", ","))


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
