"""What people have before them, and until when."""

from heapq import heapify, heappop, heappush


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
