"""Weak labels for the ten categories of DETESTS: a Spanish lexicon with weights, as data.

Every cue of ``stereotype_rules.yaml`` that a sentence holds is a piece of evidence. What it weighs
depends on whether a word for people from elsewhere is near; pieces are joined by noisy-or, as
if each could be right on its own. Sentences that deny a claim or cite figures count for less. The
labels are rough. They teach what no corpus at hand has labels for, and they are a voice of their
own in the Spanish detector (:mod:`tactful.detectors.models.rules`).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.stereotype_labels import CATEGORIES as CATEGORY_IDS
from tactful.errors import FileFormatError

CATEGORIES = tuple(name.partition(".")[2] for name in CATEGORY_IDS)
RULES_FILE = Path(__file__).with_name("stereotype_rules.yaml")
_WORD = re.compile(r"[^\W_]+")
_LIST = re.compile(r"<(\w+)>")
_GAP = "..."
_BETWEEN = r"(?: \S+){0,4}?"
_LETTERS = {"group": "g", "reference": "r", "locals": "l", "animal": "a"}
_GROUP, _REFERENCE = _LETTERS["group"], _LETTERS["reference"]
_KEY = 3
_TILDE = "\u0303"


@dataclass(frozen=True, slots=True)
class Cue:
    """One row of words that speaks for a category."""

    text: str
    weight: float
    expression: str
    keys: frozenset[str]
    """How a word must begin, or the letter of the list that it must be of, to begin the cue."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The lexicon, ready to be searched."""

    version: str
    cues: tuple[tuple[str, Cue], ...]
    """Each with its category."""
    index: Mapping[str, tuple[int, ...]]
    """The places of the cues that begin with a key, so that most need not be searched for."""
    lists: Mapping[str, re.Pattern[str]]
    """The words of each list, under the letter that marks them in a line."""
    rejected: re.Pattern[str]
    sober: re.Pattern[str]
    context: Mapping[str, float]
    tone: Mapping[str, float]

    def evidence(self, text: str) -> Iterator[tuple[str, Cue, float]]:
        """Yield category, cue and weight for every cue of a text; each cue counts once."""
        for category, cue, weight, _, _ in self.located(text):
            yield category, cue, weight

    def located(self, text: str) -> Iterator[tuple[str, Cue, float, int, int]]:
        """Yield the same, and from which to before which word of the text the cue goes."""
        words = plain_words(text)
        tagged = self._tagged(words)
        line = "".join(f" {word}/{tags}" for word, tags in zip(words, tagged, strict=True))
        factor = self._tone(line)
        keys = {word[:_KEY] for word in words} | {f"<{tag}" for tag in "".join(tagged)}
        for place in sorted({place for key in keys for place in self.index.get(key, ())}):
            category, cue = self.cues[place]
            found = _compiled(cue.expression).search(line)
            if found is not None:
                first, last = (line.count(" ", 0, at) for at in found.span())
                weight = cue.weight * factor * self._nearness(first, last, tagged)
                yield category, cue, weight, first, last

    def _tagged(self, words: Sequence[str]) -> list[str]:
        """Return for each word the letters of the lists that it belongs to."""
        line = "".join(f" {word}/" for word in words)
        tags = [""] * len(words)
        for letter, pattern in self.lists.items():
            for found in pattern.finditer(line):
                first, last = (line.count(" ", 0, at) for at in found.span())
                for place in range(first, last):
                    tags[place] += letter
        return tags

    def _nearness(self, first: int, last: int, tagged: Sequence[str]) -> float:
        within = int(self.context["within"])
        near = "".join(tagged[max(first - within, 0) : last + within])
        kind = "group" if _GROUP in near else "reference" if _REFERENCE in near else "alone"
        return self.context[kind]

    def _tone(self, line: str) -> float:
        if self.rejected.search(line):
            return self.tone["rejected"]
        return self.tone["sober"] if self.sober.search(line) else 1.0


def label(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return one row per text and one column per category of ``CATEGORIES``: weak labels, 0 to 1.

    Noisy-or of the cues: 1 - (1 - w1)(1 - w2)... A text without a cue has 0: no rule speaks.
    """
    rules = load_rules()
    columns = {name: column for column, name in enumerate(CATEGORIES)}
    doubts = np.ones((len(texts), len(CATEGORIES)))
    for row, text in enumerate(texts):
        for category, _, weight in rules.evidence(text):
            doubts[row, columns[category]] *= 1 - weight
    return 1 - doubts


def word_places(text: str) -> list[tuple[int, int]]:
    """Return where the words of :func:`plain_words` are in a text.

    There is none where composing its letters or making them small moves them.
    """
    changed = unicodedata.normalize("NFC", text).lower()
    same = len(changed) == len(text)
    return [match.span() for match in _WORD.finditer(changed)] if same else []


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case and without accents; ñ stays, for it is a letter.

    >>> plain_words("¡Mañana vendrán MÁS!")
    ['mañana', 'vendran', 'mas']
    """
    return [_plain(word) for word in _WORD.findall(unicodedata.normalize("NFC", text).lower())]


def _plain(word: str) -> str:
    if word.isascii():
        return word
    marks = unicodedata.normalize("NFD", word)
    kept = (
        mark
        for at, mark in enumerate(marks)
        if not unicodedata.combining(mark) or (mark == _TILDE and marks[at - 1] == "n")
    )
    return unicodedata.normalize("NFC", "".join(kept))


@cache
def load_rules() -> Rules:
    """Load the lexicon that comes with Tactful."""
    return read_rules(RULES_FILE)


def read_rules(path: Path) -> Rules:
    """Read a lexicon in the format of ``stereotype_rules.yaml``."""
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        data: dict[str, Any] = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 (a safe one)
        cues = tuple(
            (category, cue)
            for category in CATEGORIES
            for cue in _cues(data["categories"][category], data["weights"])
        )
        lists = {letter: _any_of(data["lists"][name]) for name, letter in _LETTERS.items()}
        rejected, sober = (_any_of(data["tones"][name]) for name in ("rejected", "sober"))
        return Rules(
            data["version"],
            cues,
            _index(cues),
            lists,
            rejected,
            sober,
            data["context"],
            data["tone"],
        )
    except KeyError as error:
        raise FileFormatError(
            f"{path}: found no {error} where a rule needs it; expected the keys of "
            "stereotype_rules.yaml, every <list> among 'lists'; add it."
        ) from None
    except (yaml.YAMLError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"{path}: found what cannot be read as rules ({' '.join(str(error).split())}); "
            "expected the layout of stereotype_rules.yaml; correct it."
        ) from None


def _cues(levels: Mapping[str, Sequence[str]], weights: Mapping[str, float]) -> Iterator[Cue]:
    for level, texts in levels.items():
        for text in texts:
            keys = frozenset(_key(option) for option in text.split()[0].split("|"))
            yield Cue(text, weights[level], _expression(text), keys)


def _index(cues: Sequence[tuple[str, Cue]]) -> dict[str, tuple[int, ...]]:
    index: dict[str, tuple[int, ...]] = {}
    for place, (_, cue) in enumerate(cues):
        for key in cue.keys:
            index[key] = (*index.get(key, ()), place)
    return index


def _key(option: str) -> str:
    named = _LIST.fullmatch(option)
    if named:
        return "<" + _LETTERS[named.group(1)]
    word = plain_words(option)[0]
    if option.endswith("*") and len(word) < _KEY:
        raise TypeError(f"{option!r} is shorter than {_KEY} letters")
    return word[:_KEY]


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    # Compiling all of them takes a second, and most texts need a few.
    return re.compile(expression)


def _any_of(cues: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, cues)))


def _expression(cue: str) -> str:
    """Turn a cue into a regular expression over words such as `` moros/g``: a space, a slash, tags.

    It begins with the space where it can: a search for fixed letters is fast.
    """
    return "".join(_BETWEEN if part == _GAP else _part(part) for part in cue.split())


def _part(part: str) -> str:
    options = [_option(option) for option in part.split("|")]
    return options[0] if len(options) == 1 else "(?:" + "|".join(options) + ")"


def _option(option: str) -> str:
    named = _LIST.fullmatch(option)
    if named:
        return rf"(?: \w+/\w*{_LETTERS[named.group(1)]}\w*)+"
    words = plain_words(option)
    if len(words) != 1:
        raise TypeError(f"{option!r} is not one word")
    return rf" {words[0]}" + (r"\w*" if option.endswith("*") else "") + r"/\w*"
