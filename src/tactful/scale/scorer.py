"""What scores: a function of texts, how a worker loads it, and the columns it adds.

All engines call :func:`score_texts`: texts in, columns out, and a reason for each missing score. It
is pure: the same text has the same values in any batch, on any engine, in any order. This package
knows no detectors: the caller passes a :class:`Scorer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.errors import TactfulError
from tactful.libraries import Library

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

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
NO_TEXT, EMPTY, NOT_A_NUMBER = "no text", "empty text", "no number came out"
_LONGEST_REASON = 200


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


@dataclass(frozen=True, slots=True)
class Scores:
    """The added columns of some texts."""

    numbers: NDArray[np.float32]
    """Texts by ids; NaN where there is no probability."""
    words: dict[str, list[str | None]]
    """The columns of words, the model, and the error."""


def score_batch(texts: Sequence[str | None], score: ScoreBatch, scorer: Scorer) -> pl.DataFrame:
    """Return the scores of texts as a table, with one row per text."""
    found = score_texts(texts, score, scorer)
    return pl.DataFrame(
        [
            *(
                pl.Series(name, np.ascontiguousarray(column), pl.Float32, nan_to_null=True)
                for name, column in zip(scorer.ids, found.numbers.T, strict=True)
            ),
            *(pl.Series(name, values, pl.String) for name, values in found.words.items()),
        ]
    )


def score_texts(texts: Sequence[str | None], score: ScoreBatch, scorer: Scorer) -> Scores:
    """Return for each text a probability per id, further words, the model, and the error.

    A text that cannot be scored has a reason instead of probabilities; the others are not affected.
    """
    reasons: list[str | None] = [
        NO_TEXT if text is None else None if text and not text.isspace() else EMPTY
        for text in texts
    ]
    rows = [at for at, reason in enumerate(reasons) if reason is None]
    numbers = np.full((len(texts), len(scorer.ids)), np.nan, dtype=np.float32)
    words: dict[str, list[str | None]] = {name: [None] * len(texts) for name in scorer.words}
    words |= {MODEL: [scorer.model] * len(texts), ERROR: reasons}
    for part, found in _answers([texts[at] or "" for at in rows], rows, score):
        if isinstance(found, str):
            reasons[part[0]] = found
            continue
        for column, name in enumerate(scorer.ids):
            numbers[part, column] = found[name]
        for name in (*scorer.words, *({MODEL, ERROR} & found.keys())):
            for at, value in zip(part, found[name], strict=True):
                words[name][at] = value
    # Each row has either a number or a reason.
    missing = np.isnan(numbers).all(axis=1) & bool(scorer.ids)
    for at in np.flatnonzero(missing).tolist():
        reasons[at] = reasons[at] or NOT_A_NUMBER
    for at, reason in enumerate(reasons):
        if reason is not None:
            numbers[at], words[MODEL][at] = np.nan, None
    return Scores(numbers, words)


def _answers(
    texts: list[str], rows: list[int], score: ScoreBatch
) -> list[tuple[list[int], Columns | str]]:
    """Score texts together; if that fails, halve them until the failing text is found."""
    if not texts:
        return []
    try:
        return [(rows, score(texts))]
    except Exception as error:
        if len(texts) == 1:
            if isinstance(error, MemoryError):
                raise  # a problem of the machine, not of the text: it may be scored later
            return [(rows, _reason(error))]
    half = len(texts) // 2
    return [
        *_answers(texts[:half], rows[:half], score),
        *_answers(texts[half:], rows[half:], score),
    ]


def _reason(error: Exception) -> str:
    said = str(error).strip().splitlines()
    name = "" if isinstance(error, TactfulError) and said else f"{type(error).__name__}: "
    return f"{name}{said[0] if said else 'no reason was given'}"[:_LONGEST_REASON]
