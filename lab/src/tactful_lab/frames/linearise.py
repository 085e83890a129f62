"""A post and its frame as one line of tokens, and back (Sap et al. 2020, section 4, equation 1).

``[STR] post [SEP] lewd off int grp [SEP] group [SEP] statement [SEP] ing [END]``, with two tokens
for each categorical variable, such as ``[offY]`` and ``[offN]``. A training instance is one triple
of post, group and statement with the five categorical answers (section 4.2).

A variable that cannot have a value (there is no group without offence) is written as its negative
token, or as no words, and marked as not to be learnt; the tokens between variables are always
learnt, else a model could not end the line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tactful.errors import InputError
from tactful.frames.posts import Instance
from tactful.frames.schema import CATEGORICAL
from tactful.taxonomies.frame_constraints import frame_variables

START, SEPARATOR, END = "[STR]", "[SEP]", "[END]"
YES, NO = "Y", "N"
FIRST_FOUR, LAST = CATEGORICAL[:4], CATEGORICAL[4]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the line: one special token, or words that a tokeniser still has to cut."""

    text: str
    special: bool
    learn: bool = True


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a line says; a model may also have written nonsense."""

    values: Mapping[str, int]
    """Only the variables whose token is in its place."""
    group: str = ""
    statement: str = ""
    whole: bool = True
    """Whether every part of equation 1 is there, in its order, up to the end."""


def value_token(variable: str, value: int | bool) -> str:
    """Return the token of a variable's value.

    >>> value_token("frame.offensive", 1)
    '[offY]'
    """
    return f"[{frame_variables()[variable].token}{YES if value else NO}]"


def special_tokens() -> list[str]:
    """Return the tokens that a vocabulary needs beside its own words."""
    values = [value_token(name, value) for name in CATEGORICAL for value in (1, 0)]
    return [START, SEPARATOR, END, *values]


def linearise(instance: Instance) -> list[Piece]:
    """Return the line of an instance, in pieces."""
    for text in (instance.group, instance.statement):
        if text is not None and not text.strip():
            raise InputError("Found a blank group or statement; expected words, or None.")
    values = {name: instance.values.get(name) for name in CATEGORICAL}
    if not values["frame.offensive"]:
        # The question about a group is not asked then: ignore the row's value.
        values["frame.group"] = None
    grouped = bool(values["frame.group"])
    group = instance.group if grouped else None
    statement = instance.statement if group is not None else None
    if not grouped:
        values[LAST] = None
    return [
        Piece(START, True, learn=False),
        Piece(instance.post, False),
        Piece(SEPARATOR, True),
        *(_value(name, values[name]) for name in FIRST_FOUR),
        Piece(SEPARATOR, True),
        *_words(group),
        Piece(SEPARATOR, True),
        *_words(statement),
        Piece(SEPARATOR, True),
        _value(LAST, values[LAST]),
        Piece(END, True),
    ]


def prompt(post: str) -> list[Piece]:
    """Return the beginning of a line, which a model continues."""
    return [Piece(START, True), Piece(post, False), Piece(SEPARATOR, True)]


def parse(written: Sequence[str]) -> Parsed:
    """Read what follows a prompt: special tokens and words, as a model wrote them.

    Nothing is repaired: a value that is not where it belongs is absent, and ``whole`` says so.
    """
    values: dict[str, int] = {}
    parts = list(_parts(written))
    first = parts[0] if parts else []
    for name, token in zip(FIRST_FOUR, first, strict=False):
        _read_value(name, token, values)
    texts = ["".join(part).strip() for part in parts[1:3]]
    last = parts[3] if len(parts) > 3 else []
    for token in last[:1]:
        _read_value(LAST, token, values)
    specials = set(special_tokens())
    clean = all(token not in specials for part in parts[1:3] for token in part)
    whole = (
        len(parts) == 4
        and len(first) == len(FIRST_FOUR)
        and set(values) == set(CATEGORICAL)
        and last[1:] == [END]
        and clean
    )
    group, statement = (*texts, "", "")[:2]
    return Parsed(values, group if clean else "", statement if clean else "", whole)


def _parts(written: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for token in written:
        if token == SEPARATOR:
            yield part
            part = []
            continue
        part.append(token)
        if token == END:
            break
    yield part


def _value(name: str, value: int | None) -> Piece:
    return Piece(value_token(name, bool(value)), True, learn=value is not None)


def _words(text: str | None) -> list[Piece]:
    return [] if text is None else [Piece(text, False)]


def _read_value(name: str, token: str, values: dict[str, int]) -> None:
    for value in (0, 1):
        if token == value_token(name, value):
            values[name] = value
