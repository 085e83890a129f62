"""A Python function as a classifier: ``module:function``.

The function takes a list of texts and returns one saying for each (see
:mod:`tactful.audit.classifiers.labels`). It is imported only because the user named it.
Modules of the current directory are found.
"""

import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

from tactful.audit.classifiers.labels import (
    EXPECTED,
    Classifier,
    Sentiment,
    fingerprint,
    read_sayings,
)
from tactful.audit.protocol import Answer
from tactful.errors import InputError, UsageError
from tactful.files import sha256
from tactful.registry import unknown_name
from tactful.words import counted

NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_BATCH = 64


class CallableClassifier(Classifier):
    """A function that was named by the user."""

    def __init__(
        self,
        name: str,
        function: Callable[[list[str]], Any],
        files: Sequence[Path],
        labels: Mapping[str, Sentiment],
        batch: int = _BATCH,
    ):
        self.name, self.batch = name, batch
        self._function, self._labels, self._files = function, labels, files
        hashes = [sha256(file) for file in files]
        self.fingerprint = fingerprint("callable", name, *hashes, labels=labels)

    @property
    def notes(self) -> Sequence[str]:
        """What the fingerprint does not see."""
        seen = " and ".join(f"'{file.name}'" for file in self._files) or "its name"
        return (
            f"Of {self.name} only {seen} was hashed: what that imports or reads may change "
            "unnoticed; audit it again after such a change.",
        )

    def answers(self, texts: list[str]) -> list[Answer]:
        """Return one answer for each text of a batch."""
        try:
            returned = self._function(texts)
            # What a generator raises, it raises only now.
            is_one = isinstance(returned, str | bytes | Mapping)
            sayings = None if is_one or not hasattr(returned, "__iter__") else list(returned)
        except Exception as error:
            raise InputError(
                f"{self.name}: found {_said(error)}; expected one answer for each of "
                f"{counted(len(texts), 'text')}; fix the function."
            ) from error
        if sayings is None:
            raise InputError(
                f"{self.name}: found a return value of type {type(returned).__name__}; expected a "
                f"list with, for each text, {EXPECTED}."
            )
        return read_sayings(sayings, len(texts), self._labels, self.name)


def load_callable(
    name: str, labels: Mapping[str, Sentiment], *, batch: int | None = None
) -> CallableClassifier:
    """Import the function behind ``module:function``."""
    module_name, _, path = name.partition(":")
    module = _import(module_name)
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            public = [each for each in dir(found) if not each.startswith("_")]
            callables = [each for each in public if callable(getattr(found, each, None))]
            raise unknown_name(f"function in '{module_name}'", path, callables)
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(
            f"'{name}' is a value of type {type(found).__name__}; expected a function that takes a "
            "list of texts."
        )
    return CallableClassifier(name, found, _source_files(module, found), labels, batch or _BATCH)


def _import(name: str) -> ModuleType:
    with _current_directory_first():
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
                raise UsageError(
                    f"There is no Python module '{name}' in {Path.cwd()} or among the installed "
                    "ones; expected module:function, as in my_classifier:classify."
                ) from None
            raise UsageError(f"'{name}' cannot be imported: found {_said(error)}.") from error
        except Exception as error:
            raise UsageError(f"'{name}' cannot be imported: found {_said(error)}.") from error


@contextmanager
def _current_directory_first() -> Iterator[None]:
    """Look for the user's module here first; afterwards this is the last place to look.

    If it stayed first, a file of the user could be imported in place of a library. If it were
    removed, the function could not import the modules beside it when it is called.
    """
    here = str(Path.cwd())
    sys.path.insert(0, here)
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(here)
        if here not in sys.path:
            sys.path.append(here)


def _source_files(module: ModuleType, function: Any) -> list[Path]:
    """Return the file of the module and, where it is another one, that of the function."""
    files = [module.__file__] if getattr(module, "__file__", None) else []
    plain = inspect.unwrap(function)
    has_source = inspect.isroutine(plain) or inspect.isclass(plain)
    with suppress(TypeError):  # what is written in C has no source
        files.append(inspect.getsourcefile(plain if has_source else type(plain)))
    found = dict.fromkeys(Path(file).resolve() for file in files if file)
    return [file for file in found if file.is_file()]


def _said(error: Exception) -> str:
    """Name an error of the user's code and the place where it was raised."""
    reason = (str(error).strip().splitlines() or [""])[0]
    said = f"{type(error).__name__} ({reason})" if reason else type(error).__name__
    if isinstance(error, SyntaxError):
        return f"{said} in {error.filename}, line {error.lineno}"
    ours = Path(__file__).resolve()
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() != ours and not frame.filename.startswith("<")
    ]
    place = f" in {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    return said + place
