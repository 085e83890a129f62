"""The log of a project as files, from which the project can be rebuilt.

``events.jsonl`` has every event. The names and traits of people are apart, in ``people.jsonl``, so
that the rest can be shared without them. The hashes of invitation links are not written: a copy of
a project gives nobody access.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from tactful.annotation.formats.annotated import json_text
from tactful.annotation.formats.losses import Loss
from tactful.annotation.store.events import KINDS, Event, Kind
from tactful.errors import FileFormatError
from tactful.files import json_lines

if TYPE_CHECKING:
    from tactful.annotation.formats.annotated import Source

EVENTS = "events.jsonl"
PEOPLE = "people.jsonl"
PROTOCOL = "protocol.yaml"
ABOUT = "export.json"
VERSION = 1
_PERSONAL = {"invited": ("name",), "consented": ("traits",)}
"""Personal data, by the kind of event."""
_ACCESS = "token"


def write_log(source: "Source", folder: Path) -> list[Loss]:
    """Write the log, the people and the protocol; return what is left out."""
    links = 0
    with (
        (folder / EVENTS).open("w", encoding="utf-8", newline="\n") as events,
        (folder / PEOPLE).open("w", encoding="utf-8", newline="\n") as people,
    ):
        for event in source.events():
            data = dict(event.data)
            apart = _PERSONAL.get(event.kind, ())
            personal = {name: data.pop(name) for name in apart if name in data}
            if personal:
                people.write(_line({"number": event.number, "data": personal}))
            if event.kind == "invited" and data.pop(_ACCESS, None) is not None:
                links += 1
            events.write(_line(_as_dict(event, data)))
    # The guideline may be a file of its own; here it becomes part of the protocol file.
    data = {**source.protocol.data, "guideline": source.protocol.guideline}
    protocol = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    (folder / PROTOCOL).write_text(protocol, encoding="utf-8", newline="\n")
    if not links:
        return []
    return [Loss("invitation links", links, "a copy gives nobody access; invite people again")]


def read_log(folder: Path) -> tuple[list[Event], list[Loss]]:
    """Read the log, with the people if their file is there."""
    personal: dict[int, dict[str, Any]] = {}
    people = folder / PEOPLE
    if people.exists():
        for line, found in json_lines(people):
            if not isinstance(found.get("number"), int) or not isinstance(found.get("data"), dict):
                raise _bad(people, line, "no event", "a number and data")
            personal[found["number"]] = found["data"]
    events: list[Event] = []
    for line, found in json_lines(folder / EVENTS):
        event = _event(folder / EVENTS, line, found, personal)
        if event.number is not None and event.number != len(events) + 1:
            raise _bad(folder / EVENTS, line, f"event {event.number}", f"event {len(events) + 1}")
        events.append(event)
    missing = sum(event.kind in _PERSONAL for event in events)
    if people.exists() or not missing:
        return events, []
    return events, [Loss("names and traits of people", missing, f"there is no {PEOPLE}")]


def _event(
    path: Path, line: int, found: Mapping[str, Any], personal: Mapping[int, dict[str, Any]]
) -> Event:
    kind, at, data = found.get("kind"), found.get("at"), found.get("data", {})
    if kind not in KINDS:
        raise _bad(path, line, f"the kind {str(kind)[:40]!r}", f"one of {', '.join(KINDS)}")
    if not isinstance(at, int | float) or isinstance(at, bool) or not isinstance(data, dict):
        raise _bad(path, line, "no time or no data", "'at' as a number and 'data' as an object")
    words = {name: found.get(name) for name in ("item", "annotator", "step", "key")}
    if not all(value is None or isinstance(value, str) for value in words.values()):
        raise _bad(path, line, "an id that is not text", "item, annotator, step and key as text")
    number = found.get("number")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise _bad(path, line, "a wrong number", "whole numbers from 1")
    whole = {**data, **personal.get(number or 0, {})}
    return Event(cast(Kind, kind), float(at), **words, data=whole, number=number)


def _as_dict(event: Event, data: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        "number": event.number,
        "kind": event.kind,
        "at": event.at,
        "item": event.item,
        "annotator": event.annotator,
        "step": event.step,
        "data": data,
        "key": event.key,
    }
    return {name: value for name, value in found.items() if value is not None}


def _line(value: object) -> str:
    return json_text(value) + "\n"


def _bad(path: Path, line: int, found: str, expected: str) -> FileFormatError:
    return FileFormatError(
        f"{path}, line {line}: found {found}; expected {expected}; export the project again."
    )
