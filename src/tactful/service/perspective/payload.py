"""Reading JSON as Google's servers read it: names in either style, and all mistakes at once.

A field may be written ``clientToken`` or ``client_token``; ``null`` is the same as leaving it out;
what is unknown or of another type is refused in Google's own words, but without the value, which
may be somebody's text.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence, Sized
from functools import cache
from typing import Any

from tactful.service.perspective.refusals import bad_payload, invalid, shown

_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_NOT_JSON = "Invalid JSON payload received."
_MOST_VIOLATIONS = 10
"""After these a request is refused: to read on would cost time, and make the answer long."""


def parse(body: bytes) -> Any:
    """Read a body; what is no JSON, or nested without end, is refused."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        raise bad_payload([("", f"{_NOT_JSON} Nested too deeply.")]) from None
    except ValueError:
        # json.JSONDecodeError and UnicodeDecodeError are among them; they would repeat the text.
        raise bad_payload([("", f"{_NOT_JSON} Expected an object in UTF-8.")]) from None


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def snake(name: str) -> str:
    """Return the name of a field as Google's messages write it.

    >>> snake("requestedAttributes")
    'requested_attributes'
    """
    return _CAMEL.sub(r"_\1", name).lower()


@cache
def _spellings(names: tuple[str, ...]) -> Mapping[str, str]:
    return {spelt: name for name in names for spelt in (name, snake(name))}


class Payload:
    """The fields of one JSON object and of those in it; collects what is wrong with them."""

    def __init__(self, value: Any, names: tuple[str, ...]):
        self._violations: list[tuple[str, str]] = []
        self.fields = self.message(value, "", names)

    def finish(self) -> None:
        """Refuse the request if anything was wrong."""
        if self._violations:
            raise bad_payload(self._violations)

    def message(self, value: Any, path: str, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the fields of an object by their camelCase names; null ones are left out."""
        if value is None and path:
            return {}
        if not isinstance(value, dict):
            self._wrong(path, "TYPE_MESSAGE")
            return {}
        known = _spellings(names)
        found = {}
        for name, cell in value.items():
            if name not in known:
                place = f" at '{path}'" if path else ""
                self._note(
                    path, f'{_NOT_JSON} Unknown name "{shown(name)}"{place}: Cannot find field.'
                )
            elif cell is not None:
                found[known[name]] = cell
        return found

    def mapping(self, value: Any, path: str, most: int) -> Mapping[str, Any]:
        """Return an object whose names are the client's own; more than ``most`` are refused."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._wrong(path, "TYPE_MESSAGE")
            return {}
        _check_count(value, path, most)
        for name in value:
            self._check_letters(name, path)
        return value

    def array(self, value: Any, path: str, most: int) -> list[Any]:
        """Return a list; nothing is an empty one, and more than ``most`` values are refused."""
        if value is None:
            return []
        if not isinstance(value, list):
            self._wrong(path, "TYPE_ARRAY")
            return []
        _check_count(value, path, most)
        return value

    def string(self, value: Any, path: str, required: bool = False) -> str | None:
        """Return a string that can be written as UTF-8."""
        if value is None and not required:
            return None
        if not isinstance(value, str):
            self._wrong(path, "TYPE_STRING")
            return None
        self._check_letters(value, path)
        return value

    def boolean(self, value: Any, path: str) -> bool:
        """Return a boolean; nothing is false."""
        if value is None or isinstance(value, bool):
            return bool(value)
        self._wrong(path, "TYPE_BOOL")
        return False

    def number(self, value: Any, path: str) -> float | None:
        """Return a finite number; Google also takes one in quotes."""
        if value is None:
            return None
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            try:
                found = float(value)
            except (ValueError, OverflowError):
                found = math.nan
            if math.isfinite(found):
                return found
        self._wrong(path, "TYPE_FLOAT")
        return None

    def whole_number(self, value: Any, path: str) -> int | None:
        """Return a whole number of at most 32 bits."""
        found = self.number(value, path)
        if found is None:
            return None
        if found != int(found) or abs(found) >= 1 << 31:
            self._wrong(path, "TYPE_INT32")
            return None
        return int(found)

    def choice(self, value: Any, path: str, names: Sequence[str]) -> str | None:
        """Return one of some names; the first stands for nothing said."""
        found = self.string(value, path)
        if found is not None and found not in names:
            self._wrong(path, "TYPE_ENUM")
            return None
        return None if found == names[0] else found

    def _check_letters(self, value: str, path: str) -> None:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            self._wrong(path, "TYPE_STRING, half of a surrogate pair")

    def _wrong(self, path: str, expected: str) -> None:
        self._note(path, f"Invalid value at '{path}' ({expected})")

    def _note(self, path: str, sentence: str) -> None:
        self._violations.append((path, sentence))
        if len(self._violations) == _MOST_VIOLATIONS:
            self.finish()


def _check_count(values: Sized, path: str, most: int) -> None:
    """Refuse too many values before any of them is looked at."""
    if len(values) > most:
        raise invalid(f"Found {len(values)} values at '{path}'; expected at most {most}.")
