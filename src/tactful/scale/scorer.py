"""What scores: a function of texts, how a worker loads it, and the columns it adds.

This package knows no detectors: the caller passes a :class:`Scorer`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float32] | list[str | None]
Columns = Mapping[str, Column]
"""Name -> one value per text: probabilities, or words such as the language of the text."""

ScoreBatch = Callable[[list[str]], Columns]
"""Scores texts. The values of a text never depend on the other texts.

Besides the ids and words of its :class:`Scorer`, the columns may hold ``model`` where not all texts
are read by the same one, and ``error`` with the reason why a text has no score.
"""

MODEL, ERROR = "model", "error"
PART_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Scorer:
    """A function that scores texts, before it is loaded."""

    load: Callable[[], ScoreBatch]
    """Loads the function in the process that will use it; can be sent to other processes."""
    ids: tuple[str, ...]
    """The columns of probabilities, in their order."""
    model: str
    """The name and version of the model, which the output has beside each score."""
    fingerprint: str
    """A fingerprint of the weights and settings: it changes whenever the scores would."""
    lay_out: Callable[[Path], Callable[[], ScoreBatch]] | None = None
    """Writes the model into a folder, so that processes can map it into memory together, and
    returns what opens it there; None where nothing is gained by that."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The probability from which each id counts as found."""
    words: tuple[str, ...] = ()
    """Further columns of words that the function adds, such as ``lang`` or ``spans``."""
    part_rows: int = PART_ROWS
    """So many rows make a good part: as many as are read in some seconds. What is read slowly is
    cut smaller, so that all workers have some of it, and a crash loses little."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are added to a table, in their order."""
        return (*self.ids, *self.words, MODEL, ERROR)
