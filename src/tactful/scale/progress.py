"""How far a run is: rows, rate and time left, for whoever shows it."""

from typing import Protocol


class Watch(Protocol):
    """Is told how far a run is."""

    def start(self, total: int | None, done: int, rows: int) -> None:
        """Begin: ``total`` bytes or rows of input, of which some were done in an earlier run."""
        ...

    def rows(self, count: int) -> None:
        """So many more rows are scored."""
        ...

    def part(self, size: int, rows: int) -> None:
        """A part with so much of the input, and so many rows, is whole."""
        ...


class Unwatched:
    """Nobody looks."""

    def start(self, total: int | None, done: int, rows: int) -> None:
        """Begin."""

    def rows(self, count: int) -> None:
        """So many more rows are scored."""

    def part(self, size: int, rows: int) -> None:
        """A part is whole."""
