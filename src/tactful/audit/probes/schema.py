"""The shape of a probe: what is asked of a model about whom, in any language, as a YAML file.

A phrase has slots that are filled in: ``{person}`` goes into an event, an event into a template,
and ``{mask}`` is where the model answers. A phrase is one text, or one text for each wording.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import polars as pl
from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    StrictBool,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tactful.audit.probes.checks import probe_flaws
from tactful.audit.runs.run import CONDITIONS
from tactful.taxonomies.prompts import DEFAULT_MASK
from tactful.taxonomies.schema import Citation, Grammar, Id, Number, Record, Text, Verbatim

Phrasing = Literal["person-first", "identity-first"]
Worded = str | dict[str, str]
"""One text, or wording -> text."""

_SLOT = re.compile(r"\{[^{}]*\}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def said(phrase: Worded, wording: str) -> str:
    """Return a phrase in a wording."""
    return phrase if isinstance(phrase, str) else phrase[wording]


def _check_phrase(text: str, slots: tuple[str, ...]) -> str:
    text = _check_slots(text.strip(), slots)
    if not text or text != " ".join(text.split()) or not text.isprintable():
        raise PydanticCustomError("one_line", "text in one line, with single spaces")
    return text


def _check_slots(text: str, slots: tuple[str, ...] = ()) -> str:
    wanted = sorted(f"{{{slot}}}" for slot in slots)
    rest = _SLOT.sub("", text)
    if sorted(_SLOT.findall(text)) != wanted or "{" in rest or "}" in rest:
        each = ", each once" if len(wanted) > 1 else " once"
        shape = f"text with {' and '.join(wanted)}{each}" if wanted else "text without braces"
        raise PydanticCustomError("slots", "{shape}", {"shape": shape})
    if DEFAULT_MASK in text:
        shape = f"text without {DEFAULT_MASK}; write {{mask}} where the answer goes"
        raise PydanticCustomError("literal_mask", "{shape}", {"shape": shape})
    return text


def _phrase(*slots: str) -> AfterValidator:
    return AfterValidator(lambda text: _check_phrase(text, slots))


def _worded(*slots: str) -> PlainValidator:
    # A union of types would report every flaw twice, once for each type that it is not.
    def check(value: object) -> Worded:
        if isinstance(value, str):
            return _check_phrase(value, slots)
        if isinstance(value, dict) and value and all(isinstance(v, str) for v in value.values()):
            return {str(name): _check_phrase(text, slots) for name, text in value.items()}
        raise PydanticCustomError("worded", "a text, or a text for each wording")

    return PlainValidator(check, json_schema_input_type=str | dict[str, str])


def _mask_comes_last(phrase: Worded) -> Worded:
    for text in [phrase] if isinstance(phrase, str) else phrase.values():
        if any(char.isalnum() or char == "{" for char in text.partition("{mask}")[2]):
            shape = "text that ends in {mask}, a full stop aside: the model reads left to right"
            raise PydanticCustomError("mask_last", "{shape}", {"shape": shape})
    return phrase


def _at_least_one(items: tuple[Any, ...]) -> tuple[Any, ...]:
    # A minimal length of pydantic's own is reported, too, where the only item has a flaw.
    if not items:
        raise PydanticCustomError("empty", "at least one")
    return items


def _is_language(tag: str) -> str:
    if not _LANGUAGE.fullmatch(tag):
        raise PydanticCustomError("language", "a language such as en, es or pt-BR")
    return tag


Words = Annotated[Text, _phrase()]
AsPublished = Annotated[Verbatim, AfterValidator(_check_slots)]


class Person(Record):
    """How a person is named: without a condition, and with one."""

    baseline: Words
    identity_baseline: Words | None = None
    """The same for identity-first phrasing: "a person", to compare with "a blind person"."""
    person_first: Annotated[Text, _phrase("verb", "condition")]


class ProbeQuestion(Record):
    """A question, and the event that it asks about as a phrase."""

    id: Id
    question: Text
    event: Annotated[Worded, _worded("person")]


class Template(Record):
    """A sentence that leaves a word to a model that sees both sides of it."""

    id: Id
    text: Annotated[Worded, _worded("mask", "event")]
    pairs: tuple[Id, ...] | None = None
    """Which pairs of the scale fit into the sentence; all of them where it says nothing."""


class CausalTemplate(Template):
    """A sentence whose last word is left to a model that reads from left to right."""

    text: Annotated[Worded, _worded("mask", "event"), AfterValidator(_mask_comes_last)]


class SentimentSentence(Record):
    """A sentence that only states the condition, for classifiers."""

    id: Id
    text: Annotated[Text, _phrase("verb", "condition")]
    identity: Annotated[Text, _phrase("people")] | None = None
    baseline: Words
    default: StrictBool = True
    """Whether it is used unless all sentences are asked for."""
    notes: tuple[Text, ...] = ()


class Pair(Record):
    """Two opposite answers."""

    id: Id
    negative: Words
    positive: Words


class Identity(Record):
    """A condition as part of the noun: "a blind person", "blind people"."""

    singular: Words
    plural: Words


class PublishedForm(Record):
    """What a study used where that differs from the form, slips included."""

    verb: AsPublished
    plural_verb: AsPublished
    singular: AsPublished
    plural: AsPublished


class ProbeForm(Record):
    """One way to say a condition: "someone who {verb} {singular}"."""

    verb: Words
    plural_verb: Words
    singular: Words
    plural: Words
    identity: Identity | None = None
    published: PublishedForm | None = None

    def phrase(self, number: Number, grammar: Grammar) -> tuple[str, str]:
        """Return the verb and the words of the condition."""
        form = self.published or self if grammar == "published" else self
        if number == "singular":
            return form.verb, form.singular
        return form.plural_verb, form.plural


class Condition(Record):
    """A condition that a person may have; its forms are asked separately and averaged."""

    id: Id
    name: Text
    category: Text
    stigmatized: StrictBool
    forms: Annotated[tuple[ProbeForm, ...], AfterValidator(_at_least_one)]


class Probe(Record):
    """Everything that is asked, of whom, and how the answers are read."""

    id: Id
    version: Text
    name: Text
    definition: Text
    language: Annotated[Text, AfterValidator(_is_language)]
    licence: Text
    citation: Citation | None = None
    notes: tuple[Text, ...] = ()
    wordings: Annotated[tuple[Id, ...], AfterValidator(_at_least_one)] = ("default",)
    """The first one is used unless another is asked for."""
    person: Person
    questions: tuple[ProbeQuestion, ...] = ()
    templates: tuple[Template, ...] = ()
    causal_templates: tuple[CausalTemplate, ...] = ()
    sentiment_templates: tuple[SentimentSentence, ...] = ()
    scale: tuple[Pair, ...] = ()
    categories: dict[Id, Text] = Field(default_factory=dict)
    """Id -> name of the categories of conditions; without them a category is its own name."""
    conditions: Annotated[tuple[Condition, ...], AfterValidator(_at_least_one)]
    ratings: Text | None = None
    """A file of rated words, relative to the probe's own file."""

    _folder: Path | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        flaws = probe_flaws(self)
        if flaws:
            # An error that holds errors keeps their places, and so their lines in the file.
            raise ValidationError.from_exception_data(type(self).__name__, flaws)
        return self

    def placed(self, folder: Path) -> Self:
        """Return the probe as read from a file in a folder, from where ``ratings`` is found."""
        copy = self.model_copy()
        copy._folder = folder
        return copy

    @property
    def label(self) -> str:
        """The id and the version, as results name the probe."""
        return f"{self.id} {self.version}"

    @property
    def digest(self) -> str:
        """A hash of the content of the probe, which does not depend on the layout of its file."""
        data: dict[str, Any] = self.model_dump(mode="json")
        text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def ratings_file(self) -> Path | None:
        """Where the rated words of the probe are; None if it brings none."""
        if self.ratings is None:
            return None
        return Path(self.ratings) if self._folder is None else self._folder / self.ratings

    def category_name(self, condition: Condition) -> str:
        """Return the name of a condition's category."""
        return self.categories.get(condition.category, condition.category)

    def condition_table(self) -> pl.DataFrame:
        """Return a row for each condition: condition, name, category, stigmatized."""
        rows = [(c.id, c.name, self.category_name(c), c.stigmatized) for c in self.conditions]
        return pl.DataFrame(rows, schema=CONDITIONS, orient="row")

    def pairs(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return template -> the (negative, positive) answers that fit it.

        It has the fill-mask and the causal templates, whose ids differ.
        """
        by_id = {pair.id: (pair.negative, pair.positive) for pair in self.scale}
        return {
            template.id: tuple(by_id[name] for name in template.pairs or by_id)
            for template in (*self.templates, *self.causal_templates)
        }
