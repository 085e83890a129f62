"""The members of a list in a JSON file, one after the other: all at once could take gigabytes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from tactful.files import open_text

_CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")


def json_list(path: Path) -> Iterator[Any]:
    """Yield each member of the list that a file holds; raise ValueError where it holds none."""
    with open_text(path) as handle:
        held = _Held(handle)
        held.take("[")
        if held.mark() == "]":
            held.take("]")
        else:
            yield held.value()
            while held.take(",]") == ",":
                yield held.value()
        held.take("")


class _Held:
    """The part of a file that is in memory, and how far it is read."""

    def __init__(self, handle: TextIO):
        self._handle, self._text, self._at = handle, "", 0

    def mark(self) -> str:
        """Return the next letter that is no space; an empty text at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = self._at if space is None else space.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """Go past the next letter, which must be one of these; an empty text stands for the end."""
        found = self.mark()
        if found not in (set(expected) or {""}):
            raise ValueError("no list")
        self._at += len(found)
        return found

    def value(self) -> Any:
        """Read the next value."""
        self.mark()
        while True:
            try:
                found, self._at = _DECODE(self._text, self._at)
            except RecursionError:
                raise ValueError("no list that can be read") from None
            except ValueError:
                # It may be whole further on.
                if not self._more():
                    raise ValueError("no list") from None
            else:
                return found

    def _more(self) -> bool:
        # As much again as is held: a long value is not read over and over.
        more = self._handle.read(max(_CHUNK, len(self._text) - self._at))
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)


_DECODE = json.JSONDecoder().raw_decode
