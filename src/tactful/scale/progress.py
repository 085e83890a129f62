"""The progress of a run. The command line shows it; the base class ignores it."""


class Watch:
    """Receives the progress of a run; subclasses show it."""

    def start(self, total: int | None, done: int, rows: int) -> None:
        """Start: ``total`` bytes or rows of input, some of them done by an earlier run."""

    def rows(self, count: int) -> None:
        """Note that ``count`` more rows were scored."""

    def part(self, size: int, rows: int) -> None:
        """Note that a part is complete, with its size in the input and its rows."""
