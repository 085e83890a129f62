"""The shape of a taxonomy file: what every entry must say, as pydantic models.

Fields that belong together are checked here; what spans several entries (parents, families,
requirements, counts) is checked in :mod:`tactful.taxonomies.checks`.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tactful.registry import unknown_name
from tactful.taxonomies.checks import LABEL_KINDS, cross_problems

Grammar = Literal["corrected", "published"]
Number = Literal["singular", "plural"]

_ALLOWED_CONTROLS = "\n\t"


def _no_controls(text: str) -> str:
    # An escape sequence in a definition would be carried out by the reader's terminal.
    if any(ord(char) < 32 and char not in _ALLOWED_CONTROLS for char in text):
        raise PydanticCustomError("control_characters", "text without control characters")
    return text


Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_no_controls)
]
Verbatim = Annotated[str, StringConstraints(min_length=1), AfterValidator(_no_controls)]
"""Kept as the authors published it, spaces included."""


def _is_question(text: str) -> str:
    if not text.endswith("?"):
        raise PydanticCustomError("no_question", "a question that ends with '?'")
    return text


def _is_clause(text: str) -> str:
    # Explanations put it after "It is not this when" and end the sentence themselves.
    if text.endswith((".", "!", "?")) or text.lower().startswith(("when ", "not when ")):
        raise PydanticCustomError(
            "no_clause", "a clause that goes on after 'not when' and has no full stop"
        )
    return text


def _two_or_three(questions: tuple[str, ...]) -> tuple[str, ...]:
    if len(questions) not in (0, 2, 3):
        raise PydanticCustomError("number_of_questions", "two or three questions")
    return questions


Question = Annotated[Text, AfterValidator(_is_question)]
Clause = Annotated[Text, AfterValidator(_is_clause)]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$")]


class Record(BaseModel):
    """A frozen record that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Citation(Record):
    """The publication a taxonomy comes from."""

    title: Text
    authors: Annotated[tuple[Text, ...], Field(min_length=1)]
    year: StrictInt
    venue: Text


class Family(Record):
    """A group of entries that belong together; a family is never a label itself."""

    id: Id
    name: Text
    definition: Text


class BaseEntry(Record):
    """The fields of every entry."""

    id: Id
    name: Text
    definition: Text
    parent: Id | None = None
    family: Id | None = None
    question: Text
    example: Text
    example_gloss: Text | None = None
    """The example in English, where it is in another language."""
    source_section: Text
    source_names: tuple[Text, ...] = ()
    """Its column names and labels in the corpora."""
    notes: tuple[Text, ...] = ()


class GuidedEntry(BaseEntry):
    """An entry that can appear in a report, with questions that help writers judge their text."""

    ask: Annotated[tuple[Question, ...], AfterValidator(_two_or_three)] = ()
    """Two or three questions that writers can ask themselves."""
    not_when: tuple[Clause, ...] = ()
    """When a text is easily mistaken for this, each as what follows "not when"."""
    severity: Annotated[StrictInt, Field(ge=1, le=3)] | None = None
    """How grave it is: of what is found in one place, 3 comes first, and what has none last."""


class LabelEntry(GuidedEntry):
    """Something that a text can show: the root, a category below it, or an extra attribute."""

    kind: Literal["root", "category", "fallback", "attribute"]
    implies_parent: StrictBool = True
    """Whether a text that shows this entry shows its parent too."""


class Answer(Record):
    """One allowed answer of a categorical variable."""

    value: Text
    number: StrictFloat
    """How the corpus writes the answer."""
    binary: Literal[0, 1]


class Requirement(Record):
    """A condition on another variable; without ``values`` any answer of it will do."""

    variable: Id
    values: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None


class VariableEntry(GuidedEntry):
    """A variable of a frame, with its answers and what must hold before it can be set."""

    kind: Literal["variable"]
    type: Literal["categorical", "text"]
    token: Text
    """The short name in the linearised frame."""
    answers: tuple[Answer, ...] = ()
    requires: tuple[Requirement, ...] = ()
    """What must hold for a positive answer (or a text) to make sense."""

    @model_validator(mode="after")
    def _answers_fit_the_type(self) -> Self:
        if (self.type == "categorical") != bool(self.answers):
            wanted = "answers" if self.type == "categorical" else "no answers"
            raise PydanticCustomError(
                "answers", "a {type} variable with {wanted}", {"type": self.type, "wanted": wanted}
            )
        return self

    def answer(self, given: str | float) -> Answer | None:
        """Find the answer by its value or by the number the corpus uses; None if there is none."""
        for answer in self.answers:
            if given == (answer.value if isinstance(given, str) else answer.number):
                return answer
        return None


class Form(Record):
    """One way to say a condition: "someone who {verb} {singular}"."""

    verb: Literal["has", "is", "was", "had"]
    plural_verb: Literal["have", "are", "were", "had"]
    singular: Text
    plural: Text
    published_verb: Literal["has", "is", "was", "had"] | None = None
    published_plural_verb: Literal["have", "are", "were", "had"] | None = None
    published_singular: Verbatim | None = None
    published_plural: Verbatim | None = None

    def phrase(self, number: Number, grammar: Grammar) -> tuple[str, str]:
        """Return the verb and the words of the condition."""
        one = number == "singular"
        verb = self.verb if one else self.plural_verb
        words = self.singular if one else self.plural
        if grammar == "corrected":
            return verb, words
        published_verb = self.published_verb if one else self.published_plural_verb
        published_words = self.published_singular if one else self.published_plural
        return published_verb or verb, published_words or words


class ConditionEntry(BaseEntry):
    """A condition that people live with, stigmatized or not, and how the study says it."""

    kind: Literal["condition"]
    stigmatized: StrictBool
    published_name: Verbatim
    published_category: Verbatim
    forms: Annotated[tuple[Form, ...], Field(min_length=1)]


Entry = Annotated[LabelEntry | VariableEntry | ConditionEntry, Field(discriminator="kind")]
AnyEntry = LabelEntry | VariableEntry | ConditionEntry


class Taxonomy(Record):
    """A set of entries from one publication, with its citation and licence."""

    id: Id
    version: Text
    name: Text
    definition: Text
    languages: Annotated[tuple[Text, ...], Field(min_length=1)]
    citation: Citation
    licence: Text
    prefixes: tuple[Id, ...] = ()
    """The first parts that ids may have, where that is more than the taxonomy's own id."""
    families: tuple[Family, ...] = ()
    counts: dict[str, StrictInt] = Field(default_factory=dict)
    """How many entries of each kind (and ``families``) the publication has; checked."""
    linearisation: tuple[Annotated[tuple[Id, ...], Field(min_length=1)], ...] = ()
    """The order in which a frame is written, one inner list between two separators."""
    not_this: tuple[Text, ...] = ()
    """What is easily mistaken for the subject, but is not."""
    notes: tuple[Text, ...] = ()
    entries: Annotated[tuple[Entry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _entries_fit_together(self) -> Self:
        found = list(cross_problems(self.model_dump()))
        if found:
            sentences = "; ".join(f"{flaw.found} (expected {flaw.expected})" for flaw in found)
            raise PydanticCustomError("cross_checks", "{sentences}", {"sentences": sentences})
        return self

    def ids(self) -> list[str]:
        """Return the ids of all entries, in the order of the file."""
        return [entry.id for entry in self.entries]

    def entry(self, entry_id: str) -> AnyEntry:
        """Return one entry; for an unknown id, the error suggests the nearest one."""
        for entry in self.entries:
            if entry.id == entry_id:
                return entry
        raise unknown_name(f"entry of '{self.id}'", entry_id, self.ids())

    def family(self, family_id: str) -> Family:
        """Return one family; for an unknown id, the error suggests the nearest one."""
        for family in self.families:
            if family.id == family_id:
                return family
        raise unknown_name(f"family of '{self.id}'", family_id, [f.id for f in self.families])

    def children(self, entry_id: str | None) -> list[AnyEntry]:
        """Return the direct children of an entry, or the entries at the top for None."""
        if entry_id is not None:
            self.entry(entry_id)
        return [entry for entry in self.entries if entry.parent == entry_id]

    def hierarchy(self) -> dict[str, str | None]:
        """Return label -> parent, for hierarchical metrics; attributes are not part of it."""
        return {entry.id: entry.parent for entry in self.of_kind(*LABEL_KINDS)}

    def categories(self) -> list[str]:
        """Return the ids of the categories, without root, fallback and attributes."""
        return [entry.id for entry in self.of_kind("category")]

    def of_kind(self, *kinds: str) -> Iterable[AnyEntry]:
        """Yield the entries of the kinds, in the order of the file."""
        return (entry for entry in self.entries if entry.kind in kinds)
