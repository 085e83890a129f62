"""Reading our own YAML twice as fast as PyYAML does, for what a short check waits for.

PyYAML spends most of its time on finding a type for each value and on tags, aliases and merged
keys, which most of our files do not have. Here the events of its parser become objects directly.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

_WORDS = frozenset(("", "~", "null", "true", "false", "yes", "no", "on", "off", "=", "<<"))
"""Values without quotes that may be no text."""
_FIRST = frozenset("0123456789+-.")
"""How numbers and dates begin."""
_ANCHOR = re.compile(rb"[:-] +&\w")
_END: Any = object()


def read_yaml(path: Path) -> Any:
    """Read a YAML file that comes with Tactful, to what ``yaml.safe_load`` makes of it.

    Examples
    --------
    >>> sorted(read_yaml(Path(__file__).parent / "taxonomies" / "cues" / "other.yaml"))
    ['cues', 'words']

    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    content = path.read_bytes()
    if _ANCHOR.search(content):  # few files repeat a part by its name
        return yaml.load(content, loader)  # noqa: S506 (a safe loader)
    events = (each for each in yaml.parse(content, loader) if type(each) not in _BEGINNINGS)
    return _value(events.__next__)


_BEGINNINGS = (yaml.StreamStartEvent, yaml.DocumentStartEvent)


def _value(following: Callable[[], Any]) -> Any:
    """Return the next value; ``_END`` where a list or a mapping ends instead."""
    event = following()
    kind = type(event)
    if kind is yaml.ScalarEvent:
        return _typed(event.value) if event.implicit[0] else event.value
    if kind is yaml.MappingStartEvent:
        found = {}
        while (key := _value(following)) is not _END:
            found[key] = _value(following)
        return found
    if kind is yaml.SequenceStartEvent:
        return list(iter(lambda: _value(following), _END))
    return _END


def _typed(value: str) -> Any:
    """Return the value that text without quotes stands for."""
    if value[:1] in _FIRST or value.lower() in _WORDS:
        # What has a space is text, or a time of day, which no file has.
        return value if " " in value or "\n" in value else yaml.safe_load(value)
    return value
