"""Wording and option lists from the taxonomies, for protocols that do not write their own.

A question whose id is in a taxonomy gets its wording, in the language of the protocol; an option
whose value is in a taxonomy gets its name.
"""

from dataclasses import dataclass

from tactful.annotation.protocol.records import Option
from tactful.taxonomies import taxonomy_names
from tactful.taxonomies.schema import AnyEntry, Taxonomy, VariableEntry
from tactful.taxonomies.translations import ORIGINAL, TRANSLATED, load_translated

GROUPS = "frame.groups"
"""The list of single groups that framers choose from."""
_HEADINGS = {
    "race": "Race and ethnicity",
    "gender": "Gender and sexuality",
    "culture": "Culture and religion",
    "disabled": "Disability and illness",
    "social": "Society and politics",
    "victim": "Victims",
    "body": "Body and age",
}
"""Of the categories of groups; the form of the paper has headings, too (figure 4)."""


@dataclass(frozen=True, slots=True)
class Words:
    """The wording of an id in a taxonomy; empty where it has none."""

    name: str = ""
    question: str = ""
    definition: str = ""
    example: str = ""
    scores: tuple[tuple[str, float], ...] = ()
    """Answer -> its number, for the variables of a frame."""


def words(name: str, lang: str) -> Words:
    """Return the wording of an id in a language."""
    entry = _entry(name, lang)
    if entry is None:
        return Words()
    scores = (
        tuple((answer.value, answer.number) for answer in entry.answers)
        if isinstance(entry, VariableEntry)
        else ()
    )
    return Words(entry.name, entry.question, entry.definition, entry.example, scores)


def named_list(name: str, lang: str) -> tuple[Option, ...] | None:
    """Return the options of a named list; None if there is none.

    ``pcl.categories`` and the like are the categories of a taxonomy, ``frame.groups`` the groups.
    """
    if name == GROUPS:
        from tactful.frames.groups import load_groups

        # A comma joins groups; annotators choose them one by one.
        groups = [group for group in load_groups() if "," not in group.name]
        return tuple(
            Option(group.name, group.name, heading=_HEADINGS[group.category]) for group in groups
        )
    prefix, _, rest = name.rpartition(".")
    taxonomy = _taxonomy(prefix, lang) if rest == "categories" else None
    if taxonomy is None or not taxonomy.categories():
        return None
    return tuple(
        Option(entry.id, entry.name, entry.definition) for entry in taxonomy.of_kind("category")
    )


def list_names(lang: str) -> list[str]:
    """Return the names of the lists in a language."""
    taxonomies = [f"{name}.categories" for name in taxonomy_names()]
    return [GROUPS, *(name for name in taxonomies if named_list(name, lang))]


def _entry(name: str, lang: str) -> AnyEntry | None:
    taxonomy = _taxonomy(name.partition(".")[0], lang)
    if taxonomy is None or name not in taxonomy.ids():
        return None
    return taxonomy.entry(name)


def _taxonomy(name: str, lang: str) -> Taxonomy | None:
    spoken = lang.partition("-")[0]
    if spoken == ORIGINAL:
        return load_translated(name) if name in taxonomy_names() else None
    return load_translated(name, spoken) if name in TRANSLATED.get(spoken, ()) else None
