"""Which of our ids each attribute of the Perspective API is scored by; the table is data.

Three kinds of rows: an attribute that we score, in one language or more; another name of such an
attribute; and an attribute that we cannot score, with the nearest one that we can. A row of any
kind can name an id with the same definition: a detector that scores this id is asked for it, and
the rest of the row is for the other detectors.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from tactful.errors import FileFormatError

TABLE = Path(__file__).with_name("attributes.yaml")
_VERSION = re.compile(r"@(?:latest|[0-9]{1,6})\Z")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute by the name that clients send."""

    name: str
    meaning: str
    """What it means, in our words."""
    reason: str
    """Why it is mapped as it is, or why it is not."""
    origin: str
    """``perspective`` or ``tactful``: where the name comes from."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """Language -> id; empty for an attribute that only detectors with ``own`` can score."""
    nearest: str | None = None
    """For an attribute without ids: the nearest one that can be scored."""
    same_as: str | None = None
    own: str | None = None
    """The id with the same definition, for detectors that score it, in any language."""

    def id_for(self, lang: str, ids: Collection[str]) -> str | None:
        """Return the id by which a detector with these ids scores it in a language, if any.

        >>> attributes()["THREAT"].id_for("en", ["toxicity.threat"])
        'toxicity.threat'
        """
        if self.own is not None and self.own in ids:
            return self.own
        found = self.ids.get(lang)
        return found if found in ids else None


def bare_name(name: str) -> str:
    """Return an attribute's name without the version that may follow it.

    >>> bare_name("TOXICITY@6")
    'TOXICITY'
    """
    return _VERSION.sub("", name)


@cache
def attributes() -> Mapping[str, Attribute]:
    """Return all attributes of the table by name."""
    return read_attributes(TABLE)


def find_attribute(name: str) -> Attribute | None:
    """Return the attribute that a client names, or None if it is unknown."""
    return attributes().get(bare_name(name))


def read_attributes(path: Path) -> dict[str, Attribute]:
    """Read a table of attributes; an invalid row is an error that names it."""
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))["attributes"]
    found: dict[str, Attribute] = {}
    for name, row in rows.items():
        source = rows.get(row["same_as"]) if "same_as" in row else row
        if source is None or "same_as" in source:
            raise _bad(path, name, "'same_as' that names no scored attribute")
        found[name] = Attribute(
            name,
            " ".join(source["meaning"].split()),
            " ".join(row["reason"].split()),
            row.get("origin", "perspective"),
            source.get("scores", {}),
            row.get("nearest") or source.get("nearest"),
            row.get("same_as"),
            source.get("id"),
        )
    for name, each in found.items():
        near = found[each.nearest] if each.nearest else None
        if not each.ids and not (near and (near.ids or near.own)):
            raise _bad(path, name, "neither 'scores' nor a 'nearest' attribute that is scored")
    return found


def _bad(path: Path, name: str, found: str) -> FileFormatError:
    return FileFormatError(
        f"{path}: found {found} at '{name}'; expected a row of the table of attributes; correct it."
    )
