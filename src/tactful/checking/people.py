"""Who a sentence is about: the words that it uses for people, or the groups of its frame."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tactful.checking.cues import FOLDER, LONGEST_TEXT
from tactful.checking.wording import in_or_english, wording
from tactful.types import Frame
from tactful.words import cut_words, plain
from tactful.yaml_data import read_yaml

LONGEST_GROUP = 60
GROUP_WORDS = 5
_YOU = re.compile(r"\b(?:you|your|yours|yourself|tú|tu|te|ti|vosotros|usted|ustedes)\b", re.I)
_ARTICLES = ("", "a", "an", "the", "these", "those", "los", "las", "estos", "estas")
_FOLKS = re.compile(r"\bfolks\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a sentence that refer to people."""

    words: str
    start: int
    end: int
    lang: str
    """The language of the words."""


def mentions(text: str) -> Iterator[Mention]:
    """Yield the mentions of people in a text, in their order; English ones before Spanish ones.

    Parameters
    ----------
    text
        A sentence in English or Spanish.

    Yields
    ------
    Mention
        The words, such as "single mothers" or "las personas mayores", and their place.

    """
    for found in _english().finditer(text):
        yield Mention(_in_english(found), found.start(), found.end(), "en")
    for found in _spanish().finditer(text):
        yield Mention(_in_spanish(found), found.start(), found.end(), "es")


def is_mention(text: str) -> bool:
    """Say whether a text refers to people and says nothing else.

    >>> is_mention("single mothers"), is_mention("chinos"), is_mention("poor souls again")
    (True, True, False)
    """
    return any(each.end - each.start == len(text) for each in mentions(text))


def spoken_of(
    text: str,
    quotes: Sequence[str],
    lang: str,
    frame: Frame | None = None,
    *,
    addressed: bool = False,
) -> str:
    """Say who a sentence is about, in words that fit into another sentence.

    Parameters
    ----------
    text
        The sentence.
    quotes
        The words that the other sentence quotes already; the nearest mention is chosen.
    lang
        The language of the answer, ``en`` or ``es``.
    frame
        What the sentence may imply; its first group comes before those of the text.
    addressed
        Whether the person who is addressed comes before a group: true for insults.

    Returns
    -------
    str
        Such as "single mothers" or "the person addressed".

    """
    said = in_or_english(_data(), lang)
    text = plain(text)[:LONGEST_TEXT]
    if addressed and _YOU.search(text):
        return str(said["you"])
    group = _framed(frame)
    if group:
        return group if lang == "en" else wording(lang).quote(group)
    places = [(at, at + len(quote)) for quote in quotes if (at := text.find(quote)) >= 0]
    found = sorted(mentions(text), key=lambda each: _distance(each, places))
    if not found:
        return str(said["meant" if addressed else "nobody"])
    nearest = found[0]
    if any(
        end <= nearest.end and text[start : nearest.start].strip().lower() in _ARTICLES
        for start, end in places
    ):
        return str(said["quoted"])  # the quotation is the name itself
    words = cut_words(nearest.words, GROUP_WORDS, LONGEST_GROUP)
    return words if nearest.lang == lang else wording(lang).quote(words)


def _framed(frame: Frame | None) -> str:
    if frame is None:
        return ""
    groups = [each.group for each in frame.implications] + list(frame.target_groups)
    first = next((plain(group) for group in groups if plain(group)), "")
    return in_plain_words(cut_words(first, GROUP_WORDS, LONGEST_GROUP))


def in_plain_words(text: str) -> str:
    """Return words of a frame as they are usual in a text.

    >>> in_plain_words("black folks are late")
    'Black people are late'
    """
    named = _FOLKS.sub("people", text)
    return " ".join(_capitals().get(word, word) for word in named.split())


def _distance(mention: Mention, places: Sequence[tuple[int, int]]) -> int:
    gaps = [max(mention.start - end, start - mention.end, 0) for start, end in places]
    return min(gaps, default=mention.start)


def _in_english(found: re.Match[str]) -> str:
    words = found[0]
    if found["one"]:
        return f"the {found['one']}"
    first, _, rest = words.partition(" ")
    # A capital at the beginning of a sentence is none inside another one.
    if first.lower() in _capitals():
        return words
    return f"{first[:1].lower()}{first[1:]}{' ' if rest else ''}{rest}"


def _in_spanish(found: re.Match[str]) -> str:
    noun = found["noun"].lower()
    if noun.startswith("gente"):  # sentences about groups have a plural
        noun = f"personas{noun.removeprefix('gente')}"
        noun = f"{noun}s" if noun.endswith("humilde") else noun
    feminine = noun.split()[0] in _words("es", "feminine").split("|")
    return f"{'las' if feminine else 'los'} {noun}"


@cache
def _english() -> re.Pattern[str]:
    said = {name: _words("en", name) for name in ("nouns", "bare", "one", "before", "behind")}
    before = f"(?:(?:{said['before']})(?: |, | and ))"
    behind = f"(?: (?:{said['behind']}))"
    alone = _words("en", "alone")
    return re.compile(
        rf"\b(?:{before}{{1,2}}(?:{said['bare']}){behind}?"
        rf"|{before}{{0,2}}(?:{said['nouns']}){behind}?"
        rf"|(?:{said['bare']}){behind}"
        rf"|(?:these|those) (?:{said['bare']})"
        rf"|(?:an?|the|this|that|every|one) (?P<one>{before}{{0,2}}(?:{said['one']}){behind}?)"
        rf"|the (?:{alone})(?! (?:{said['one']}|{said['nouns']}|{said['bare']}))"
        rf")\b",
        re.IGNORECASE,
    )


@cache
def _spanish() -> re.Pattern[str]:
    said = {name: _words("es", name) for name in ("nouns", "bare", "before", "behind")}
    return re.compile(
        rf"\b(?P<noun>(?:(?:{said['before']}) )?(?:{said['nouns']})(?: (?:{said['behind']}))?"
        rf"|(?:{said['bare']}) (?:{said['behind']}))\b",
        re.IGNORECASE,
    )


@cache
def _capitals() -> Mapping[str, str]:
    """Return the words that keep their capital, by their small letters."""
    listed = f"{_words('en', 'nouns')}|{_words('en', 'before')}".replace(" ", "|").split("|")
    return {word.lower(): word for word in listed if word[:1].isupper()}


@cache
def _words(lang: str, name: str) -> str:
    return re.sub(r"\|\s", "|", in_or_english(_data(), lang)[name])


@cache
def _data() -> Any:
    return read_yaml(FOLDER / "people.yaml")
