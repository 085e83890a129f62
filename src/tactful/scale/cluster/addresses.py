"""Addresses of files elsewhere: a root such as ``s3://bucket``, a path, and settings behind ``?``.

A path in an address may be written with ``%20`` and the like; what a file system lists is not.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from tactful.scale.tables.formats import Format, format_of
from tactful.scale.tables.sources import is_remote

_PARTS = re.compile(r"(\w[\w+.-]*://[^/?]*)/?(.*?)(\?\w+=.*)?", re.DOTALL)
"""A question mark followed by a name and ``=`` starts the settings; any other is a pattern."""
_KEPT = "/%*!$&'()+,;=:@~"
"""What the path of an address may hold as it is; a ``%`` was written by who wrote the address."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its three parts."""

    root: str
    path: str
    query: str = ""

    @property
    def address(self) -> str:
        """Return the address in the letters that every reader of addresses takes."""
        return f"{self.root}/{quote(self.path, safe=_KEPT)}{self.query}"

    def listed(self, inner: str, path: str) -> str:
        """Return the address of a file that a file system lists as ``path``.

        ``inner`` is what the file system calls this place. Some put the root's name before all
        paths, some a slash; whatever it is, it comes before the file's path, too.
        """
        own = unquote(self.path).strip("/")
        before = len(inner) - len(own) if inner.endswith(own) else 0
        return f"{self.root}/{quote(path[before:].lstrip('/'), safe='/')}{self.query}"


def split_address(name: str) -> Address:
    """Take an address apart."""
    found = _PARTS.fullmatch(name)
    if found is None:
        return Address(name, "")  # not an address; opening it raises the error
    root, path, query = found.groups()
    return Address(root, path, query or "")


def under(folder: str, name: str) -> str:
    """Return the path or address of a file in a folder; settings stay at the end."""
    if not is_remote(folder):
        return f"{folder.rstrip('/')}/{name}"
    place = split_address(folder)
    path = place.path.rstrip("/")
    return f"{place.root}/{f'{path}/' if path else ''}{name}{place.query}"


def beside(name: str, ending: str, own: str = "") -> str:
    """Return the path or address of a file beside another, with another ending than its own."""
    if not is_remote(name):
        return f"{name.rstrip('/').removesuffix(own)}{ending}"
    place = split_address(name)
    # The root of a store has nothing beside it.
    path = f"{place.path.rstrip('/').removesuffix(own)}{ending}".lstrip(".")
    return f"{place.root}/{path}{place.query}"


def is_under(name: str, folder: str) -> bool:
    """Say whether a path or address is in a folder, whatever settings follow them."""
    return _bare(name).startswith(f"{_bare(folder).rstrip('/')}/")


def _bare(name: str) -> str:
    if not is_remote(name):
        return name
    place = split_address(name)
    return f"{place.root}/{place.path}"


def format_at(name: str) -> Format | None:
    """Return the format that a file's name shows, for paths and addresses."""
    return format_of(split_address(name).path if is_remote(name) else name)
