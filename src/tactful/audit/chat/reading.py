"""Read what a chat model said: the answer that it chose, or that it refused to answer."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tactful.audit.probes.chat import Asked
from tactful.yaml_data import read_yaml

LONGEST = 4000
"""Characters of an answer that are read."""
_FIRST = 400
"""Characters in which a refusal is looked for."""
PHRASES: dict[str, Any] = read_yaml(Path(__file__).with_name("phrases.yaml"))


def plain(text: str) -> str:
    """Return the part of a text that is read, composed, in lower case, with single spaces."""
    text = unicodedata.normalize("NFKC", text[:LONGEST]).replace("\u2019", "'")
    return " ".join(text.casefold().split())


def in_language(phrases: Mapping[str, Any], language: str) -> Any:
    """Return the part of a table that is for a language; the English one where there is none."""
    return phrases.get(language.split("-", maxsplit=1)[0], phrases["en"])


def is_refusal(text: str, language: str = "en") -> bool:
    """Tell whether a text says that the model does not answer; an empty one says nothing."""
    said = plain(text)[:_FIRST]
    return any(pattern.search(said) for pattern in _refusals(language.split("-", maxsplit=1)[0]))


@cache
def _refusals(language: str) -> tuple[re.Pattern[str], ...]:
    # A model may refuse in English whatever it was asked in.
    tables = dict.fromkeys((language, "en"))
    return tuple(
        re.compile(r"\b" + phrase.replace(" * ", r"(?: [^ .!?]+){0,6}? ") + r"\b")
        for name in tables
        for phrase in PHRASES["refusals"].get(name, ())
    )


def read_choice(text: str, asked: Asked, shown: Sequence[str], language: str = "en") -> int | None:
    """Return the place of the option that a text chooses; None where it chooses none or several.

    ``shown`` are the options as the model saw them. After reasons, only what follows the last
    "Answer:" counts. Otherwise a text begins with the letter, names one letter as its answer, or
    quotes one option and no other.
    """
    part = text[-LONGEST:] if asked.how == "reasons" else text[:LONGEST]
    said = unicodedata.normalize("NFKC", part)
    letters = asked.letters
    lead = "|".join(map(re.escape, in_language(PHRASES["answers"], language)))
    named = [
        letters.index(found.upper())
        for found in re.findall(
            rf"\b(?:{lead})\b[\s:*_\"'(\[]*([{letters}{letters.lower()}])(?![\w'])",
            said,
            re.IGNORECASE,
        )
    ]
    if asked.how == "reasons":
        return named[-1] if named else _alone(said, letters) if len(said) < _SHORT else None
    first = _alone(said, letters)
    if first is not None:
        return first
    if len(set(named)) == 1:
        return named[0]
    return _quoted(said, shown)


_SHORT = 40


def _alone(said: str, letters: str) -> int | None:
    """Return the letter at the beginning, where it is no word: "B", "(b)", "B. Probably"."""
    found = re.match(
        rf"[\s\"'*_(\[]*([{letters}{letters.lower()}])(?=[\s\"'*_]*(?:[.):\],]|\n|$))", said
    )
    return None if found is None else letters.index(found[1].upper())


def _quoted(said: str, shown: Sequence[str]) -> int | None:
    text = plain(said)
    found = []
    # The longest first: "agree" is also in "strongly agree".
    for place in sorted(range(len(shown)), key=lambda each: -len(shown[each])):
        option = re.compile(rf"(?<!\w){re.escape(plain(shown[place]).rstrip('.'))}(?!\w)")
        if option.search(text):
            found.append(place)
            text = option.sub(" ", text)
    return found[0] if len(found) == 1 else None


def letter_masses(first: Iterable[tuple[str, float]], letters: str) -> list[float]:
    """Return the probability of each letter as the first token, however it is spelt."""
    masses = [0.0] * len(letters)
    for token, value in first:
        letter = token.strip().strip(".()[]*\"'\u2581\u0120").upper()
        if len(letter) == 1 and letter in letters:
            masses[letters.index(letter)] += math.exp(min(value, 0.0))
    return masses


def options_shown(prompt: str, asked: Asked) -> list[str]:
    """Return the options as the lines of a prompt show them."""
    lines = prompt.splitlines()
    shown = []
    for letter in asked.letters:
        start = f"{letter}. "
        shown.append(next((line[len(start) :] for line in lines if line.startswith(start)), ""))
    return shown
