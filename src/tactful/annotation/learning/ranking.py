"""From the state of a project to the order of its open items, and the learning curve."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from tactful.annotation.learning.curve import Point, learning_curve
from tactful.annotation.learning.features import CACHE, vectors_of
from tactful.annotation.learning.order import choose
from tactful.annotation.learning.quick import is_learnable
from tactful.annotation.learning.targets import judged_items, learnt_step
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.changes import RankBy
from tactful.errors import InputError
from tactful.words import counted

MOST_RANKED = 500
"""Items that a ranking puts first; the others keep their order."""
MOST_CANDIDATES = 10_000
"""Open items that a ranking chooses from; of more, it draws some by a hash of their ids."""
MOST_LABELLED = 10_000
"""Labelled items that the model learns from, the latest ones."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """An order of items, and what it was made from."""

    by: RankBy
    step: str
    first: tuple[str, ...]
    labels: int
    """Items with at least one judgement."""
    candidates: int
    """Open items that were compared."""
    curve: tuple[Point, ...]

    def data(self) -> dict[str, Any]:
        """Return what :meth:`Project.rank` takes."""
        curve = [[each.labels, *(round(value, 4) for value in each[1:])] for each in self.curve]
        return {
            "first": list(self.first),
            "by": self.by,
            "step": self.step,
            "labels": self.labels,
            "candidates": self.candidates,
            "curve": curve,
        }


def rank_project(
    project: Project,
    by: RankBy,
    step: str | None = None,
    *,
    count: int = MOST_RANKED,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> Ranking:
    """Return the open items that help most, the first one first; nothing is recorded.

    Parameters
    ----------
    project
        The project; it may be open for reading only.
    by
        The strategy (:mod:`tactful.annotation.learning.order`).
    step
        The step to learn; by default the first one with options to choose.
    count
        How many items to put first.
    on_progress
        Called with the number of texts that were read, and of all that are to be read.

    """
    chosen = learnt_step(project.protocol, step)
    with project.lock:
        state = project.state
        judged = judged_items(state, chosen)
        latest = judged[-MOST_LABELLED:]
        shares = {each.item.id: each.share() for each in judged}
        open_now = [item.id for item in state.ordinary() if item.steps[chosen.id].status == "open"]
        open_now = sorted(sorted(open_now, key=_lot)[:MOST_CANDIDATES])
        texts = [each.item.text for each in latest] + [state.items[n].text for n in open_now]
    table = np.array([shares[each.item.id] for each in latest], dtype=np.float64)
    if not latest or not any(is_learnable(column, 2) for column in table.T):
        raise InputError(
            f"Found {counted(len(judged), 'judged item')} in the step '{chosen.id}'; expected at "
            "least two with a yes and two with a no to the same question; collect some first, in "
            "the order of import."
        )
    vectors = vectors_of(texts, project.protocol.lang, project.folder / CACHE, on_progress)
    labelled, candidates = vectors[: len(latest)], vectors[len(latest) :]
    nothing = [np.nan] * table.shape[1]
    given = np.array([shares.get(name, nothing) for name in open_now]).reshape(-1, table.shape[1])
    places = choose(by, labelled, table, candidates, count, given=given) if open_now else ()
    curve = learning_curve(labelled, table)
    return Ranking(
        by,
        chosen.id,
        tuple(open_now[at] for at in places),
        len(judged),
        len(open_now),
        tuple(curve),
    )


def _lot(item: str) -> bytes:
    return sha256(item.encode("utf-8", "surrogatepass")).digest()
