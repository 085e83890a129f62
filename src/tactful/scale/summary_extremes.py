"""The texts with the highest probabilities: each once, and the same ones however rows are cut."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

LONGEST_TEXT = 1_000


@dataclass(frozen=True, slots=True)
class Extreme:
    """A text with one of the highest probabilities of an id."""

    probability: float
    text: str
    """Its first 1,000 letters."""
    source: str = ""
    """Where it was found; the first name in the order of letters, where there are several."""
    times: int = 1
    """How often it was found."""


def highest(values: NDArray[np.float32], texts: pl.Series, most: int, source: str) -> list[Extreme]:
    """Return the distinct texts with the highest probabilities."""
    known = len(values) - int(np.isnan(values).sum())
    wanted = most
    while True:
        wanted = min(wanted, known)
        if not wanted:
            return []
        # NaN sorts last, so the highest numbers end at ``known``.
        least = np.partition(values, known - wanted)[known - wanted]
        # All that are as high as the last one are looked at: which of them stay, their text says.
        rows = np.flatnonzero(values >= least)
        kept = merged_extremes(
            (
                Extreme(value, text[:LONGEST_TEXT], source)
                for value, text in zip(values[rows].tolist(), texts[rows].to_list(), strict=True)
            ),
            most,
        )
        if len(kept) == most or wanted == known:
            return kept
        wanted *= 4  # copies of the same texts took the places of others


def merged_extremes(candidates: Iterable[Extreme], most: int) -> list[Extreme]:
    """Return the highest of them; the same text with the same probability stands once.

    A text that is among the highest of all is among the highest of each part that holds it. So
    how often it was found is exact, in whatever order parts are added up.
    """
    each: dict[tuple[float, str], Extreme] = {}
    for one in candidates:
        key = (-one.probability, one.text)
        known = each.get(key)
        each[key] = (
            one
            if known is None
            else replace(known, source=min(known.source, one.source), times=known.times + one.times)
        )
    return [each[key] for key in sorted(each)[:most]]
