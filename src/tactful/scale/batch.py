"""The function that all engines call: texts in, columns out, and a reason for each missing score.

It is pure: the same text has the same values in any batch, on any engine, in any order.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.errors import TactfulError
from tactful.scale.scorer import ERROR, MODEL, Column, Columns, ScoreBatch, Scorer

NO_TEXT, EMPTY, NOT_A_NUMBER = "no text", "empty text", "no number came out"
_LONGEST_REASON = 200


def score_batch(texts: Sequence[str | None], score: ScoreBatch, scorer: Scorer) -> pl.DataFrame:
    """Return one row per text: a probability per id, further words, the model, and the error.

    A text that cannot be scored has a reason instead of probabilities; the others are not affected.
    """
    whole = [text for text in texts if text and not text.isspace()]
    if len(whole) < len(texts) or not whole:
        return _with_gaps(texts, score, scorer)
    try:
        found = score(whole)
    except Exception:
        return _with_gaps(texts, score, scorer)
    numbers = [np.asarray(found[name], dtype=np.float32) for name in scorer.ids]
    if ERROR in found or any(np.isnan(column).any() for column in numbers):
        return _with_gaps(texts, score, scorer, found)
    words = {name: found[name] for name in scorer.words}
    model = found.get(MODEL, pl.repeat(scorer.model, len(texts), dtype=pl.String, eager=True))
    error = pl.repeat(None, len(texts), dtype=pl.String, eager=True)
    return _table(numbers, {**words, MODEL: model, ERROR: error}, scorer)


def _with_gaps(
    texts: Sequence[str | None], score: ScoreBatch, scorer: Scorer, known: Columns | None = None
) -> pl.DataFrame:
    """Score texts of which some may have no score."""
    reasons: list[str | None] = [
        NO_TEXT if text is None else None if text and not text.isspace() else EMPTY
        for text in texts
    ]
    rows = [at for at, reason in enumerate(reasons) if reason is None]
    numbers = np.full((len(texts), len(scorer.ids)), np.nan, dtype=np.float32)
    words: dict[str, list[str | None]] = {name: [None] * len(texts) for name in scorer.words}
    models: list[str | None] = [scorer.model] * len(texts)
    whole = [text for text in texts if text and not text.isspace()]
    for part, found in [(rows, known)] if known is not None else _answers(whole, rows, score):
        if isinstance(found, str):
            for at in part:
                reasons[at] = found
            continue
        for column, name in enumerate(scorer.ids):
            numbers[part, column] = found[name]
        for name, values in (*words.items(), (MODEL, models), (ERROR, reasons)):
            if name in found:
                _put(values, part, found[name])
    _explain_gaps(numbers, reasons)
    models = [None if reason else model for model, reason in zip(models, reasons, strict=True)]
    return _table(list(numbers.T), {**words, MODEL: models, ERROR: reasons}, scorer)


def _put(values: list[str | None], part: list[int], found: Column) -> None:
    for at, value in zip(part, found, strict=True):
        values[at] = value


def _answers(
    texts: list[str], rows: list[int], score: ScoreBatch
) -> "list[tuple[list[int], Columns | str]]":
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


def _explain_gaps(numbers: NDArray[np.float32], reasons: list[str | None]) -> None:
    """Make sure that each row has either a number or a reason."""
    missing = np.isnan(numbers).all(axis=1) if numbers.shape[1] else np.zeros(len(numbers), bool)
    for at in np.flatnonzero(missing).tolist():
        reasons[at] = reasons[at] or NOT_A_NUMBER
    numbers[[at for at, reason in enumerate(reasons) if reason is not None]] = np.nan


def _table(
    numbers: Sequence[NDArray[np.float32]], words: Mapping[str, Column | pl.Series], scorer: Scorer
) -> pl.DataFrame:
    return pl.DataFrame(
        [
            *(
                pl.Series(name, np.ascontiguousarray(column), pl.Float32, nan_to_null=True)
                for name, column in zip(scorer.ids, numbers, strict=True)
            ),
            *(pl.Series(name, values, pl.String) for name, values in words.items()),
        ]
    )
