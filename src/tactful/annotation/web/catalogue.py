"""The words of the annotators' pages, in each language that the app speaks.

They are data (``words/en.yaml`` and ``words/es.yaml``), for templates and scripts alike. The
owner's pages are in English. So are the sentences that the rest of Tactful says; those that an
annotator can meet at work are known here, and said in the language of the page.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ENGLISH = "en"
LANGUAGES: tuple[str, ...] = (ENGLISH, "es")

Entry = str | Mapping[str, str]
"""A text, or one for a ``count`` of one and another for all others."""
_FOLDER = Path(__file__).parent / "words"
_NARROW_SPACE = "\u202f"
_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All words in one language; called with a key, it says them."""

    lang: str
    sections: Mapping[str, Mapping[str, Entry]]

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the words of a key such as ``work.save``, with the values put in."""
        section, _, name = key.partition(".")
        entry = self.sections[section][name]
        if not isinstance(entry, str):
            entry = entry["one" if values["count"] == 1 else "other"]
        return entry.format_map({name: self._written(value) for name, value in values.items()})

    def context(self, name: str) -> str:
        """Return what a context is called; one that only its protocol knows has its own name."""
        known = self.sections["context"]
        return self(f"context.{name}") if name in known else name

    def say(self, sentence: str) -> str:
        """Return a sentence of the server in this language; one that is not known stays."""
        for key, pattern in _known_sentences():
            if found := pattern.fullmatch(sentence):
                values: dict[str, Any] = found.groupdict()
                if "count" in values:
                    values["count"] = int(values["count"].replace(",", ""))
                return self(key, **values)
        return sentence

    def _written(self, value: object) -> str:
        if not isinstance(value, int):
            return str(value)
        if self.lang == ENGLISH:
            return f"{value:,}"
        return f"{value:,}".replace(",", _NARROW_SPACE) if value >= 10_000 else str(value)


def catalogue(lang: str) -> Catalogue:
    """Return the words for a language such as ``es`` or ``es-MX``; English for any other."""
    spoken = lang.partition("-")[0]
    return _read(spoken if spoken in LANGUAGES else ENGLISH)


@cache
def _read(lang: str) -> Catalogue:
    text = (_FOLDER / f"{lang}.yaml").read_text(encoding="utf-8")
    return Catalogue(lang, yaml.safe_load(text))


@cache
def _known_sentences() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each sentence of the server that has a key, as a pattern of what it says."""
    said = _read(ENGLISH).sections["said"]
    return tuple((f"said.{name}", _pattern(entry)) for name, entry in said.items())


def _pattern(entry: Entry) -> re.Pattern[str]:
    template = entry if isinstance(entry, str) else entry["other"]
    return re.compile(_PLACEHOLDER.sub(r"(?P<\1>[\\d,]+)", re.escape(template)))
