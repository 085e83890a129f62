"""What to do when two labels have the same weight: a rule that is chosen, never an accident."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tactful.aggregation.judgements import as_number, over_labels
from tactful.errors import InputError, UsageError
from tactful.ratings import Codes, Numbers
from tactful.registry import unknown_name
from tactful.words import counted

Ties = Literal["error", "first", "lowest", "highest", "random", "none"]
POLICIES: tuple[str, ...] = get_args(Ties)

NO_LABEL = -1
_SHOWN = 3
# Sums of decimals that are equal on paper differ in the last digits.
_SAME = 1e-9

RULES = {
    "first": "the first in the order of the labels was taken",
    "lowest": "the lowest was taken",
    "highest": "the highest was taken",
    "random": "one was drawn at random, seed {seed}",
    "none": "ties get no label",
}


def check_policy(ties: str, labels: tuple[str, ...]) -> None:
    """Refuse an unknown policy, or one that needs numbers if the labels are words."""
    if ties not in POLICIES:
        raise unknown_name("tie policy", ties, list(POLICIES))
    if ties in ("lowest", "highest") and any(as_number(label) is None for label in labels):
        raise UsageError(
            f"The tie policy '{ties}' compares numbers, but the labels are "
            f"{', '.join(labels[:_SHOWN])}; take 'first', 'random', 'none' or 'error'."
        )


def note_on(tied: int, items: int) -> str:
    """Say that tied items have no label, and what would give them one."""
    return (
        f"{tied:,} of {counted(items, 'item')} {'is' if tied == 1 else 'are'} tied and got no "
        "label; collect another judgement of each, or choose a tie policy: first, lowest, highest "
        "or random."
    )


def choose(
    scores: Numbers, ties: str, items: tuple[str, ...], labels: tuple[str, ...], seed: int
) -> tuple[Codes, NDArray[np.bool_]]:
    """Return the best label of each row of ``scores``, and which rows are tied.

    Rows stand in the order of the items' names, so that a random choice does not depend on the
    order of the table.
    """
    check_policy(ties, labels)
    if not scores.size:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    best = best_of(scores)
    tied = best.sum(axis=1) > 1
    chosen = best.argmax(axis=1)
    if ties == "error" and tied.any():
        names = ", ".join(repr(items[at]) for at in np.flatnonzero(tied)[:_SHOWN])
        raise InputError(
            f"Found {counted(int(tied.sum()), 'item')} with a tie ({names}); expected a clear "
            "label for each; choose a tie policy: first, lowest, highest, random or none."
        )
    if ties == "highest":
        chosen = scores.shape[1] - 1 - best[:, ::-1].argmax(axis=1)
    elif ties == "random":
        draws = np.random.default_rng(seed).random(scores.shape)
        chosen = np.where(best, draws, -1.0).argmax(axis=1)
    elif ties == "none":
        chosen = np.where(tied, NO_LABEL, chosen)
    return chosen.astype(np.int64), tied


def best_of(scores: Numbers) -> NDArray[np.bool_]:
    """Say which scores of each row are the highest, or as good as the highest."""
    top = over_labels(np.maximum, scores)
    return np.asarray(scores >= top - _SAME * np.abs(top))
