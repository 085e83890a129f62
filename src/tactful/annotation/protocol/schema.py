"""Read the fields of a protocol file one by one, and collect problems with their lines.

Reading does not stop at a problem: a field that cannot be used gets its default, so that all
problems of a file are reported together.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from tactful.annotation.protocol.records import Question, Range, Step
from tactful.errors import FileFormatError, Problem, TaxonomyError
from tactful.taxonomies.checks import Location
from tactful.taxonomies.source import Source, read_source

ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
_MOST_ID = 80
_SHOWN = 60
_KEPT_CONTROLS = "\n\t"

T = TypeVar("T", bound=str)
N = TypeVar("N", Step, Question)


@dataclass(slots=True)
class Notes:
    """The problems of one file, collected while it is read."""

    source: Source
    problems: list[Problem] = field(default_factory=list)

    def add(self, place: Location, found: str, wanted: str) -> None:
        """Note a problem at one place of the file; ``wanted`` is "what is expected; what to do"."""
        expected, _, action = wanted.rpartition("; ")
        line = self.source.line(place)
        self.problems.append(Problem(self.source.file, line, "protocol", found, expected, action))

    def raise_if_any(self) -> None:
        """Raise all problems in the order of their lines."""
        if not self.problems:
            return
        number = len(self.problems)
        ordered = sorted(self.problems, key=lambda problem: problem.line or 0)
        listing = "\n  ".join(str(problem) for problem in ordered)
        noun = "problem" if number == 1 else "problems"
        raise FileFormatError(f"{self.source.file} has {number} {noun}:\n  {listing}")


def open_protocol(path: Path) -> "Part":
    """Read a YAML file; an unreadable file is an error."""
    try:
        source = read_source(path)
    except TaxonomyError as error:
        # The reader and its messages are those of the taxonomies.
        said = str(error).replace("a taxonomy", "a protocol").replace("'entries'", "'steps'")
        raise FileFormatError(said) from None
    notes = Notes(source)
    for line, flaw in source.repeated_keys():
        notes.problems.append(
            Problem(source.file, line, flaw.code, flaw.found, flaw.expected, flaw.action)
        )
    return Part(notes, source.data, (), "the protocol")


@dataclass(frozen=True, slots=True)
class Part:
    """A mapping in the file: the whole file, a step, a question, an option."""

    notes: Notes
    data: dict[Any, Any]
    place: Location
    title: str
    """Its name in messages."""

    def problem(self, key: str | int, found: str, wanted: str) -> None:
        """Note a problem of one field."""
        self.notes.add((*self.place, key), f"{found} in {self.title}", wanted)

    def add_once(self, found: dict[str, N], made: N) -> bool:
        """Add a step or a question, unless its id is taken; say whether it is new."""
        if made.id in found:
            wanted = "every id once; rename one of them"
            self.problem("id", f"the id '{made.id}' a second time", wanted)
            return False
        found[made.id] = made
        return True

    def values(self, record: type, **defaults: Any) -> dict[str, Any]:
        """Return the fields of a record that are texts, numbers, flags and lists of texts.

        ``defaults`` replace those of the record; a field without any is required.
        """
        self._allow(record)
        hints = get_type_hints(record, include_extras=True)
        found: dict[str, Any] = {}
        for each in fields(record):
            key, hint = each.name, hints[each.name]
            default: Any = defaults.get(key, None if each.default is MISSING else each.default)
            if key == "id":
                found[key] = self.id()
            elif hint is str:
                found[key] = self.text(key, default)
            elif hint is bool:
                found[key] = self.flag(key, default)
            elif hint == tuple[str, ...]:
                found[key] = self.texts(key)
            elif get_origin(hint) is Literal:
                found[key] = self.one_of(key, get_args(hint), default)
            elif get_origin(hint) is Annotated:
                kind, allowed = get_args(hint)
                found[key] = self.number(key, default, kind in (int, int | None), allowed)
        return found

    def raw(self, key: str) -> str:
        """Return a text as it is, without noting a problem; empty if it is not text."""
        value = self.data.get(key)
        return value.strip() if isinstance(value, str) else ""

    def _allow(self, record: type) -> None:
        """Note all fields that a record of the protocol does not have."""
        known = [each.name for each in fields(record) if each.name != "data"]
        for key in self.data:
            if key in known:
                continue
            close = get_close_matches(str(key), known, n=1)
            action = f"rename it to '{close[0]}'" if close else "remove it"
            self.problem(key, f"the field {shown(key)}", f"only {quoted(known)}; {action}")

    def text(self, key: str, default: str | None = "") -> str:
        """Return a text; a ``default`` of None makes it required."""
        if self._absent(key, default is None):
            return default or ""
        value = self._text(key, self.data[key])
        return value if value is not None else default or ""

    def id(self, key: str = "id") -> str:
        """Return an id, which is required."""
        value = self.text(key, None)
        if value and (not ID.fullmatch(value) or len(value) > _MOST_ID):
            wanted = "lower-case letters, digits and underscores, joined by dots; rename it"
            self.wrong(key, value, wanted)
        return value

    def one_of(self, key: str, known: Sequence[T], default: T | None = None) -> T:
        """Return one of the known words; a ``default`` of None makes it required."""
        value = self.text(key, default)
        if value in known:
            return cast(T, value)
        if value:
            close = get_close_matches(value, known, n=1)
            action = f"write '{close[0]}'" if close else "choose one of them"
            self.wrong(key, value, f"one of {quoted(known)}; {action}")
        return default if default is not None else known[0]

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.data.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.wrong(key, value, "true or false; write one of them")
        return default

    def number(self, key: str, default: float | None, whole: bool, allowed: Range) -> float | None:
        """Return a number, whole or not."""
        value = self.data.get(key)
        if value is None:
            return default
        is_number = type(value) is int or (type(value) is float and not whole)
        # Nothing compares with NaN.
        if is_number and allowed.least <= value <= allowed.most:
            return int(value) if whole else float(value)
        noun, shape = ("whole number", ",") if whole else ("number", "g")
        between = f"from {allowed.least:{shape}} to {allowed.most:{shape}}"
        self.wrong(key, value, f"a {noun} {between}; correct it")
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, each once."""
        found: dict[str, None] = {}
        for index, value in self._items(key, "a list of texts"):
            text = self._text(key, value, index)
            if text in found:
                told = f"{shown(text)} a second time as '{key}' in {self.title}"
                wanted = "every value once; remove one of them"
                self.notes.add((*self.place, key, index), told, wanted)
            elif text is not None:
                found[text] = None
        return tuple(found)

    def part(self, key: str) -> "Part | None":
        """Return the mapping below a name; None if there is none."""
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.wrong(key, value, "fields with names; write 'name: value'")
            return None
        return Part(self.notes, value, (*self.place, key), f"'{key}' of {self.title}")

    def parts(
        self, key: str, noun: str, required: bool = False, plain: str | None = None
    ) -> Iterator["Part"]:
        """Yield the parts of a list, each named by its id, value or number.

        An item that is only a text is a part with this text as the field ``plain``.
        """
        if self._absent(key, required):
            return
        if required and self.data[key] == []:
            self.problem(key, f"an empty '{key}'", f"at least one {noun}; add one")
        for index, value in self._items(key, f"a list of {noun}s"):
            if isinstance(value, dict):
                name = value.get("id", value.get("value", value.get("question")))
                title = f"{noun} '{name}'" if isinstance(name, str) else f"{noun} {index + 1}"
                whole = title if self.place == () else f"{title} of {self.title}"
                yield Part(self.notes, value, (*self.place, key, index), whole)
            elif plain is None:
                self.wrong(key, value, f"a {noun} with fields; write 'name: value'", index)
            elif (text := self._text(key, value, index)) is not None:
                yield Part(self.notes, {plain: text}, (*self.place, key, index), self.title)

    def _absent(self, key: str, required: bool) -> bool:
        absent = self.data.get(key) is None
        if absent and required:
            self.notes.add(
                self.place, f"no '{key}' in {self.title}", "every required field; add it"
            )
        return absent

    def _items(self, key: str, expected: str) -> Iterator[tuple[int, Any]]:
        value = self.data.get(key)
        if isinstance(value, list):
            yield from enumerate(value)
        elif value is not None:
            self.wrong(key, value, f"{expected}; write one item a line, after '- '")

    def _text(self, key: str, value: object, index: int | None = None) -> str | None:
        if not isinstance(value, str):
            # YAML reads yes, no, 1.0 and 2024-01-01 as booleans, numbers and dates.
            quotable = value is not None and not isinstance(value, dict | list)
            action = "put it in quotes" if quotable else "write it"
            self.wrong(key, value, f"text; {action}", index)
            return None
        if not value.strip():
            self.wrong(key, value, "text; fill it in", index)
            return None
        if any(
            unicodedata.category(character) in ("Cc", "Cs") and character not in _KEPT_CONTROLS
            for character in value
        ):
            self.wrong(key, value, "text without control characters; remove them", index)
            return None
        return value.strip()

    def wrong(self, key: str, value: object, wanted: str, index: int | None = None) -> None:
        """Note that a field, or one item of its list, has a wrong value."""
        place: Location = (*self.place, key) if index is None else (*self.place, key, index)
        self.notes.add(place, f"{shown(value)} as '{key}' in {self.title}", wanted)


def quoted(names: Iterable[str]) -> str:
    """Return names in quotes, one after the other."""
    return ", ".join(f"'{name}'" for name in names)


def shown(value: object) -> str:
    """Return a short, printable form of a value for messages."""
    told = repr(value)
    return told if len(told) <= _SHOWN else told[: _SHOWN - 1] + "…"
