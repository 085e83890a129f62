"""What trained networks share: texts held out for early stopping, and the shape of answers."""

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import sigmoid
from tactful.detectors.models.estimator import Numbers
from tactful.errors import UsageError


def held_out_rows(
    labels: NDArray[np.bool_], share: float, seed: int
) -> tuple[list[int], list[int]]:
    """Return the rows to learn from and those to hold out, each with its share of labelled texts.

    There is at least one row of each where ``share`` is above 0.
    """
    if not 0 <= share < 1:
        raise UsageError(f"Found a validation share of {share:g}; expected 0 or more, below 1.")
    if share == 0:
        return list(range(len(labels))), []
    if len(labels) < 2:
        raise UsageError("Found one text; expected at least 2, one of them to hold out.")
    order = np.random.default_rng(seed).permutation(len(labels))
    held_out: list[int] = []
    for marked in (True, False):
        rows = [int(row) for row in order if bool(labels[row].any()) is marked]
        held_out += rows[: round(len(rows) * share)]
    held_out = held_out or [int(order[0])]
    taken = set(held_out)
    return [row for row in range(len(labels)) if row not in taken], sorted(held_out)


def probabilities(logits: Numbers, several: bool) -> Numbers:
    """Return probabilities: of 0 and 1, or of 1 for each label if there are several."""
    yes = sigmoid(logits)
    return yes if several else np.concatenate([1 - yes, yes], axis=1)
