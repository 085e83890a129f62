"""Report thresholds: as much harm as a small budget of ordinary texts allows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
MOST_AT_ONCE = 5
"""How many ordinary texts one step may give up; some harm lies only behind several."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Ordinary texts of one kind: their scores by id, and how many may have a finding."""

    scores: Mapping[str, Floats]
    allowed: int


def quiet_thresholds(
    least: Mapping[str, float], pools: Sequence[Pool], harmful: Mapping[str, Floats]
) -> dict[str, float]:
    """Return the thresholds that find most harmful texts within the budgets of ordinary ones.

    Every threshold starts above all ordinary texts. Then, step by step, one is lowered: the one
    that finds most harmful texts for each ordinary text that it flags.

    Parameters
    ----------
    least
        For each id that is reported on its own, the lowest threshold that it may have.
    pools
        The kinds of ordinary texts.
    harmful
        The scores of harmful texts, by id.

    """
    ids = list(least)
    floor = np.array([least[name] for name in ids])
    quiet = np.column_stack([np.concatenate([pool.scores[name] for pool in pools]) for name in ids])
    pool_of = np.repeat(np.arange(len(pools)), [len(pool.scores[ids[0]]) for pool in pools])
    left = np.array([pool.allowed for pool in pools])
    harm = np.column_stack([harmful[name] for name in ids])
    while True:
        thresholds = np.maximum(floor, np.nextafter(quiet.max(axis=0, initial=0.0), 1))
        missed = harm[~(harm >= thresholds).any(axis=1)]
        best: tuple[float, NDArray[np.intp]] | None = None
        for column in range(len(ids)):
            loudest = np.argsort(-quiet[:, column], kind="stable")[: MOST_AT_ONCE + 1]
            for count in range(1, len(loudest)):
                given = loudest[:count]
                if (np.bincount(pool_of[given], minlength=len(pools)) > left).any():
                    break
                lowered = max(floor[column], np.nextafter(quiet[loudest[count], column], 1))
                gain = float((missed[:, column] >= lowered).sum()) / count
                if gain > 0 and (best is None or gain > best[0]):
                    best = gain, given
        if best is None:
            return dict(zip(ids, thresholds.tolist(), strict=True))
        left -= np.bincount(pool_of[best[1]], minlength=len(pools))
        kept = np.setdiff1d(np.arange(len(quiet)), best[1])
        quiet, pool_of = quiet[kept], pool_of[kept]
