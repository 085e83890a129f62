"""Which open items to judge next, by one of four strategies.

``uncertainty``
    where the quick model is nearest to one half (Lewis and Gale 1994).
``disagreement``
    where people disagree already, or where the members of a committee do, each of which learnt
    from another sample of the labels (Seung et al. 1992; Abe and Mamitsuka 1998).
``diversity``
    texts that are farthest from all that are labelled or chosen (Sener and Savarese 2018).
``mixed``
    the farthest among the most uncertain and disputed ones, one small batch after the other.
"""

import numpy as np

from tactful.annotation.learning.quick import Floats, QuickModel, Rows, fit_quick
from tactful.annotation.protocol.changes import RankBy

_COMMITTEE = 5
_AT_ONCE = 256
_BATCH = 50
_WIDER = 4
"""The candidates of a mixed batch, as a multiple of its size."""


def choose(
    by: RankBy,
    labelled: Floats,
    shares: Floats,
    candidates: Floats,
    count: int,
    *,
    given: Floats | None = None,
    seed: int = 0,
) -> Rows:
    """Return the places of the items to judge next, the first one first.

    Parameters
    ----------
    by
        The strategy.
    labelled, shares
        The vectors of the labelled items, and what their judgements say (``fit_quick``).
    candidates
        The vectors of the items to choose from.
    count
        How many to choose, at most.
    given
        What judgements say about each candidate so far; NaN where there are none.
    seed
        Of the committee.

    """
    count = min(count, len(candidates))
    if by == "diversity":
        return farthest(labelled, candidates, np.arange(len(candidates)), count)
    scores = np.zeros(len(candidates))
    if by in ("uncertainty", "mixed"):
        scores += _ranks(uncertainty(fit_quick(labelled, shares), candidates))
    if by in ("disagreement", "mixed"):
        scores += _ranks(disagreement(labelled, shares, candidates, given, seed))
    order = np.argsort(-scores, kind="stable")
    return order[:count] if by != "mixed" else _mixed(labelled, candidates, order, count)


def uncertainty(model: QuickModel, candidates: Floats) -> Floats:
    """Return how near to one half the model is, from 0 to 1, on average over the targets."""
    found: Floats = (1 - np.abs(2 * model.predict(candidates) - 1)).mean(axis=1)
    return found


def disagreement(
    labelled: Floats, shares: Floats, candidates: Floats, given: Floats | None, seed: int
) -> Floats:
    """Return how much a committee disagrees, or the people who judged already, from 0 to 1."""
    rng = np.random.default_rng(seed)
    votes = []
    for _ in range(_COMMITTEE):
        rows = rng.integers(len(labelled), size=len(labelled))
        votes.append(fit_quick(labelled[rows], shares[rows]).predict(candidates))
    found: Floats = 2 * np.std(votes, axis=0).mean(axis=1)
    if given is not None:
        split = np.nan_to_num(1 - np.abs(2 * given - 1), nan=0.0).max(axis=1)
        found = np.maximum(found, split)
    return found


def farthest(labelled: Floats, candidates: Floats, among: Rows, count: int) -> Rows:
    """Return places out of ``among``, each the farthest from all labelled and chosen before."""
    # Half the precision is twice as fast, and distances are only compared.
    own, known = candidates[among].astype(np.float32), labelled.astype(np.float32)
    squares = (own**2).sum(axis=1)
    near = np.full(len(own), np.inf, dtype=np.float32)
    for start in range(0, len(known), _AT_ONCE):
        part = known[start : start + _AT_ONCE]
        # Squared distances, without the squares of the candidates, which are added at the end.
        np.minimum(near, ((part**2).sum(axis=1) - 2 * own @ part.T).min(axis=1), out=near)
    near += squares
    chosen: list[int] = []
    for _ in range(min(count, len(own))):
        at = int(np.argmax(near))
        chosen.append(at)
        np.minimum(near, squares + squares[at] - 2 * own @ own[at], out=near)
        near[chosen] = -np.inf
    return among[np.array(chosen, dtype=np.intp)]


def _mixed(labelled: Floats, candidates: Floats, order: Rows, count: int) -> Rows:
    chosen: list[Rows] = []
    left, known = order, labelled
    while count > 0:
        batch = farthest(known, candidates, left[: _WIDER * _BATCH], min(_BATCH, count))
        chosen.append(batch)
        known = np.concatenate([known, candidates[batch]])
        left = left[~np.isin(left, batch)]
        count -= len(batch)
    return np.concatenate(chosen) if chosen else order[:0]


def _ranks(scores: Floats) -> Floats:
    """Return the place of each score among all, from 0 to 1, so that two scores can be added."""
    from scipy.stats import rankdata

    found: Floats = rankdata(scores) / max(1, len(scores))
    return found
