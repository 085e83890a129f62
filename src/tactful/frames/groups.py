"""The groups that can be named from a list: one name each, and the spellings merged into it.

Annotators wrote the same group in many ways ("ethiopians", "ethiopian folks"). A model that chooses
from a list needs one name for each; the list and the spellings are data, in ``groups.yaml``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tactful.errors import FileFormatError

GROUPS_FILE = Path(__file__).with_name("groups.yaml")
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Group:
    """One group of the list."""

    name: str
    category: str
    """The category of the questionnaire: race, gender, culture, …"""
    spellings: tuple[str, ...] = ()
    called: str = ""
    """The name that members use, if it differs from ``name``."""

    @property
    def shown(self) -> str:
        """The name of the group on pages and in messages."""
        return self.called or self.name


@cache
def load_groups() -> tuple[Group, ...]:
    """Read the list that comes with the package."""
    return read_groups(GROUPS_FILE)


def read_groups(path: Path) -> tuple[Group, ...]:
    """Read and check a list of groups: each name and spelling belongs to one group."""
    import yaml

    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    entries = data.get("groups") if isinstance(data, Mapping) else None
    if not isinstance(entries, list) or not entries:
        raise FileFormatError(f"{path}: found no list 'groups'; expected names and spellings.")
    found: list[Group] = []
    owners: dict[str, str] = {}
    for number, entry in enumerate(entries, 1):
        group = _group(entry, f"{path}: group {number}", data.get("categories") or ())
        for spelling in dict.fromkeys(map(normalise_group, (group.name, *group.spellings))):
            if spelling in owners:
                raise FileFormatError(
                    f"{path}: found '{spelling}' for '{owners[spelling]}' and for '{group.name}'; "
                    "expected each spelling once; remove one."
                )
            owners[spelling] = group.name
        found.append(group)
    return tuple(found)


def _group(entry: Any, place: str, categories: Any) -> Group:
    known = isinstance(entry, Mapping) and set(entry) <= {"name", "category", "spellings", "called"}
    if not known or not isinstance(entry.get("name"), str) or not entry["name"].strip():
        raise FileFormatError(f"{place}: expected a name, a category and perhaps spellings.")
    if entry.get("category") not in categories:
        raise FileFormatError(
            f"{place} ('{entry['name']}'): found the category '{entry.get('category')}'; expected "
            f"one of {', '.join(categories)}."
        )
    spellings = entry.get("spellings", [])
    if not isinstance(spellings, list) or not all(isinstance(each, str) for each in spellings):
        raise FileFormatError(f"{place} ('{entry['name']}'): expected a list of spellings.")
    called = entry.get("called", "")
    if not isinstance(called, str):
        raise FileFormatError(f"{place} ('{entry['name']}'): expected words under 'called'.")
    return Group(entry["name"], entry["category"], tuple(spellings), called)


def normalise_group(text: str) -> str:
    """Return a group's name in lower case, with single spaces.

    >>> normalise_group("  Old   People ")
    'old people'
    """
    return _BLANK.sub(" ", text).strip().lower()


def group_named(text: str) -> str | None:
    """Return the name in the list for a spelling; None if the list has no such group.

    >>> group_named("Muslims")
    'muslim folks'
    """
    return _by_spelling().get(normalise_group(text))


def spellings_of(name: str) -> tuple[str, ...]:
    """Return all spellings of a group of the list, its name first; of another name, nothing.

    >>> spellings_of("vegans")
    ('vegans',)
    """
    return _spellings_by_name().get(name, ())


def shown_group(name: str) -> str:
    """Return the name that members of a group use; a name that is not in the list is unchanged.

    >>> shown_group("black folks"), shown_group("pilots")
    ('Black people', 'pilots')
    """
    return _shown().get(normalise_group(name), name)


def mentioned_groups(text: str) -> set[str]:
    """Return the groups of the list that a text calls by one of their spellings.

    >>> mentioned_groups("Old people and Muslims came.") == {"old folks", "muslim folks"}
    True
    """
    return {_by_spelling()[normalise_group(found)] for found in _spellings().findall(text)}


@cache
def _spellings() -> re.Pattern[str]:
    # Longer ones first, so that "black women" is not found as "women".
    listed = sorted((s for s in _by_spelling() if "," not in s), key=lambda s: (-len(s), s))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, listed))})\b", re.IGNORECASE)


@cache
def _by_spelling() -> dict[str, str]:
    return {
        normalise_group(spelling): group.name
        for group in load_groups()
        for spelling in (group.name, *group.spellings)
    }


@cache
def _spellings_by_name() -> dict[str, tuple[str, ...]]:
    return {
        group.name: tuple(map(normalise_group, (group.name, *group.spellings)))
        for group in load_groups()
    }


@cache
def _shown() -> dict[str, str]:
    return {normalise_group(group.name): group.shown for group in load_groups()}
