"""Collecting what is wrong in a file, so that it is reported together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tactful.errors import BadRowsError, Problem, Severity

LEFT_OUT = "the row was left out"
"""What happens to a row with an error, where nothing else is said."""
_LONGEST_SHOWN = 40
_MOST_WORDS_SHOWN = 5


@dataclass
class ProblemLog:
    """Keeps the first problems of each kind in full, and counts all of them."""

    limit: int = 1000
    kept: list[Problem] = field(default_factory=list)
    counts: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    rows_left_out: int = 0
    """Rows, not problems: one row can have several."""

    def add(self, problem: Problem) -> None:
        """Count a problem, and keep it if there is room for one more of its kind."""
        kind = (problem.severity, problem.code)
        self.counts[kind] += 1
        if self.counts[kind] <= self.limit:
            self.kept.append(problem)

    def report(
        self,
        path: Path,
        line: int,
        code: str,
        found: str,
        expected: str,
        action: str = LEFT_OUT,
        severity: Severity = Severity.ERROR,
        column: str | None = None,
    ) -> None:
        """Add a problem of one line of a file."""
        self.add(Problem(path.name, line, code, found, expected, action, severity, column))

    def note(
        self, path: Path, line: int, code: str, found: str, expected: str, column: str | None = None
    ) -> None:
        """Add something odd about a line whose row stays."""
        kept = "the row was kept as it is"
        self.report(path, line, code, found, expected, kept, Severity.NOTE, column)

    def total(self, severity: Severity = Severity.ERROR) -> int:
        """Count the problems of one severity."""
        return sum(number for (kind, _), number in self.counts.items() if kind is severity)

    def of(self, severity: Severity) -> list[Problem]:
        """Return the kept problems of one severity, in the order of the file."""
        return [problem for problem in self.kept if problem.severity is severity]

    def raise_errors(self) -> None:
        """Raise all errors together, if there are any."""
        if self.total():
            raise BadRowsError(self.of(Severity.ERROR), self.rows_left_out)


def merge(logs: Iterable[ProblemLog]) -> ProblemLog:
    """Put several logs into one."""
    merged = ProblemLog()
    for log in logs:
        merged.kept.extend(log.kept)
        merged.counts.update(log.counts)
        merged.rows_left_out += log.rows_left_out
    return merged


def show(value: str | None) -> str:
    """Show a found value in a message without showing a text: texts may be offensive."""
    if value is None or value == "":
        return "nothing"
    if len(value) > _LONGEST_SHOWN or len(value.split()) > _MOST_WORDS_SHOWN:
        return f"a text of {len(value)} characters"
    return ascii(value)
