"""The finished stages of a long training, each kept with a record of what it was made from.

A stage is a file in the work folder. The file ``NAME.made_from.json`` beside it holds the hashes of
its data, and its settings. A later run reuses the stage only if the record says the same; otherwise
it makes the stage again and says why. A stage names the stages before it by their digest, so that a
change reaches everything that depends on it.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tactful.files import atomic_path

Say = Callable[[str], None]
MadeFrom = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """A file of the work folder, what it is made from, and what writes it."""

    path: Path
    made_from: MadeFrom
    make: Callable[[Path], None]
    say: Say = lambda _: None

    @property
    def digest(self) -> str:
        """A hash of what it is made from; the stages after it name it by this."""
        return sha256(json.dumps(self.made_from, sort_keys=True).encode()).hexdigest()

    def file(self) -> Path:
        """Return the file; write it first, unless it was made from the same data and settings."""
        record = self.path.with_name(f"{self.path.name}.made_from.json")
        wanted = json.loads(json.dumps(self.made_from))
        if self.path.is_file():
            found = _read(record)
            if found == wanted:
                return self.path
            self.say(f"{self.path}: made again, because {_difference(found, wanted)}.")
        # A stage that stops half-way has no record, and is never reused.
        record.unlink(missing_ok=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.make(self.path)
        with atomic_path(record, force=True) as target:
            target.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")
        return self.path

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of a stage that :func:`saved` writes, by name."""
        with np.load(self.file()) as kept:
            return {key: kept[key] for key in kept.files}


def saved(make: Callable[[], Mapping[str, np.ndarray]]) -> Callable[[Path], None]:
    """Return a function that writes the arrays that ``make`` returns."""

    def write(path: Path) -> None:
        made: dict[str, Any] = dict(make())
        with atomic_path(path, force=True) as target, target.open("wb") as file:
            np.savez(file, **made)

    return write


def hash_of(*parts: Iterable[object]) -> str:
    """Return a hash of texts, rows or other values that print in full."""
    found = sha256()
    for part in parts:
        for each in part:
            found.update(repr(each).encode("utf-8", "backslashreplace") + b"\n")
        found.update(b"\x00")
    return found.hexdigest()


def _read(record: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _difference(found: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> str:
    if found is None:
        return "nothing says what it was made from"
    changed = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
    return f"this changed since it was made: {', '.join(changed)}"
