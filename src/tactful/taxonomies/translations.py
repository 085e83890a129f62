"""The words of the taxonomies in other languages: the same ids, and what people read of them.

A translation is a file ``<language>/<taxonomy>.yaml``. It says what its original says, entry by
entry and question by question; hierarchy, sources and counts stay in the original alone.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from tactful.registry import unknown_name
from tactful.taxonomies.load import listed_problems, load_taxonomy, read_model
from tactful.taxonomies.schema import Clause, Family, Id, Question, Record, Taxonomy, Text

ORIGINAL = "en"
TRANSLATED = {"es": ("pcl", "unhealthy", "toxicity", "frame", "stereotype", "term")}
"""Language -> the taxonomies that have a translation."""

_FOLDER = Path(__file__).parent
_OPENING = {"es": "¿"}
_WHEN = {"es": ("cuando ", "si ")}
"""How a clause must not begin: the explanations say it already."""


def _one_line(text: str) -> str:
    if "\n" in text or "  " in text:
        raise PydanticCustomError("one_line", "text on one line, with single spaces")
    return text


Words = Annotated[Text, AfterValidator(_one_line)]


class TranslatedEntry(Record):
    """What people read of one entry."""

    id: Id
    name: Words
    definition: Words
    question: Annotated[Question, AfterValidator(_one_line)]
    example: Words | None = None
    """None where the original's example is in this language already."""
    ask: tuple[Annotated[Question, AfterValidator(_one_line)], ...] = ()
    not_when: tuple[Annotated[Clause, AfterValidator(_one_line)], ...] = ()


class Translation(Record):
    """What people read of one taxonomy."""

    id: Id
    lang: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
    name: Words
    definition: Words
    not_this: tuple[Words, ...] = ()
    families: tuple[Family, ...] = ()
    entries: Annotated[tuple[TranslatedEntry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _written_as_the_language_wants(self) -> Self:
        opening, when = _OPENING.get(self.lang, ""), _WHEN.get(self.lang, ())
        for entry in self.entries:
            for question in (entry.question, *entry.ask):
                if not question.startswith(opening):
                    raise PydanticCustomError(
                        "opening_mark",
                        "questions that begin with '{opening}', not “{question}” of '{id}'",
                        {"opening": opening, "question": question, "id": entry.id},
                    )
            for clause in entry.not_when:
                if clause.lower().startswith(when):
                    raise PydanticCustomError(
                        "no_clause",
                        "clauses that go on after 'when', not “{clause}” of '{id}'",
                        {"clause": clause, "id": entry.id},
                    )
        return self


def load_translated(name: str, lang: str = ORIGINAL) -> Taxonomy:
    """Load a built-in taxonomy with its words in a language; all else is the original's.

    >>> load_translated("pcl", "es").entry("pcl.metaphor").name
    'Metáfora'
    """
    original = load_taxonomy(name)
    if lang == ORIGINAL:
        return original
    if lang not in TRANSLATED:
        raise unknown_name("language of the taxonomies", lang, [ORIGINAL, *TRANSLATED])
    if original.id not in TRANSLATED[lang] or original.id != name:
        raise unknown_name(f"taxonomy in '{lang}'", name, list(TRANSLATED[lang]))
    return _built_in(name, lang)


def read_translation(path: Path, original: Taxonomy) -> Taxonomy:
    """Read a translation and lay its words over the original; what does not fit is refused."""
    translation = read_model(path, Translation)
    flaws = _mismatches(original, translation)
    if flaws:
        raise listed_problems(path, flaws)
    return _laid_over(original, translation)


@cache
def _built_in(name: str, lang: str) -> Taxonomy:
    return read_translation(_FOLDER / lang / f"{name}.yaml", load_taxonomy(name))


def _mismatches(original: Taxonomy, translation: Translation) -> list[str]:
    found: list[str] = []

    def compare(what: str, given: object, wanted: object, action: str) -> None:
        if given != wanted:
            found.append(f"{what}: found {given}; expected {wanted}; {action}.")

    compare("id", translation.id, original.id, "correct it")
    for kind, ours, theirs in (
        ("entries", translation.entries, original.entries),
        ("families", translation.families, original.families),
    ):
        ids = [each.id for each in ours], [each.id for each in theirs]
        compare(kind, *ids, "keep the ids and the order of the original")
    compare("not_this", len(translation.not_this), len(original.not_this), "translate each of them")
    known = {entry.id: entry for entry in original.entries}
    for entry in translation.entries:
        source = known.get(entry.id)
        for field in ("ask", "not_when"):
            numbers = len(getattr(entry, field)), len(getattr(source, field, ()))
            if source is not None:
                compare(f"'{field}' of '{entry.id}'", *numbers, "translate each of them")
    return found


def _laid_over(original: Taxonomy, translation: Translation) -> Taxonomy:
    words = {entry.id: _given(entry) for entry in translation.entries}
    entries = tuple(entry.model_copy(update=words[entry.id]) for entry in original.entries)
    update = {**_given(translation), "families": translation.families, "entries": entries}
    return original.model_copy(update={key: update[key] for key in update if key != "lang"})


def _given(record: Record) -> dict[str, object]:
    return {key: getattr(record, key) for key in record.model_fields_set}
