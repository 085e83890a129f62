"""The shape of a term, and of those that a project adds, as pydantic models."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, StrictBool, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from tactful.taxonomies.schema import Record, Text
from tactful.terms.lexicon import (
    GUARDS,
    KINDS,
    LANGUAGES,
    LONGEST,
    NEXT,
    OWN_SOURCE,
    PLACEHOLDER,
    WORD,
    load_terms,
    variants,
)

_LONGEST_REASON = 160
_SHOWN = 60


def _pattern(text: str) -> str:
    try:
        found = variants(text)
    except ValueError as error:
        raise PydanticCustomError("notation", "{expected}", {"expected": str(error)}) from None
    for each in found:
        if each is not None and not 1 <= len(WORD.findall(each)) <= LONGEST:
            raise PydanticCustomError(
                "words", "one to {longest} words in each form", {"longest": LONGEST}
            )
    return text


def sentence(text: str) -> str:
    """Refuse a reason that is not one short sentence."""
    if not text.endswith(".") or len(text) > _LONGEST_REASON or "\n" in text:
        raise PydanticCustomError(
            "sentence",
            "one sentence of at most {longest} characters that ends with a full stop",
            {"longest": _LONGEST_REASON},
        )
    return text


Pattern = Annotated[Text, AfterValidator(_pattern)]
Patterns = Annotated[tuple[Pattern, ...], Field(min_length=1)]
Words = Annotated[tuple[Text, ...], Field(min_length=1)]


class TermRecord(Record):
    """One term; the fields are those of :class:`tactful.terms.lexicon.Term` and of its guard."""

    forms: Patterns
    replacements: Patterns
    reason: Text
    source: Text
    level: Literal["avoid", "advice"] = "avoid"
    after: Words | None = None
    before: Words | None = None
    not_after: Words | None = None
    not_before: Words | None = None
    near: Words | None = None
    not_near: Words | None = None
    noun: StrictBool = False
    lower: StrictBool = False
    match: tuple[Text, ...] = ()
    no_match: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _replacements_follow_the_forms(self) -> Self:
        numbers = {len(variants(form)) for form in self.forms} | {1}
        every = (each for form in self.forms for each in variants(form) if each is not None)
        shortest = min(len(WORD.findall(each)) for each in every)
        following = [NEXT in each for each in self.replacements]
        if any(following) and not (all(following) and self.before):
            raise PydanticCustomError(
                "next", "'{name}' in all replacements or in none, and then 'before'", {"name": NEXT}
            )
        for replacement in self.replacements:
            found = variants(replacement)
            if None in found:
                raise PydanticCustomError("absent", "replacements that exist in every variant")
            if any(int(number) > shortest for number in PLACEHOLDER.findall(replacement)):
                raise PydanticCustomError(
                    "placeholder",
                    "numbers in '{replacement}' of words that every form has",
                    {"replacement": replacement},
                )
            if not numbers <= {1, len(found)} and len(found) > 1:
                raise PydanticCustomError(
                    "variants",
                    "as many alternatives in '{replacement}' as in each form that has several",
                    {"replacement": replacement},
                )
        return self


class ProjectTerm(TermRecord):
    """A term that a project adds."""

    kind: Literal[KINDS]  # type: ignore[valid-type]  # the names are in one place
    reason: Annotated[Text, AfterValidator(sentence)]
    source: Text = OWN_SOURCE
    lang: Literal[LANGUAGES] | None = None  # type: ignore[valid-type]


def term_problems(tables: Sequence[object]) -> Iterator[tuple[int, str]]:
    """Yield the place in a project's list, and what is wrong, of each term that cannot be used."""
    for number, table in enumerate(tables):
        if not isinstance(table, Mapping):
            yield number, f"found {_shown(table)}; expected a table with 'forms' and 'replacements'"
            continue
        try:
            record = ProjectTerm.model_validate(table)
        except ValidationError as error:
            yield from ((number, _said(each)) for each in error.errors(include_url=False))
        else:
            yield from ((number, each) for each in _unknown_classes(record))


def _unknown_classes(record: ProjectTerm) -> Iterator[str]:
    langs = LANGUAGES if record.lang is None else (record.lang,)
    for name in GUARDS:
        words = getattr(record, name)
        for word in words if isinstance(words, tuple) else ():
            for lang in langs:
                known = load_terms(lang).classes
                if word.startswith("@") and word[1:] not in known:
                    listing = ", ".join(f"@{each}" for each in known)
                    yield f"found '{word}' in '{name}'; expected a word or one of {listing}"


def _said(detail: Any) -> str:
    name = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "missing":
        return f"found no '{name}'; expected every required field; add it"
    if detail["type"] == "extra_forbidden":
        known = ", ".join(ProjectTerm.model_fields)
        return f"found the field '{name}'; expected only {known}; rename or remove it"
    message = detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    found = _shown(detail["input"]) if name else "a term"
    place = f" as '{name}'" if name else ""
    return f"found {found}{place}; expected {message[:1].lower()}{message[1:]}"


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
