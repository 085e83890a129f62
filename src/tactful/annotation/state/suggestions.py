"""Suggested answers, and who saw them: a person sees a suggestion, or judges blind.

A suggestion never counts as an answer. Whether somebody saw it is decided once, when the item is
first given to them, and the event ``shown`` records it; a later suggestion changes nothing for
people who were given the item before.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tactful.annotation.store.events import Event


class Suggestion(NamedTuple):
    """Suggested answers to the questions of one step about one item."""

    answers: Mapping[str, Any]
    source: str
    """The detector, or the tool that a file came from."""
    at: float


class Seen(NamedTuple):
    """The suggestion that there was when somebody was given an item."""

    suggestion: Suggestion
    shown: bool
    """Whether they saw it; otherwise they judged blind."""


class Suggestions:
    """The latest suggestion of each item and step, and who saw which."""

    def __init__(self) -> None:
        self.steps: set[str] = set()
        """The steps that have suggestions."""
        self._latest: dict[tuple[str, str], Suggestion] = {}
        self._seen: dict[tuple[str, str, str], Seen] = {}

    def add(self, event: Event) -> None:
        """Take a new suggestion, which replaces the one before it."""
        data = event.data
        place = (event.item or "", event.step or "")
        self.steps.add(place[1])
        self._latest[place] = Suggestion(data["answers"], data["source"], event.at)

    def give(self, event: Event) -> None:
        """Note whether somebody saw the suggestion of an item that they were given."""
        place = (event.item or "", event.step or "")
        latest = self._latest.get(place)
        if latest is not None and "suggestion" in event.data:
            seen = Seen(latest, event.data["suggestion"] == "shown")
            self._seen.setdefault((*place, event.annotator or ""), seen)

    def of(self, item: str, step: str) -> Suggestion | None:
        """Return the latest suggestion; None if there is none."""
        return self._latest.get((item, step))

    def seen(self, item: str, step: str, person: str) -> Seen | None:
        """Return what somebody saw; None if there was no suggestion when they got the item."""
        return self._seen.get((item, step, person))

    def all_seen(self) -> Iterator[tuple[str, str, str, Seen]]:
        """Yield every item, step and person with a suggestion, shown or withheld."""
        return ((*place, seen) for place, seen in self._seen.items())

    def __len__(self) -> int:
        return len(self._latest)
