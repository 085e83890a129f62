"""The queue of items that need judgements, and the leases of items given to people."""

from bisect import bisect_left
from collections.abc import Iterator
from heapq import heapify, heappop, heappush

Key = tuple[float, int]
"""The negative priority, and the place in the order of import."""
_FEW = 64


class Queue:
    """A sorted set that makes reading its first keys cheap while keys come and go.

    Removed keys stay in the list until a reader passes them; new keys are sorted in at the next
    read.
    """

    def __init__(self) -> None:
        self._here: set[Key] = set()
        self._order: list[Key] = []
        self._new: list[Key] = []
        self._head = 0

    def add(self, key: Key) -> None:
        """Add a key, unless it is there."""
        if key not in self._here:
            self._here.add(key)
            self._new.append(key)

    def discard(self, key: Key) -> None:
        """Remove a key, if it is there."""
        self._here.discard(key)

    def __iter__(self) -> Iterator[Key]:
        """Yield the keys in order; none may be added meanwhile."""
        self.tidy()
        here, order = self._here, self._order
        while self._head < len(order) and order[self._head] not in here:
            self._head += 1
        for at in range(self._head, len(order)):
            if order[at] in here:
                yield order[at]

    def tidy(self) -> None:
        """Sort in the new keys."""
        many_left = len(self._order) - self._head > 2 * len(self._here) + _FEW
        if not many_left and len(self._new) > _FEW:
            # New items usually come last; sorting all keys again takes a while, and so does sorting
            # a set, which forgets that most of them came in order.
            new = sorted(dict.fromkeys(self._new))
            if not self._order or new[0] > self._order[-1]:
                self._order += new
                self._new.clear()
                return
        if many_left or len(self._new) > _FEW:
            self._order, self._head = sorted(self._here), 0
        else:
            for key in self._new:
                at = bisect_left(self._order, key)
                if at == len(self._order) or self._order[at] != key:
                    self._order.insert(at, key)
                self._head = min(self._head, at)
        self._new.clear()


class Leases:
    """The leases: who was given which item of which step, by person and by end."""

    def __init__(self) -> None:
        self.clock = float("-inf")
        """The latest time asked about: leases that ended before it are over."""
        self.untaken: dict[str, dict[tuple[str, str], None]] = {}
        """Hidden tests that somebody was shown and has neither answered nor skipped."""
        self.seen: dict[tuple[str, str], set[str]] = {}
        """The people who were shown a hidden test, by item and step."""
        self._of: dict[str, dict[tuple[str, str], float]] = {}
        self._ends: list[tuple[float, str, str, str]] = []

    def give(self, person: str, item: str, step: str, until: float, is_test: bool) -> None:
        """Add a lease."""
        self._of.setdefault(person, {})[item, step] = until
        heappush(self._ends, (until, item, step, person))
        if is_test:
            self.untaken.setdefault(person, {})[item, step] = None
            self.seen.setdefault((item, step), set()).add(person)

    def end(self, person: str, item: str, step: str) -> None:
        """End the lease of an item that was given back."""
        held = self._of.get(person)
        if held is not None:
            held.pop((item, step), None)

    def take_up(self, person: str, item: str, step: str) -> None:
        """End the lease of an item that was answered or skipped."""
        place = (item, step)
        held = self._of.get(person)
        if held:
            held.pop(place, None)
        untaken = self.untaken.get(person)
        if untaken:
            untaken.pop(place, None)

    def live(self, person: str, now: float) -> list[tuple[str, str]]:
        """Return the current leases of a person, in the order they were shown."""
        return [place for place, until in self._of.get(person, {}).items() if until > now]

    def all_of(self, person: str) -> list[tuple[str, str]]:
        """Return all leases of a person, also expired ones."""
        return list(self._of.get(person, ()))

    def tidy(self) -> None:
        """Drop the ends of answered leases, of which a long log has many."""
        self._ends = [
            (until, item, step, person)
            for person, held in self._of.items()
            for (item, step), until in held.items()
        ]
        heapify(self._ends)

    def expire(self, now: float) -> list[tuple[str, str]]:
        """Advance the clock, and return the items and steps of leases that expired."""
        self.clock = max(self.clock, now)
        over = []
        while self._ends and self._ends[0][0] <= self.clock:
            until, item, step, person = heappop(self._ends)
            if self._of.get(person, {}).get((item, step)) == until:
                over.append((item, step))
        return over
