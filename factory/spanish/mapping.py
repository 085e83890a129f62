"""From the codes of StereoImmigrants to the ten categories of DETESTS, as data with its doubts.

``stereotype_mapping.yaml`` holds one entry for each code of the expert's column and how sure we are
of each category; an ending N or R (a claim denied or reported) makes all of them less sure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tactful.corpora.detests import CATEGORIES
from tactful.errors import InputError

MAPPING_FILE = Path(__file__).with_name("stereotype_mapping.yaml")


@dataclass(frozen=True, slots=True)
class Mapped:
    """What one code of StereoImmigrants is in DETESTS."""

    code: str
    name: str
    to: Mapping[str, float]
    """How sure we are of each category, above 0 to 1; a category that is not here has 0."""
    doubt: str | None


@dataclass(frozen=True, slots=True)
class Ending:
    """What a letter after a code does to how sure we are."""

    letter: str
    name: str
    factor: float
    note: str


@dataclass(frozen=True, slots=True)
class StereotypeMapping:
    """The whole table."""

    version: str
    codes: Mapping[str, Mapped]
    endings: Mapping[str, Ending]
    without_data: Mapping[str, str]
    """Why a category has no labelled sentence in StereoImmigrants."""

    def of(self, code: str) -> Mapped:
        """Return what a code maps to; an unknown one is an :class:`~tactful.errors.InputError`."""
        stem, letter = (code[:-1], code[-1]) if code[-1:].isalpha() else (code, "")
        found = self.codes.get(stem)
        if found is None or (letter and letter not in self.endings):
            known, endings = ", ".join(self.codes), " or ".join(self.endings)
            raise InputError(
                f"Found the code {code!r}; expected one of {known}, with {endings} after it or "
                "not; correct the column TAX_1 or add the code to the mapping."
            )
        if not letter:
            return found
        ending = self.endings[letter]
        to = {name: sure * ending.factor for name, sure in found.to.items()}
        doubts = [text for text in (found.doubt, ending.note) if text]
        return Mapped(code, f"{found.name}; {ending.name}", MappingProxyType(to), " ".join(doubts))


@cache
def load_mapping() -> StereotypeMapping:
    """Load the mapping that comes with Tactful."""
    import yaml

    data = yaml.safe_load(MAPPING_FILE.read_text(encoding="utf-8"))
    codes = {
        code: Mapped(code, entry["name"], MappingProxyType(entry["to"]), entry.get("doubt"))
        for code, entry in data["codes"].items()
    }
    endings = {letter: Ending(letter, **entry) for letter, entry in data["endings"].items()}
    return StereotypeMapping(
        data["version"],
        MappingProxyType(codes),
        MappingProxyType(endings),
        MappingProxyType(data["without_data"]),
    )


def mapped_labels(codes: Sequence[str]) -> NDArray[np.float64]:
    """Return one row per code and one column per category of DETESTS, 0 to 1.

    They are soft labels: a doubt is a number below 1. A negative sentence (a code of the file
    without stereotypes) has no row here.
    """
    mapping = load_mapping()
    rows = np.zeros((len(codes), len(CATEGORIES)))
    for row, code in enumerate(codes):
        for name, sure in mapping.of(code).to.items():
            rows[row, CATEGORIES.index(name)] = sure
    return rows
