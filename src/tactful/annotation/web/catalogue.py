"""The texts of the annotators' pages in each language.

They are data (``words/en.yaml`` and ``words/es.yaml``), for templates and scripts. The owner's
pages are in English, and so are Tactful's messages; those that annotators can see are translated
here.
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
"""A text, or one text for a ``count`` of one and another for all other counts."""
_FOLDER = Path(__file__).parent / "words"
_NARROW_SPACE = "\u202f"
_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All texts in one language; call it with a key."""

    lang: str
    sections: Mapping[str, Mapping[str, Entry]]

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the text of a key such as ``work.save``, with values inserted."""
        section, _, name = key.partition(".")
        entry = self.sections[section][name]
        if not isinstance(entry, str):
            entry = entry["one" if values["count"] == 1 else "other"]
        return entry.format_map({name: self._written(value) for name, value in values.items()})

    def context(self, name: str) -> str:
        """Return the translated name of a context; unknown names stay."""
        known = self.sections["context"]
        return self(f"context.{name}") if name in known else name

    def say(self, sentence: str) -> str:
        """Translate a message of the server; an unknown one stays."""
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
    """Return the translated messages of the server as patterns."""
    said = _read(ENGLISH).sections["said"]
    return tuple((f"said.{name}", _pattern(entry)) for name, entry in said.items())


def _pattern(entry: Entry) -> re.Pattern[str]:
    template = entry if isinstance(entry, str) else entry["other"]
    return re.compile(_PLACEHOLDER.sub(r"(?P<\1>[\\d,]+)", re.escape(template)))
