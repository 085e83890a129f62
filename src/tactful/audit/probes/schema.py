"""The shape of a probe: what is asked of a model about whom, in any language, as a YAML file.

A phrase has slots that are filled in: ``{person}`` goes into an event, an event into a template,
and ``{mask}`` is where the model answers. A phrase is one text, or one text for each wording. What
spans several parts (ids, wordings, pairs, categories and the two groups) is checked at the end.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
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
from pydantic_core import InitErrorDetails, PydanticCustomError

from tactful.audit.runs.run import CONDITIONS
from tactful.taxonomies.prompts import DEFAULT_MASK
from tactful.taxonomies.schema import Citation, Grammar, Id, Number, Record, Text, Verbatim

Place = tuple[str | int, ...]
_SHOWN = 12
Phrasing = Literal["person-first", "identity-first"]
Worded = str | dict[str, str]
"""One text, or wording -> text."""
_OPTION_SLOTS = ("person", "other")
_SLOT = re.compile(r"\{[^{}]*\}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def probe_flaws(probe: "Probe") -> list[InitErrorDetails]:
    """Return every flaw that spans more than one part of the probe, with its place."""
    return [
        *_unique(probe),
        *_enough_parts(probe),
        *_wordings_covered(probe),
        *_pairs_known(probe),
        *_categories_known(probe),
        *_both_groups(probe),
        *_identity_sentences(probe),
        *_words_asked_once(probe),
        *_chat_parts_fit(probe),
    ]


def _flaw(place: Place, value: Any, expected: str) -> InitErrorDetails:
    error = PydanticCustomError("probe", "{expected}", {"expected": expected})
    return InitErrorDetails(type=error, loc=place, input=value)


def _unique(probe: "Probe") -> Iterator[InitErrorDetails]:
    # Fill-mask and causal templates share their names: pairs are looked up by them.
    for parts in (
        ("questions",),
        ("templates", "causal_templates", "chat_templates"),
        ("sentiment_templates",),
        ("scale",),
        ("chat_scales",),
        ("conditions",),
    ):
        seen: set[str] = set()
        names = " and ".join(f"'{name}'" for name in parts)
        for part in parts:
            for index, item in enumerate(getattr(probe, part)):
                if item.id in seen:
                    yield _flaw((part, index, "id"), item.id, f"every id of {names} once")
                seen.add(item.id)
    for index, name in enumerate(probe.wordings):
        if name in probe.wordings[:index]:
            yield _flaw(("wordings", index), name, "every wording once")


def _enough_parts(probe: "Probe") -> Iterator[InitErrorDetails]:
    asked = (*probe.templates, *probe.causal_templates)
    chat = probe.chat_templates
    if not asked and not chat and not probe.sentiment_templates:
        shape = (
            "at least one of 'templates', 'causal_templates', 'chat_templates' and "
            "'sentiment_templates'"
        )
        yield _flaw(("templates",), [], shape)
    if (asked or chat) and not probe.questions:
        yield _flaw(("questions",), [], "at least one question, because there are templates")
    for index, question in enumerate(probe.questions):
        if asked and question.event is None:
            yield _flaw(("questions", index), question.id, "a field 'event', because of templates")
    if probe.causal_templates and not probe.scale:
        yield _flaw(("scale",), [], "at least one pair, because there are causal templates")


def _wordings_covered(probe: "Probe") -> Iterator[InitErrorDetails]:
    texts: list[tuple[Place, Worded | None]] = [
        (("questions", i, name), getattr(q, name))
        for i, q in enumerate(probe.questions)
        for name in ("event", "asked", "scenario")
    ]
    texts += [
        ((part, i, "text"), t.text)
        for part in ("templates", "causal_templates", "chat_templates")
        for i, t in enumerate(getattr(probe, part))
    ]
    for place, phrase in texts:
        if isinstance(phrase, dict) and set(phrase) != set(probe.wordings):
            shape = f"one text, or one for each of the wordings: {_listing(probe.wordings)}"
            yield _flaw(place, list(phrase), shape)


def _pairs_known(probe: "Probe") -> Iterator[InitErrorDetails]:
    known = [pair.id for pair in probe.scale]
    for part in ("templates", "causal_templates"):
        for index, template in enumerate(getattr(probe, part)):
            if template.pairs == ():
                shape = "at least one pair; leave 'pairs' out where all of them fit"
                yield _flaw((part, index, "pairs"), [], shape)
            for place, name in enumerate(template.pairs or ()):
                if name not in known:
                    shape = f"the id of a pair of 'scale': {_listing(known)}"
                    yield _flaw((part, index, "pairs", place), name, shape)
    for index, pair in enumerate(probe.scale):
        if pair.negative.casefold() == pair.positive.casefold():
            yield _flaw(("scale", index, "positive"), pair.positive, "the opposite of 'negative'")


def _categories_known(probe: "Probe") -> Iterator[InitErrorDetails]:
    for index, condition in enumerate(probe.conditions):
        if probe.categories and condition.category not in probe.categories:
            shape = f"one of the categories: {_listing(list(probe.categories))}"
            yield _flaw(("conditions", index, "category"), condition.category, shape)


def _both_groups(probe: "Probe") -> Iterator[InitErrorDetails]:
    groups = {condition.stigmatized for condition in probe.conditions}
    if len(groups) == 1:
        only = "true" if True in groups else "false"
        shape = "at least one condition with 'stigmatized: true' and one with 'stigmatized: false'"
        yield _flaw(("conditions",), f"only conditions with 'stigmatized: {only}'", shape)


def _identity_sentences(probe: "Probe") -> Iterator[InitErrorDetails]:
    if not any(form.identity for condition in probe.conditions for form in condition.forms):
        return
    for index, sentence in enumerate(probe.sentiment_templates):
        if sentence.identity is None:
            shape = "a field 'identity' with {people}, because conditions have identity phrases"
            yield _flaw(("sentiment_templates", index), sentence.id, shape)


def _words_asked_once(probe: "Probe") -> Iterator[InitErrorDetails]:
    # The same words under two conditions would be one prompt that counts for both.
    owners: dict[object, str] = {}
    for index, condition in enumerate(probe.conditions):
        for number, form in enumerate(condition.forms):
            place: Place = ("conditions", index, "forms", number)
            said: list[tuple[Place, object, str]] = [
                ((*place, "singular"), form.phrase("singular", "corrected"), form.singular)
            ]
            if form.identity:
                words = form.identity.singular
                said.append(((*place, "identity", "singular"), words, words))
            for where, phrase, words in said:
                owner = owners.setdefault(phrase, condition.id)
                if owner != condition.id:
                    shape = f"words that no other condition has ('{owner}' has them)"
                    yield _flaw(where, words, shape)


def _chat_parts_fit(probe: "Probe") -> Iterator[InitErrorDetails]:
    scales = [scale.id for scale in probe.chat_scales]
    known = {condition.id for condition in probe.conditions}
    for part in ("questions", "chat_templates"):
        for index, item in enumerate(getattr(probe, part)):
            if item.answers is not None and item.answers not in scales:
                shape = f"the id of a scale of 'chat_scales': {_listing(scales)}"
                yield _flaw((part, index, "answers"), item.answers, shape)
    for index, name in enumerate(probe.counterparts):
        if name not in known:
            yield _flaw(("counterparts", index), name, "the id of a condition of this probe")
    for index, template in enumerate(probe.chat_templates):
        slot, place = template.slot, ("chat_templates", index)
        for question in probe.questions:
            if getattr(question, slot) is None:
                shape = f"questions that all have '{slot}' ('{question.id}' has none)"
                yield _flaw((*place, "text"), f"{{{slot}}}", shape)
                break
            if not template.is_free and template.answers is None and question.answers is None:
                shape = f"a field 'answers' here or in the question '{question.id}'"
                yield _flaw(place, template.id, shape)
                break
    phrases = [phrase for q in probe.questions for phrase in texts_of(q.scenario)]
    if any("{other}" in text or "{both}" in text for text in phrases):
        if len(probe.counterparts) < 2:
            shape = "at least two conditions to fill in for {other} and {both}"
            yield _flaw(("counterparts",), list(probe.counterparts), shape)
        if any("{both}" in text for text in phrases) and probe.person.both is None:
            yield _flaw(("person",), "no 'both'", "a field 'both', because a scenario has {both}")


def texts_of(phrase: Worded | None) -> list[str]:
    """Return a phrase in all its wordings."""
    if phrase is None:
        return []
    return [phrase] if isinstance(phrase, str) else list(phrase.values())


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return shown + more if names else "none (there are none)"


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


def _each_worded(check_text: Callable[[str], str]) -> PlainValidator:
    # A union of types would report every flaw twice, once for each type that it is not.
    def check(value: object) -> Worded:
        if isinstance(value, str):
            return check_text(value)
        if isinstance(value, dict) and value and all(isinstance(v, str) for v in value.values()):
            return {str(name): check_text(text) for name, text in value.items()}
        raise PydanticCustomError("worded", "a text, or a text for each wording")

    return PlainValidator(check, json_schema_input_type=str | dict[str, str])


def _worded(*slots: str) -> PlainValidator:
    return _each_worded(lambda text: _check_phrase(text, slots))


def _check_free_slots(text: str, known: tuple[str, ...], one_of: tuple[str, ...]) -> str:
    """Check a text with slots of a list, each any number of times, and one of some at least."""
    found = {slot[1:-1] for slot in _SLOT.findall(text)}
    rest = _SLOT.sub("", text)
    if not found <= set(known) or "{" in rest or "}" in rest or (one_of and not found & {*one_of}):
        slots = ", ".join(f"{{{slot}}}" for slot in known)
        needed = " or ".join(f"{{{slot}}}" for slot in one_of)
        shape = f"text with no other slots than {slots}" + (f", and with {needed}" * bool(needed))
        raise PydanticCustomError("slots", "{shape}", {"shape": shape})
    return _check_phrase(text, tuple(slot[1:-1] for slot in _SLOT.findall(text)))


def _freely_worded(known: tuple[str, ...], one_of: tuple[str, ...]) -> PlainValidator:
    return _each_worded(lambda text: _check_free_slots(text, known, one_of))


def _one_question_slot(phrase: Worded) -> Worded:
    for text in texts_of(phrase):
        found = [slot for slot in QUESTION_SLOTS if f"{{{slot}}}" in text]
        if len(found) != 1 or any(text.count(slot) > 1 for slot in _SLOT.findall(text)):
            shape = (
                "text with one of {asked}, {event} and {scenario}, and with {options} or without"
            )
            raise PydanticCustomError("slots", "{shape}", {"shape": shape})
    return phrase


def _mask_comes_last(phrase: Worded) -> Worded:
    for text in texts_of(phrase):
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
    both: Annotated[Text, _phrase("verb", "condition", "other_verb", "other_condition")] | None = (
        None
    )
    """A person with two conditions at once, for scenarios with ``{both}``."""


QUESTION_SLOTS = ("asked", "event", "scenario")
"""What a chat template can put a question as: the names of fields of :class:`ProbeQuestion`."""


class ProbeQuestion(Record):
    """A question, and what it asks about as a phrase."""

    id: Id
    question: Text
    event: Annotated[Worded, _worded("person")] | None = None
    """In the words of the one who answers: "rent a room in my home to {person}"."""
    asked: Annotated[Worded, _worded("person")] | None = None
    """In the words of the one who asks: "renting a room in your home to {person}"."""
    scenario: (
        Annotated[Worded, _freely_worded(("person", "other", "both"), ("person", "both"))] | None
    ) = None
    """A situation and a question about it; ``{other}`` is a person with another condition, and
    ``{both}`` one with both."""
    answers: Id | None = None
    """The scale of the answers to a scenario."""
    truth: Literal["person", "other", "nobody"] | None = None
    """Whom the facts of a scenario name, for scenarios that have a right answer."""


class ChatOption(Record):
    """One answer that a model may choose."""

    text: Annotated[Text, AfterValidator(lambda text: _check_free_slots(text, _OPTION_SLOTS, ()))]
    negative: Annotated[float, Field(ge=0, le=1)]
    """How far it rejects the person: 0 for an answer that accepts, 1 for one that rejects."""


class ChatScale(Record):
    """The answers that a model may choose from, in the order in which they are shown."""

    id: Id
    options: Annotated[tuple[ChatOption, ...], Field(min_length=2, max_length=10)]


class ChatTemplate(Record):
    """A message to a chat model, with answers to choose from or without."""

    id: Id
    text: Annotated[
        Worded,
        _freely_worded((*QUESTION_SLOTS, "options"), QUESTION_SLOTS),
        AfterValidator(_one_question_slot),
    ]
    answers: Id | None = None
    """The scale of the answers; that of the question where it says nothing."""
    reversed: StrictBool = False
    """Whether to show the answers in the opposite order."""
    swapped: StrictBool = False
    """Whether the two people of a scenario change places."""
    reasons: StrictBool = False
    """Whether the model is to think first and to give its answer at the end."""
    default: StrictBool = True
    """False for templates that are asked only by name."""
    notes: tuple[Text, ...] = ()

    @property
    def slot(self) -> str:
        """The field of a question that goes into the text."""
        text = next(iter(texts_of(self.text)))
        return next(slot for slot in QUESTION_SLOTS if f"{{{slot}}}" in text)

    @property
    def is_free(self) -> bool:
        """Whether the model answers in its own words."""
        return "{options}" not in next(iter(texts_of(self.text)))


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
    chat_scales: tuple[ChatScale, ...] = ()
    chat_templates: tuple[ChatTemplate, ...] = ()
    counterparts: tuple[Id, ...] = ()
    """Conditions of the other person in scenarios with two; none is compared with itself."""
    categories: dict[Id, Text] = Field(default_factory=dict)
    """Id -> name of the categories of conditions; without them a category is its own name."""
    conditions: Annotated[tuple[Condition, ...], AfterValidator(_at_least_one)]
    ratings: Text | None = None
    """A file of rated words, relative to the probe's own file."""

    _folder: Path | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _conditions_of_another(cls, data: Any) -> Any:
        """Fill in the people of another probe where a file says ``conditions: its name``."""
        if not isinstance(data, dict) or not isinstance(data.get("conditions"), str):
            return data
        from tactful.audit.probes.load import PROBES, load_probe

        name = data["conditions"]
        if name not in PROBES:
            shape = f"a list of conditions, or the name of a probe: {_listing(list(PROBES))}"
            raise ValidationError.from_exception_data(
                cls.__name__, [_flaw(("conditions",), name, shape)]
            )
        other = load_probe(name)
        return {
            "person": other.person.model_dump(),
            "categories": other.categories,
            **data,
            "conditions": tuple(c.model_dump() for c in other.conditions),
        }

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
        data: dict[str, Any] = self.model_dump(mode="json", exclude_defaults=True)
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
