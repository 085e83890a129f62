"""The items that still need somebody, in the order in which they are given out."""

from bisect import bisect_left
from collections.abc import Iterator
from heapq import heapify, heappop, heappush

Key = tuple[float, int]
"""The priority with a minus before it, and the place in the order of import."""
_FEW = 64


class Queue:
    """A sorted set whose first keys are cheap to read while keys come and go all the time.

    Keys that left stay in the list until a reader passes them; keys that came are sorted in when
    the list is next read.
    """

    def __init__(self) -> None:
        self._here: set[Key] = set()
        self._order: list[Key] = []
        self._new: list[Key] = []
        self._head = 0

    def __len__(self) -> int:
        return len(self._here)

    def __contains__(self, key: object) -> bool:
        return key in self._here

    def add(self, key: Key) -> None:
        """Put a key in its place, unless it is there."""
        if key not in self._here:
            self._here.add(key)
            self._new.append(key)

    def discard(self, key: Key) -> None:
        """Take a key away, if it is there."""
        self._here.discard(key)

    def __iter__(self) -> Iterator[Key]:
        """Yield the keys in order; none may come while this runs."""
        self.tidy()
        here, order = self._here, self._order
        while self._head < len(order) and order[self._head] not in here:
            self._head += 1
        for at in range(self._head, len(order)):
            if order[at] in here:
                yield order[at]

    def tidy(self) -> None:
        """Sort in what came."""
        many_left = len(self._order) - self._head > 2 * len(self._here) + _FEW
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
    """Who was given which item of which step, found by person and by when it ends."""

    def __init__(self) -> None:
        self.clock = float("-inf")
        """The latest moment that was asked about: what ended before it is over."""
        self.untaken: dict[str, dict[tuple[str, str], None]] = {}
        """Hidden tests that somebody was shown, and has neither answered nor skipped."""
        self._of: dict[str, dict[tuple[str, str], float]] = {}
        self._ends: list[tuple[float, str, str, str]] = []

    def give(self, person: str, item: str, step: str, until: float, is_test: bool) -> None:
        """Take note that somebody was shown something."""
        self._of.setdefault(person, {})[item, step] = until
        heappush(self._ends, (until, item, step, person))
        if is_test:
            self.untaken.setdefault(person, {})[item, step] = None

    def end(self, person: str, item: str, step: str) -> None:
        """Take note that somebody gave something back."""
        held = self._of.get(person)
        if held is not None:
            held.pop((item, step), None)

    def take_up(self, person: str, item: str, step: str) -> None:
        """Take note that somebody answered or skipped something."""
        place = (item, step)
        held = self._of.get(person)
        if held:
            held.pop(place, None)
        untaken = self.untaken.get(person)
        if untaken:
            untaken.pop(place, None)

    def live(self, person: str, now: float) -> list[tuple[str, str]]:
        """Return what somebody has before them, in the order it was shown."""
        return [place for place, until in self._of.get(person, {}).items() if until > now]

    def all_of(self, person: str) -> list[tuple[str, str]]:
        """Return what somebody was given and has not answered, also what is over."""
        return list(self._of.get(person, ()))

    def tidy(self) -> None:
        """Forget the ends of what was answered long ago, of which a long log has many."""
        self._ends = [
            (until, item, step, person)
            for person, held in self._of.items()
            for (item, step), until in held.items()
        ]
        heapify(self._ends)

    def expire(self, now: float) -> list[tuple[str, str]]:
        """Move the clock on, and return the items and steps for which somebody's time is over."""
        self.clock = max(self.clock, now)
        over = []
        while self._ends and self._ends[0][0] <= self.clock:
            until, item, step, person = heappop(self._ends)
            if self._of.get(person, {}).get((item, step)) == until:
                over.append((item, step))
        return over
