"""Every exception that Tactful raises on purpose.

::

    TactfulError                  the root: catch this one
    ├── UsageError                the call is wrong; exit code 2
    │   ├── UnknownNameError      a name that no registry knows
    │   ├── MissingExtraError     an optional library is not installed
    │   ├── PluginError           a plug-in cannot be loaded, or its name is taken
    │   └── SettingError          an environment variable has an invalid value
    ├── InputError                what was read cannot be used; exit code 1
    │   ├── FileFormatError       a whole file is not what it should be
    │   ├── BadRowsError          rows were refused, and the caller asked for none to be
    │   └── TaxonomyError         a taxonomy file breaks its schema
    ├── OutputError               what was made cannot be written; exit code 1
    └── RunError                  a long run was interrupted; finished parts are kept

A :class:`Problem` is one thing that is wrong in one place of a file. Readers collect them and go
on; :class:`BadRowsError` carries them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

EXIT_FAILURE = 1
EXIT_USAGE = 2

_SHOWN_IN_MESSAGE = 10
_MOST_NAMES = 20


class Severity(StrEnum):
    """What a problem did to the row it was found in."""

    ERROR = "error"
    """The row was left out."""
    REPAIRED = "repaired"
    """The row was kept, after a repair that the problem describes."""
    NOTE = "note"
    """Nothing was changed, but a reader of the results should know."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in one place: what was found, expected and done about it."""

    file: str
    line: int | None
    code: str
    found: str
    expected: str
    action: str
    severity: Severity = Severity.ERROR
    column: str | None = None

    def __str__(self) -> str:
        """Say it in one sentence."""
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        column = "" if self.column is None else f"column '{self.column}': "
        return f"{place}: {column}found {self.found}; expected {self.expected}; {self.action}."


class TactfulError(Exception):
    """The root of all errors that Tactful raises on purpose."""

    exit_code = EXIT_FAILURE


class UsageError(TactfulError):
    """The call is wrong; nothing was read or written."""

    exit_code = EXIT_USAGE


class UnknownNameError(UsageError):
    """A name that no registry knows; the message has the nearest one and the list.

    Beside a nearest name, a long list is cut.
    """

    def __init__(self, kind: str, name: str, known: Sequence[str], nearest: str | None = None):
        self.kind, self.name, self.known, self.nearest = kind, name, tuple(known), nearest
        guess = f" Did you mean '{nearest}'?" if nearest else ""
        listing = ", ".join(known) or "none"
        if nearest and len(known) > _MOST_NAMES:
            more = len(known) - _MOST_NAMES
            listing = f"{', '.join(known[:_MOST_NAMES])} and {more} more"
        super().__init__(f"There is no {kind} named '{name}'.{guess} Known: {listing}.")


class MissingExtraError(UsageError):
    """An optional library is not installed; the message is the command that installs it."""

    def __init__(self, extra: str, purpose: str):
        self.extra = extra
        super().__init__(
            f"{purpose} needs the optional extra '{extra}'; install it with: "
            f'pip install "tactful[{extra}]"'
        )


class PluginError(UsageError):
    """A plug-in cannot be loaded, or two packages claim its name; the message names the package."""


class SettingError(UsageError):
    """An environment variable has an invalid value."""


class InputError(TactfulError):
    """What was read cannot be used."""


class FileFormatError(InputError):
    """A whole file is not what it should be."""


class BadRowsError(InputError):
    """Rows were refused, and the caller asked for none to be (``strict``)."""

    def __init__(self, problems: Sequence[Problem], total: int):
        self.problems, self.total = tuple(problems), total
        shown = [str(problem) for problem in problems[:_SHOWN_IN_MESSAGE]]
        if len(problems) > len(shown):
            shown.append("…")
        rows = "1 row is" if total == 1 else f"{total:,} rows are"
        super().__init__(f"{rows} not as expected:\n  " + "\n  ".join(shown))


class TaxonomyError(InputError):
    """A taxonomy file breaks its schema; the message has the file and the lines."""


class OutputError(TactfulError):
    """What was made cannot be written; nothing is left half-written."""


class RunError(TactfulError):
    """A long run was interrupted; finished parts are kept, and the same command resumes it."""


def place_of(error: BaseException) -> str:
    """Return the class of an error and where it was raised, without its message."""
    import traceback

    while error.__cause__ is not None:
        error = error.__cause__
    steps = traceback.extract_tb(error.__traceback__)
    where = f" at {steps[-1].filename}:{steps[-1].lineno}" if steps else ""
    return f"{type(error).__name__}{where}"
