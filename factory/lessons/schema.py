"""What a file of lessons holds.

One file is the answer to one prompt: what a writer was asked to write. Files are written briefly:
``labels`` are those of every item that has none of its own, ``harmful`` those of the first text of
each contrast pair. :mod:`factory.lessons.load` writes them out.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

IDS = {
    "pcl": (
        "unbalanced_power_relations",
        "shallow_solution",
        "presupposition",
        "authority_voice",
        "metaphor",
        "compassion",
        "the_poorer_the_merrier",
    ),
    "unhealthy": (
        "antagonistic",
        "condescending",
        "dismissive",
        "generalisation",
        "generalisation_unfair",
        "hostile",
        "sarcastic",
    ),
    "toxicity": ("severe", "insult", "threat", "profanity", "identity_attack", "sexually_explicit"),
    "stereotype": (
        "xenophobia",
        "suffering",
        "economic",
        "migration",
        "culture",
        "benefits",
        "health",
        "security",
        "dehumanisation",
        "others",
        "implicit",
    ),
    "frame.offensive": (),
    "frame.group": (),
}
"""Root -> the ids below it."""
SPANISH_ONLY = "stereotype"
"""The root whose ids below it only Spanish lessons judge: the taxonomy is of Spanish comments."""
KNOWN = frozenset(IDS) | {f"{root}.{name}" for root, names in IDS.items() for name in names}

Kind = Literal[
    "contrast",  # pairs, harmful and harmless, that differ little
    "harmful",  # harmful texts without a twin
    "neutral",  # mentions of groups, conditions and nationalities
    "in_group",  # people speaking about themselves
    "quotation",  # quoting, reporting, negating or criticising harmful language
    "harsh_fact",  # hard facts in plain words
    "technical",  # trigger words in their technical sense
    "literary",  # dialogue and narration of novels
    "disagreement",  # firm and healthy
    "appeal",  # charity, health and news prose without condescension
]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Labels = Mapping[str, Annotated[float, Field(ge=0, le=1)]]


def ids_of(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the roots that the lessons of a language judge, each with the ids below it."""
    return IDS if language == "spanish" else {**IDS, SPANISH_ONLY: ()}


class Strict(BaseModel):
    """A record that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Labelled(Strict):
    """Labels of known ids; an id that is absent was not judged."""

    labels: Labels = Field(default_factory=dict)

    @field_validator("labels")
    @classmethod
    def _known(cls, labels: Labels) -> Labels:
        unknown = sorted(set(labels) - KNOWN)
        if unknown:
            raise ValueError(f"found the ids {', '.join(unknown)}; expected ids of schema.IDS")
        return labels


class Item(Labelled):
    """One text."""

    text: Text
    pair: str | None = None
    """The key that the texts of a contrast pair share."""
    marks: tuple[str, ...] = ()
    """Words of the text that carry the harm, as written there."""

    @model_validator(mode="after")
    def _marks_are_in_the_text(self) -> "Item":
        absent = [mark for mark in self.marks if mark not in self.text]
        if absent:
            raise ValueError(f"found the mark {absent[0]!r}, which is not in {self.text!r}")
        return self


class Pair(Strict):
    """A contrast pair: the same matter, put harmfully and put well."""

    harmful: Text
    harmless: Text
    labels: Labels = Field(default_factory=dict)
    """Further labels of the harmful text."""
    marks: tuple[str, ...] = ()


class LessonFile(Labelled):
    """One prompt and its answers."""

    prompt: Text
    kind: Kind
    licence: Literal["CC0-1.0"]
    part: Literal["train", "validation"]
    """The split is by prompt, so that a validation text has no sibling to learn from."""
    generated: bool = False
    """Whether a program filled names into patterns."""
    harmful: Labels = Field(default_factory=dict)
    """The labels of the harmful text of each pair."""
    items: tuple[Text | Pair | Item, ...] = Field(min_length=1)

    @field_validator("harmful")
    @classmethod
    def _known_too(cls, labels: Labels) -> Labels:
        return cls._known(labels)
