"""The shape of a file of cues, as pydantic models; only tests and authors of cues need it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from tactful.checking.advice import MOST_WORDS, QUOTE_WORDS, WHO_WORDS
from tactful.checking.explanation import MOST_QUOTES, QUOTED_WORDS
from tactful.checking.explanation import MOST_WORDS as MOST_EXPLAINING_WORDS
from tactful.checking.people import GROUP_WORDS
from tactful.checking.wording import WORDINGS, wording
from tactful.taxonomies.load import read_model
from tactful.taxonomies.schema import Record, Text

IN_MOVES = {"quote": QUOTE_WORDS, "who": WHO_WORDS}
"""The placeholders of a move, with the most words that each becomes."""
IN_READINGS = {"group": GROUP_WORDS + 1, "you": GROUP_WORDS + 1, "s": 0, "n": 0}
"""The placeholders of a reading; a Spanish group has an article."""
LONGEST_REPEAT = 90
_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")
_REPEAT = re.compile(r"\{(\d+)(,?)(\d*)\}")


def _bounded(pattern: str) -> str:
    """Refuse a pattern that could match any number of characters: work must grow linearly."""
    bare = _CLASS.sub("C", re.sub(r"\\.", "E", pattern))
    limits = [
        int(most or (LONGEST_REPEAT + 1 if comma else least))
        for least, comma, most in _REPEAT.findall(bare)
    ]
    if re.search(r"[*+]|\(\?<[=!]|\(\?P=", bare) or max(limits, default=0) > LONGEST_REPEAT:
        raise PydanticCustomError(
            "unbounded",
            "a pattern without '*', '+', look-behind and back-references, and with repeats of at "
            "most {longest}",
            {"longest": LONGEST_REPEAT},
        )
    return pattern


def _length(text: str, room: Mapping[str, int]) -> int:
    """Count the words of a sentence in which every placeholder is as long as it can be."""
    for name in _PLACEHOLDER.findall(text):
        if name not in room:
            known = ", ".join(f"{{{each}}}" for each in room)
            raise PydanticCustomError("placeholder", "only {known} in braces", {"known": known})
    filled = _PLACEHOLDER.sub(lambda found: " ".join(["w"] * room[found[1]]), text)
    return len(filled.replace("[", "").replace("]", "").split())


def _move(text: str) -> str:
    if not text.endswith("."):
        raise PydanticCustomError("sentence", "a sentence that ends with a full stop")
    if _length(text, IN_MOVES) > MOST_WORDS:
        raise PydanticCustomError(
            "length",
            "at most {most} words when {room} words are quoted",
            {"most": MOST_WORDS, "room": QUOTE_WORDS},
        )
    return text


def _reading(text: str) -> str:
    if not text.endswith(".") or text[:1].isupper():
        raise PydanticCustomError("predicate", "a predicate with a small letter and a full stop")
    if _length(text, IN_READINGS) > _room_of_readings():
        raise PydanticCustomError(
            "length", "at most {most} words, the group included", {"most": _room_of_readings()}
        )
    return text


def _room_of_readings() -> int:
    """Return what is left of an explanation beside the subject and the last sentence."""
    taken = max(
        len(said.these_words.format(quotes=" ".join(["w"] * QUOTED_WORDS)).split())
        + len(said.tried.split())
        for said in (wording(lang).explaining for lang in WORDINGS)
    )
    # Several quotations are joined by "and".
    return MOST_EXPLAINING_WORDS - taken - (MOST_QUOTES > 1)


Pattern = Annotated[Text, AfterValidator(_bounded)]
Move = Annotated[Text, AfterValidator(_move)]
Reading = Annotated[Text, AfterValidator(_reading)]


class Moves(Record):
    """What to write instead, in each language of reports."""

    en: Move
    es: Move


class Readings(Record):
    """What a reader may take from the words: what follows the quotation, in each language."""

    en: Reading
    es: Reading


class CueRecord(Record):
    """One cue; the fields are those of :class:`tactful.checking.cues.Cue`."""

    id: Text
    kinds: Annotated[tuple[Text, ...], Field(min_length=1)]
    patterns: tuple[Pattern, ...] = ()
    move: Moves
    reading: Readings
    chosen_by: tuple[Text, ...] = ()
    """Sentences in which it must be the best cue of a finding of its first kind."""

    @model_validator(mode="after")
    def _patterns_have_sentences(self) -> Self:
        if bool(self.patterns) != bool(self.chosen_by):
            raise PydanticCustomError("chosen_by", "'chosen_by' where there are patterns, only")
        if not self.patterns and len(self.kinds) != 1:
            raise PydanticCustomError("fallback", "one kind for a cue without patterns")
        texts = (self.move.en, self.move.es)
        if not self.patterns and any("{who}" in text for text in texts):
            raise PydanticCustomError("who", "a pattern for {{who}}")
        if any("{who}" in text for text in texts) and not all(
            "(?P<who>" in pattern for pattern in self.patterns
        ):
            raise PydanticCustomError("who", "the group 'who' in every pattern")
        return self


class CueFile(Record):
    """A file of cues, and the lists of words that its patterns name."""

    words: dict[Text, Text]
    cues: Annotated[tuple[CueRecord, ...], Field(min_length=1)]


def read_cue_file(path: Path) -> CueFile:
    """Read a file of cues; one TaxonomyError lists all problems with their lines."""
    return read_model(path, CueFile)
