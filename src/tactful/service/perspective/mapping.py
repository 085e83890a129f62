"""Which of our ids each attribute of the Perspective API is scored by; the table is data.

Three kinds of rows: an attribute that is scored by an id, in every language whose detector has the
id; another name of such an attribute; and an attribute that we cannot score, with the nearest one
that we can.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tactful.errors import FileFormatError
from tactful.yaml_data import read_yaml

TABLE = Path(__file__).with_name("attributes.yaml")
_OWN_NAME = "It is this id by its own name."
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
    id: str | None = None
    """The id that it is scored by; None for an attribute that we cannot score."""
    nearest: str | None = None
    """For an attribute without an id: the nearest one that can be scored."""
    same_as: str | None = None

    def id_for(self, ids: Collection[str]) -> str | None:
        """Return the id by which a detector with these ids scores it, if it does.

        >>> attributes()["THREAT"].id_for(["toxicity.threat"])
        'toxicity.threat'
        """
        return self.id if self.id in ids else None


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
    rows = read_yaml(path)["attributes"]
    found: dict[str, Attribute] = {}
    for name, row in rows.items():
        source = rows.get(row["same_as"]) if "same_as" in row else row
        if source is None or "same_as" in source:
            raise _bad(path, name, "'same_as' that names no scored attribute")
        found[name] = Attribute(
            name,
            " ".join(source["meaning"].split()),
            " ".join(row.get("reason", _OWN_NAME).split()),
            row.get("origin", "perspective"),
            source.get("id"),
            source.get("nearest"),
            row.get("same_as"),
        )
    for name, each in found.items():
        near = found[each.nearest] if each.nearest else None
        if not each.id and not (near and near.id):
            raise _bad(path, name, "neither an 'id' nor a 'nearest' attribute that is scored")
    return found


def _bad(path: Path, name: str, found: str) -> FileFormatError:
    return FileFormatError(
        f"{path}: found {found} at '{name}'; expected a row of the table of attributes; correct it."
    )
