"""Which of our ids each attribute of the Perspective API is scored by; the table is data.

Three kinds of rows: an attribute that we score, in one language or more; another name of such an
attribute; and an attribute that we cannot score, with the nearest one that we can. A row of any
kind can name an id with the same definition: a detector that scores this id is asked for it, and
the rest of the row is for the other detectors.
"""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tactful.errors import FileFormatError

TABLE = Path(__file__).with_name("attributes.yaml")
_VERSION = re.compile(r"@(?:latest|[0-9]{1,6})\Z")
_CLOSEST_TO_CERTAIN = 1e-6
"""Probabilities are kept so far from 0 and 1 that their log-odds stay finite."""


@dataclass(frozen=True, slots=True)
class Formula:
    """How the probability of an attribute follows from those of our ids, in one language."""

    weights: Mapping[str, float]
    """id -> how much its log-odds count; one id alone with 1 is that id as it is."""
    intercept: float = 0.0
    threshold: float | None = None
    """The threshold of a flag; None if the model card of the one id has it."""
    only_id: str | None = field(init=False)
    """The id whose probability this is, where it is no combination."""

    def __post_init__(self) -> None:
        plain = self.intercept == 0.0 and list(self.weights.values()) == [1.0]
        object.__setattr__(self, "only_id", next(iter(self.weights)) if plain else None)

    def value(self, probabilities: Mapping[str, float]) -> float:
        """Return the probability of the attribute.

        >>> Formula({"frame.lewd": 1.0}).value({"frame.lewd": 0.25})
        0.25
        """
        if (name := self.only_id) is not None:
            return probabilities[name]
        odds = self.intercept + sum(
            weight * _log_odds(probabilities[name]) for name, weight in self.weights.items()
        )
        # Written so that neither sign overflows.
        return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))

    def reads(self, ids: Collection[str]) -> bool:
        """Say whether a detector with these ids has all that is needed."""
        return all(name in ids for name in self.weights)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute by the name that clients send."""

    name: str
    meaning: str
    """What it means, in our words."""
    reason: str
    """Why it is mapped as it is, or why it is not."""
    origin: str
    """``perspective`` or ``tactful``: where the name comes from."""
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    """Language -> formula; empty for an attribute that we cannot score."""
    nearest: str | None = None
    """For an attribute without formulas: the nearest one that has them."""
    same_as: str | None = None
    own: Formula | None = None
    """The id with the same definition, for detectors that score it, in any language."""

    def formula(self, lang: str, ids: Collection[str]) -> Formula | None:
        """Return how a detector with these ids scores it in a language; None if it cannot.

        >>> attributes()["THREAT"].formula("en", ["toxicity.threat"]).only_id
        'toxicity.threat'
        """
        if self.own is not None and self.own.reads(ids):
            return self.own
        found = self.formulas.get(lang)
        return found if found is not None and found.reads(ids) else None


def bare_name(name: str) -> str:
    """Return an attribute's name without the version that may follow it.

    >>> bare_name("TOXICITY@6")
    'TOXICITY'
    """
    return _VERSION.sub("", name)


@cache
def attributes() -> Mapping[str, Attribute]:
    """Return all attributes of the table by name."""
    return read_attributes(TABLE)


def find_attribute(name: str) -> Attribute | None:
    """Return the attribute that a client names, or None if it is unknown."""
    return attributes().get(bare_name(name))


def fitted() -> Mapping[str, Any]:
    """Return how the combinations of the table were fitted: command, seed, hash of the data."""
    found: Mapping[str, Any] = _loaded(TABLE)["fitted"]
    return found


def read_attributes(path: Path) -> dict[str, Attribute]:
    """Read a table of attributes; an invalid row is an error that names it."""
    rows = _loaded(path)["attributes"]
    found: dict[str, Attribute] = {}
    for name, row in rows.items():
        source = rows.get(row["same_as"]) if "same_as" in row else row
        if source is None or "same_as" in source:
            raise _bad(path, name, "'same_as' that names no scored attribute")
        found[name] = Attribute(
            name,
            " ".join(source["meaning"].split()),
            " ".join(row["reason"].split()),
            row.get("origin", "perspective"),
            {lang: _formula(path, name, cell) for lang, cell in source.get("scores", {}).items()},
            row.get("nearest") or source.get("nearest"),
            row.get("same_as"),
            Formula({source["id"]: 1.0}) if "id" in source else None,
        )
    for name, each in found.items():
        if not each.formulas and not (each.nearest and found[each.nearest].formulas):
            raise _bad(path, name, "neither 'scores' nor a 'nearest' attribute that has them")
    return found


def _formula(path: Path, name: str, cell: Mapping[str, Any]) -> Formula:
    if "id" in cell:
        return Formula({cell["id"]: 1.0})
    weights = {key: float(value) for key, value in cell["weights"].items()}
    # A higher probability of an id must never lower the attribute.
    if not weights or min(weights.values()) < 0:
        raise _bad(path, name, "a weight below 0")
    return Formula(weights, float(cell["intercept"]), float(cell["threshold"]))


@cache
def _loaded(path: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def _bad(path: Path, name: str, found: str) -> FileFormatError:
    return FileFormatError(
        f"{path}: found {found} at '{name}'; expected a row of the table of attributes; correct it."
    )


def _log_odds(probability: float) -> float:
    kept = min(max(probability, _CLOSEST_TO_CERTAIN), 1 - _CLOSEST_TO_CERTAIN)
    return math.log(kept / (1 - kept))
