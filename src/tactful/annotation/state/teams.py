"""Who may take which items, how many, and until when: groups, batches, quotas and deadlines.

All of it is settings, which the log records. A batch is the items with the same value in the column
``batch``; an item without one is a batch of its own, named by its id.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from typing import Any

from tactful.annotation.protocol.changes import changed
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.items import Item
from tactful.annotation.state.people import Person
from tactful.errors import InputError
from tactful.words import counted

BATCH = "batch"
"""The column with the name of an item's batch."""
ALL = "*"
"""Everybody in quotas, every item in deadlines."""


def batch_of(item: Item) -> str:
    """Return the batch of an item."""
    return item.meta.get(BATCH) or item.id


class Teams:
    """The settings of assignment, resolved to people.

    ``everything`` has the people who judge every item that they may take.
    """

    def __init__(self, settings: Mapping[str, Any]):
        groups = {name: tuple(people) for name, people in (settings.get("groups") or {}).items()}
        self._groups = groups
        self.everything: Set[str] = frozenset(_people(settings.get("everything") or (), groups))
        self._assigned = {
            batch: frozenset(_people(names, groups))
            for batch, names in (settings.get("assign") or {}).items()
        }
        self._quotas: Mapping[str, int] = settings.get("quotas") or {}
        deadlines = settings.get("deadlines") or {}
        self._ends = {batch: read_deadline(text) for batch, text in deadlines.items()}

    def admits(self, person: str, item: Item) -> bool:
        """Say whether somebody may take an item: its batch is for everybody, or for them."""
        if not self._assigned:
            return True
        allowed = self._assigned.get(batch_of(item))
        return allowed is None or person in allowed

    def people_of(self, batch: str) -> Set[str] | None:
        """Return the people that a batch is assigned to; None for everybody."""
        return self._assigned.get(batch)

    @property
    def batches(self) -> list[str]:
        """The batches that are assigned or have a deadline."""
        return [batch for batch in dict.fromkeys((*self._assigned, *self._ends)) if batch != ALL]

    def end_of(self, batch: str) -> float | None:
        """Return the deadline of a batch: its own, or that of every item."""
        own, all_ = self._ends.get(batch), self._ends.get(ALL)
        return min(own, all_) if own is not None and all_ is not None else own or all_

    @property
    def has_deadlines(self) -> bool:
        """Whether anything has a deadline."""
        return bool(self._ends)

    def is_over(self, item: Item, now: float) -> bool:
        """Say whether the deadline of an item has passed."""
        end = self.end_of(batch_of(item))
        return end is not None and now >= end

    def quota(self, person: str) -> int | None:
        """Return how many items somebody may answer in all; None without a limit.

        Their own quota goes first, then the highest of their groups', then that of everybody.
        """
        if not self._quotas or person in self._quotas:
            return self._quotas.get(person)
        of_groups = [
            self._quotas[group]
            for group, people in self._groups.items()
            if person in people and group in self._quotas
        ]
        return max(of_groups) if of_groups else self._quotas.get(ALL)

    def quota_left(self, person: Person) -> int | None:
        """Return how many items are left of a person's quota."""
        quota = self.quota(person.id)
        return None if quota is None else max(0, quota - person.answered)


def read_deadline(text: str) -> float:
    """Read a day or a time, in UTC unless it says otherwise; a day ends with its last second.

    >>> read_deadline("2026-12-01") - read_deadline("2026-12-01T00:00")
    86400.0
    """
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise InputError(
            f"Found the deadline {text!r}; expected a day or a time such as 2026-12-01 or "
            "2026-12-01T18:00Z."
        ) from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    is_day = "T" not in text and " " not in text.strip()
    return (found + timedelta(days=is_day)).timestamp()


def check_teams(
    protocol: Protocol, settings: Mapping[str, Any], people: Mapping[str, Person]
) -> None:
    """Refuse settings of assignment that name nobody, or that no item could satisfy."""
    groups = settings.get("groups") or {}
    _check(
        isinstance(groups, Mapping) and all(map(_is_names, groups.values())),
        "groups",
        "an object of names and lists of people",
    )
    for group, members in groups.items():
        if group in people or group == ALL or not group.strip():
            raise InputError(f"Found the group '{group}'; expected a name that no person has.")
        _check_known(members, people, f"the group '{group}'")
    known = {*people, *groups}
    everything = settings.get("everything") or []
    _check(_is_names(everything), "everything", "a list of people and groups")
    _check_known(everything, known, "'everything'")
    assign = settings.get("assign") or {}
    _check(
        isinstance(assign, Mapping) and all(_is_names(each) and each for each in assign.values()),
        "assign",
        "an object of batches and lists of people and groups",
    )
    for batch, names in assign.items():
        _check_known(names, known, f"the batch '{batch}'")
    quotas = settings.get("quotas") or {}
    _check(
        isinstance(quotas, Mapping)
        and all(type(each) is int and each >= 0 for each in quotas.values()),
        "quotas",
        "an object of people, groups or '*', and whole numbers of 0 or more",
    )
    _check_known(quotas, {*known, ALL}, "'quotas'")
    deadlines = settings.get("deadlines") or {}
    _check(isinstance(deadlines, Mapping), "deadlines", "an object of batches or '*', and times")
    teams = Teams(settings)
    for step in changed(protocol, settings).steps:
        count = sum(people[each].role == step.role for each in teams.everything)
        if count > step.judgements:
            raise InputError(
                f"The step '{step.id}' asks for {counted(step.judgements, 'judgement')}, and "
                f"{count} people would judge everything; expected no more people than judgements."
            )


def too_few(
    teams: Teams, protocol: Protocol, people: Iterable[Person], batch: str
) -> list[tuple[str, int]]:
    """Return the first steps for which a batch has too few people, and how many it has."""
    allowed = teams.people_of(batch)
    if allowed is None:
        return []
    found = []
    able = [each for each in people if each.id in allowed and each.status == "active"]
    for step in protocol.steps:
        count = sum(each.role == step.role for each in able)
        if step.entry is None and count < step.judgements:
            found.append((step.id, count))
    return found


def _people(names: Iterable[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    return [person for name in names for person in groups.get(name, (name,))]


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _check(good: bool, name: str, expected: str) -> None:
    if not good:
        raise InputError(f"Found another value for the setting '{name}'; expected {expected}.")


def _check_known(names: Iterable[str], known: Iterable[str], where: str) -> None:
    there = set(known)
    for name in names:
        if name not in there:
            raise InputError(
                f"Found '{name}' in {where}; expected the id of a person, such as a1, or a group."
            )
