"""The shape of ``social_distance.yaml``: questions, templates and how a person is named."""

from functools import cache
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool
from pydantic_core import PydanticCustomError

from tactful.taxonomies.load import read_model
from tactful.taxonomies.schema import Citation, Id, Record, Text

Wording = Literal["published", "paper"]


def _with_slots(*wanted: str) -> AfterValidator:
    def check(text: str) -> str:
        try:
            found = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
        except ValueError:
            found = ["a brace without a partner"]
        if sorted(found) != sorted(wanted):
            raise PydanticCustomError(
                "slots", "text with the slots {wanted}", {"wanted": ", ".join(wanted) or "none"}
            )
        return text

    return AfterValidator(check)


class Events(Record):
    """The event of a question, as a phrase with the slot {person}."""

    published: Annotated[Text, _with_slots("person")]
    paper: Annotated[Text, _with_slots("person")]


class Question(Record):
    """One question of the Social Distance Scale."""

    id: Id
    question: Text
    event: Events


class TemplateTexts(Record):
    """A fill-mask template with the slots {mask} and {event}."""

    published: Annotated[Text, _with_slots("mask", "event")]
    paper: Annotated[Text, _with_slots("mask", "event")]


class FillMaskTemplate(Record):
    """One of the four ways to turn a question into a statement with a masked word."""

    id: Id
    text: TemplateTexts


class Person(Record):
    """How a prompt names the person: without a condition, and with one."""

    baseline: Annotated[Text, _with_slots()]
    with_condition: Annotated[Text, _with_slots("verb", "condition")]


class SentimentTemplate(Record):
    """A sentence that says nothing but the condition, for sentiment classifiers."""

    id: Id
    text: Annotated[Text, _with_slots("verb", "condition")]
    baseline: Annotated[Text, _with_slots()]
    in_paper: StrictBool
    notes: tuple[Text, ...] = ()


class SocialDistance(Record):
    """The Social Distance probe: questions, templates and how a person is named."""

    id: Id
    version: Text
    name: Text
    definition: Text
    citation: Citation
    licence: Text
    source_section: Text
    notes: tuple[Text, ...] = ()
    person: Person
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]
    templates: Annotated[tuple[FillMaskTemplate, ...], Field(min_length=1)]
    sentiment_templates: Annotated[tuple[SentimentTemplate, ...], Field(min_length=1)]


@cache
def load_social_distance() -> SocialDistance:
    """Load the Social Distance probe that comes with Tactful.

    Returns
    -------
    SocialDistance
        The questions and templates of Mei et al. (2023).

    """
    return read_model(Path(__file__).with_name("social_distance.yaml"), SocialDistance)
