"""Balancing a rare label: bags without most of the majority, or the minority drawn again.

I2C, the best team of subtask 1, did this for the binary label; DETESTS 2022 (section 6) says that
nobody tried it for the categories. Here it is the same for every label.
"""

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
BAGS = 7


def under_bags(labels: Flags, bags: int, seed: int, ratio: float = 1.0) -> list[Numbers]:
    """Return the weights of the rows in each bag: all of the rarer side, ``ratio`` times the other.

    The other side is drawn without replacement, and again when all of it was used: with enough
    bags every row is used.
    """
    if bags < 1 or ratio <= 0:
        raise UsageError(f"Found {bags} bags and the ratio {ratio:g}; expected both above 0.")
    rare, common = _sides(labels)
    wanted = min(len(common), max(1, round(ratio * len(rare))))
    rng = np.random.default_rng([seed, 11])
    pile: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    found = []
    for _ in range(bags):
        dealt, pile = pile[:wanted], pile[wanted:]
        if len(dealt) < wanted:
            fresh = rng.permutation(common)
            # Rows that the bag already has go to the end: no row is in a bag twice.
            held = np.isin(fresh, dealt)
            fresh = np.concatenate([fresh[~held], fresh[held]])
            short = wanted - len(dealt)
            dealt, pile = np.concatenate([dealt, fresh[:short]]), fresh[short:]
        weights = np.zeros(len(labels))
        weights[rare] = 1.0
        weights[dealt] = 1.0
        found.append(weights)
    return found


def over_sampled(labels: Flags, seed: int) -> Numbers:
    """Return how often each row is taken: the rarer side is drawn again until both are equal."""
    rare, common = _sides(labels)
    weights = np.ones(len(labels))
    drawn = np.random.default_rng([seed, 13]).choice(rare, len(common) - len(rare))
    np.add.at(weights, drawn, 1.0)
    return weights


def _sides(labels: Flags) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    yes, no = np.flatnonzero(labels), np.flatnonzero(~labels)
    if not len(yes) or not len(no):
        raise UsageError(
            f"Found {len(yes):,} rows with the label and {len(no):,} without; expected some of "
            "each to balance."
        )
    return (yes, no) if len(yes) <= len(no) else (no, yes)
