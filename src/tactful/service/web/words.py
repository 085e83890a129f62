"""The words of the web app in each of its languages, and the language that a reader prefers.

They are data (``words/en.yaml`` and ``words/es.yaml``), for templates and scripts alike; what the
taxonomies say comes from the taxonomies.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tactful.checking.reports.run import GROUPS
from tactful.taxonomies.schema import LabelEntry, VariableEntry
from tactful.taxonomies.translations import load_translated
from tactful.yaml_data import read_yaml

LANGUAGES = ("en", "es")
"""The first one is the default."""

Entry = str | Mapping[str, str]
"""A text, or one text for a ``count`` of one and another for all other counts."""
_FOLDER = Path(__file__).parent / "words"
_WISH = re.compile(r"\s*([a-zA-Z]{1,8})(?:-[\w-]*)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?")


@dataclass(frozen=True, slots=True)
class Words:
    """All words in one language; call it with a key such as ``write.open``."""

    lang: str
    sections: Mapping[str, Mapping[str, Entry]]

    def __call__(self, key: str) -> str:
        """Return the words of a key."""
        section, _, name = key.partition(".")
        found = self.sections[section][name]
        if not isinstance(found, str):
            raise TypeError(f"The words of '{key}' depend on a count, which only scripts know.")
        return found


@cache
def words_in(lang: str) -> Words:
    """Return the words in one of :data:`LANGUAGES`."""
    return Words(lang, read_yaml(_FOLDER / f"{lang}.yaml"))


@cache
def entries_in(lang: str) -> dict[str, dict[str, Any]]:
    """Return what a page says about each id: its entry in the taxonomy, and our question."""
    think = words_in(lang).sections["think"]
    return {
        entry.id: {
            "name": entry.name,
            "definition": entry.definition,
            "ask": list(entry.ask),
            "notWhen": list(entry.not_when),
            "example": entry.example,
            "source": entry.source_section,
            "think": think[entry.id],
        }
        for group in GROUPS
        for entry in load_translated(group, lang).entries
        if isinstance(entry, LabelEntry | VariableEntry)
    }


@cache
def families_in(lang: str) -> dict[str, str]:
    """Return short names of the families of findings, in the order of their colours."""
    return {group: words_in(lang)(f"family.{group}") for group in GROUPS}


def wanted_language(*wishes: str | None) -> str:
    """Return the first supported language among wishes, each of which is a name or a list.

    A list is what browsers send as ``Accept-Language``:

    >>> wanted_language(None, "fr", "de;q=0.5, es-MX;q=0.9, en;q=0.8")
    'es'
    """
    for wish in wishes:
        found = [
            (float(match[2] or 1), -at, match[1].lower())
            for at, part in enumerate((wish or "").split(",")[:20])
            if (match := _WISH.fullmatch(part))
        ]
        for quality, _, lang in sorted(found, reverse=True):
            if quality and lang in LANGUAGES:
                return lang
    return LANGUAGES[0]
