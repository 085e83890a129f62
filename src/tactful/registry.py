"""Names that users type, and the objects behind them, imported only when asked for."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Generic, TypeVar, cast

from tactful.errors import UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """A table of names -> ``"module:object"``.

    >>> greetings = Registry[str]("greeting", {"doc": "tactful.registry:__doc__"})
    >>> greetings.get("doc").split()[0]
    'Names'
    """

    def __init__(self, kind: str, entries: Mapping[str, str]):
        self.kind = kind
        self._entries = dict(entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def names(self) -> list[str]:
        """Return the known names in the order they were written down."""
        return list(self._entries)

    def get(self, name: str) -> T:
        """Import and return what ``name`` stands for; an unknown name answers with the list."""
        target = self._entries.get(name)
        if target is None:
            raise unknown_name(self.kind, name, self.names())
        module, _, attribute = target.partition(":")
        return cast(T, getattr(import_module(module), attribute))


def unknown_name(kind: str, name: str, known: list[str]) -> UnknownNameError:
    """Build the error that names the nearest match and lists what is known."""
    by_folded_name = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), by_folded_name, n=1, cutoff=0.5)
    return UnknownNameError(kind, name, known, by_folded_name[close[0]] if close else None)
