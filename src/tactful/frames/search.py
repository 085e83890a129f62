"""The most probable assignment of the categorical variables that keeps the constraints.

A model's five probabilities can contradict each other (no offence, but a group that is offended).
All thirty-two assignments are weighed by the product of their probabilities, those that break a
constraint are left out, and the best of the rest is taken (Sap et al. 2020, section 4, "constr").
"""

from collections.abc import Mapping
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tactful.frames.schema import CATEGORICAL, GROUPS

Assignment = dict[str, int]
_SURE = 1e-6
"""Probabilities are kept this far from 0 and 1: no answer of a model is beyond all doubt."""


@cache
def consistent_assignments() -> tuple[tuple[int, ...], ...]:
    """Return every assignment (in the order of ``CATEGORICAL``) that breaks no constraint."""
    from tactful.taxonomies.frame_constraints import check_frame_values

    found = []
    for values in product((0, 1), repeat=len(CATEGORICAL)):
        answers = {
            name: "yes" if value else "no" for name, value in zip(CATEGORICAL, values, strict=True)
        }
        if not check_frame_values({**answers, GROUPS: ("somebody",) if values[3] else ()}):
            found.append(values)
    return tuple(found)


def most_probable(probabilities: Mapping[str, float], group: bool | None = None) -> Assignment:
    """Return the best consistent assignment.

    ``group`` says that a group was generated (True) or that none was (False): the assignment must
    then agree with the text, as the paper searches "given the generated text candidate".

    >>> best = most_probable({"frame.lewd": .1, "frame.offensive": .4, "frame.intent": .3,
    ...                       "frame.group": .8, "frame.in_group": .1})
    >>> best["frame.offensive"], best["frame.group"]
    (1, 1)
    """
    chances = np.array([[probabilities[name] for name in CATEGORICAL]])
    best = most_probable_rows(chances, None if group is None else np.array([group]))
    return dict(zip(CATEGORICAL, map(int, best[0]), strict=True))


def most_probable_rows(
    probabilities: NDArray[np.floating], groups: NDArray[np.bool_] | None = None
) -> NDArray[np.int8]:
    """Search for many texts at a time: one row each, in the order of ``CATEGORICAL``."""
    chances = np.clip(np.asarray(probabilities, dtype=np.float64), _SURE, 1 - _SURE)
    options = np.array(consistent_assignments(), dtype=np.int8)
    scores = np.log(chances) @ options.T + np.log1p(-chances) @ (1 - options.T)
    if groups is not None:
        agrees = options[:, 3][None, :] == np.asarray(groups, dtype=np.int8)[:, None]
        scores = np.where(agrees, scores, -np.inf)
    found: NDArray[np.int8] = options[scores.argmax(axis=1)]
    return found


def at_thresholds(
    probabilities: NDArray[np.floating], thresholds: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return probabilities moved so that each threshold becomes a half.

    The search weighs a yes against a no; so a variable can be claimed from another probability on.
    """
    odds = _log_odds(np.asarray(probabilities)) - _log_odds(np.asarray(thresholds))
    found: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return found


def _log_odds(chances: NDArray[np.floating]) -> NDArray[np.float64]:
    clipped = np.clip(chances.astype(np.float64), _SURE, 1 - _SURE)
    found: NDArray[np.float64] = np.log(clipped) - np.log1p(-clipped)
    return found


def breaks(values: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Say of each row of answers whether it breaks a constraint."""
    allowed = set(consistent_assignments())
    return np.array([tuple(map(int, row)) not in allowed for row in values], dtype=bool)
