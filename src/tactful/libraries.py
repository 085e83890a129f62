"""Libraries that come with an extra: imported when they are used, and named where they are missing.

A module that must also be imported without its library writes::

    if TYPE_CHECKING:
        import polars as pl
    else:
        pl = Library("polars")
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from tactful.errors import MissingExtraError

EXTRAS = {
    "matplotlib": "plot",
    "polars": "tables",
    "python_calamine": "tables",
    "scipy": "stats",
    "sklearn": "stats",
}
"""Library -> the extra that installs it."""


class Library:
    """Stands for a library, which is imported with the first of its names that is used."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        with needed():
            found = getattr(import_module(self._name), attribute)
        # The next time Python finds it without this method.
        setattr(self, attribute, found)
        return found


@cache
def is_installed(name: str) -> bool:
    """Say whether a library can be imported; it is imported then."""
    try:
        import_module(name)
    except ImportError:
        return False
    return True


@contextmanager
def needed(purpose: str = "This") -> Iterator[None]:
    """Answer with the extra to install if a library is missing; ``purpose`` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = missing_extra(error, purpose)
        if missing is None:
            raise
        raise missing from None


def missing_extra(error: ImportError, purpose: str = "This") -> MissingExtraError | None:
    """Return the error that names the extra of a missing library; None if no extra has it."""
    extra = EXTRAS.get((error.name or "").partition(".")[0])
    return None if extra is None else MissingExtraError(extra, purpose)
