"""Reading JSON as Google's servers read it: names in either style, and all mistakes together.

A field may be written ``clientToken`` or ``client_token``; ``null`` is the same as leaving it out;
an unknown field or another type is refused in Google's words, but without the value, which may be
a user's text.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence, Sized
from contextlib import suppress
from functools import cache
from typing import Any

from tactful.service.perspective.discovery import schemas
from tactful.service.perspective.loose_json import strict_json
from tactful.service.perspective.refusals import bad_payload, invalid, shown

TEXT_TYPES = ("TEXT_TYPE_UNSPECIFIED", "PLAIN_TEXT", "HTML")
_MOST = {
    # Without a limit, a request could name any number of versions (``NAME@1``, ``NAME@2`` …).
    "requested_attributes": 200,
    "attribute_scores": 200,
    "span_scores": 1_000,
    "languages": 20,
    # Earlier comments in the context, which are checked but not used.
    "entries": 200,
}
"""The most values of each field that is a list or a mapping."""
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_NOT_JSON = "Invalid JSON payload received."
_MOST_VIOLATIONS = 10
"""After this many, a request is refused: more would take time and make the answer long."""


def parse(body: bytes) -> Any:
    """Parse a body; invalid JSON, or JSON that is nested too deeply, is refused.

    Objects as JavaScript writes them are read, too, as the quickstart of Perspective sends them.
    """
    try:
        text = body.decode("utf-8-sig")  # some clients begin with a byte-order mark
        try:
            return _loads(text)
        except ValueError:
            return _loads(strict_json(text))
    except RecursionError:
        raise bad_payload([("", f"{_NOT_JSON} Nested too deeply.")]) from None
    except ValueError:
        # json.JSONDecodeError and UnicodeDecodeError are among them; they would repeat the text.
        raise bad_payload([("", f"{_NOT_JSON} Expected an object in UTF-8.")]) from None


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


@cache
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
    """Reads a body by the schemas of the discovery document; collects what is wrong with it."""

    def __init__(self) -> None:
        self._violations: list[tuple[str, str]] = []

    def finish(self) -> None:
        """Refuse the request if anything was wrong."""
        if self._violations:
            raise bad_payload(self._violations)

    def read(self, value: Any, schema: Mapping[str, Any], path: str = "") -> Any:
        """Return a value as its schema describes it; None where it is missing or wrong.

        Fields of an object have their camelCase names; those of other objects are the client's.
        """
        if value is None and path:
            return None
        schema = schemas()[schema["$ref"]] if "$ref" in schema else schema
        found: Any
        match schema["type"]:
            case "object" if "properties" in schema:
                found = self._message(value, schema["properties"], path)
            case "object":
                found = self._mapping(value, schema["additionalProperties"], path)
            case "array":
                found = self._array(value, schema["items"], path)
            case "string":
                found = self._string(value, path, schema.get("enum", ()))
            case "boolean":
                found = value if isinstance(value, bool) else self._wrong(path, "TYPE_BOOL")
            case kind:
                found = self._number(value, path, whole=kind == "integer")
        return found

    def _message(self, value: Any, properties: Mapping[str, Any], path: str) -> Any:
        if not isinstance(value, dict):
            return self._wrong(path, "TYPE_MESSAGE", {})
        known = _spellings(tuple(properties))
        given: dict[str, Any] = {}
        for name, cell in value.items():
            if name not in known:
                place = f" at '{path}'" if path else ""
                self._note(
                    path, f'{_NOT_JSON} Unknown name "{shown(name)}"{place}: Cannot find field.'
                )
            elif cell is not None or known[name] not in given:
                given[known[name]] = cell
        before = f"{path}." if path else ""
        return {
            name: self.read(given[name], schema, before + snake(name))
            for name, schema in properties.items()
            if name in given
        }

    def _mapping(self, value: Any, schema: Mapping[str, Any], path: str) -> Any:
        if not isinstance(value, dict):
            return self._wrong(path, "TYPE_MESSAGE", {})
        _check_count(value, path)
        for name in value:
            self._check_letters(name, path)
        return {
            name: self.read(cell, schema, f"{path}[{at}].value")
            for at, (name, cell) in enumerate(value.items())
        }

    def _array(self, value: Any, items: Mapping[str, Any], path: str) -> Any:
        if not isinstance(value, list):
            return self._wrong(path, "TYPE_ARRAY", [])
        _check_count(value, path)
        # Null is an empty message, but not an empty string.
        return [
            self.read(each, items, f"{path}[{at}]")
            if "$ref" in items
            else self._string(each, f"{path}[{at}]")
            for at, each in enumerate(value)
        ]

    def _string(self, value: Any, path: str, names: Sequence[str] = ()) -> Any:
        """Return a string that can be written as UTF-8, one of ``names`` if there are any."""
        if not isinstance(value, str):
            return self._wrong(path, "TYPE_STRING")
        self._check_letters(value, path)
        # Unknown types of texts are refused later, in other words.
        if names and value not in names and names[0] != TEXT_TYPES[0]:
            return self._wrong(path, "TYPE_ENUM")
        return value

    def _number(self, value: Any, path: str, *, whole: bool) -> Any:
        """Return a finite number, or a whole one of 32 bits; Google also takes one in quotes."""
        found = math.nan
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            with suppress(ValueError, OverflowError):
                found = float(value)
        if not math.isfinite(found):
            return self._wrong(path, "TYPE_FLOAT")
        if whole and (found != int(found) or abs(found) >= 1 << 31):
            return self._wrong(path, "TYPE_INT32")
        return found

    def _check_letters(self, value: str, path: str) -> None:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            self._wrong(path, "TYPE_STRING, half of a surrogate pair")

    def _wrong(self, path: str, expected: str, instead: Any = None) -> Any:
        """Note that a value is not of the expected type; return another one to continue with."""
        self._note(path, f"Invalid value at '{path}' ({expected})")
        return instead

    def _note(self, path: str, sentence: str) -> None:
        self._violations.append((path, sentence))
        if len(self._violations) == _MOST_VIOLATIONS:
            self.finish()


def _check_count(values: Sized, path: str) -> None:
    """Refuse too many values before any of them is read."""
    most = _MOST[path.rpartition(".")[2]]
    if len(values) > most:
        raise invalid(f"Found {len(values)} values at '{path}'; expected at most {most}.")
