"""The items that still need somebody, in the order in which they are given out."""

from bisect import bisect_left
from collections.abc import Iterator

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
