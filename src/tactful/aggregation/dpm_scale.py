"""The 5-point scale of Don't Patronize Me! (Pérez-Almendros et al. 2020, section 4.2.1).

Two annotators say 0 (no), 1 (borderline) or 2 (clearly); the label is the sum of their answers.
Where one says 0 and the other 2, a referee decides: 0 makes it 1, 1 makes it 2, and 2 makes it 3.
So 0 and 4 remain for the clear cases. In the paper's experiments 2, 3 and 4 count as positive.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.aggregation.judgements import as_number, judged, read_judgements
from tactful.aggregation.result import Aggregated, Basis, Reasons, named
from tactful.errors import InputError
from tactful.ratings import Numbers, Ratings
from tactful.registry import unknown_name

ANSWERS = (0.0, 1.0, 2.0)
CLASSES = ("0", "1", "2", "3", "4")

_SUM, _REFEREE, _UNUSED, _WAITING, _FEW, _MANY = range(6)
_RULES = (
    "the two answers add up",
    "0 against 2: the referee decided",
    "the two answers add up; the referee's answer is not needed and was not used",
    "0 against 2: the referee has to decide",
    "fewer than two annotators judged it",
    "more than two annotators judged it, and nothing says which two count; "
    "name the referee if one of them is",
)


@dataclass(frozen=True, slots=True, eq=False)
class DpmScale(Aggregated):
    """Labels from 0 to 4, and why the other items have none."""

    needs_referee: tuple[str, ...]
    """The items with 0 against 2, whether the referee has answered or not."""
    waiting: tuple[str, ...]
    """Those of them that the referee has not answered yet."""
    problems: tuple[tuple[str, str], ...]
    """Items and what is wrong with their judgements; an unused referee's answer is one, too."""


def dpm_five_point(table: Any, *, referee: str | None = None) -> DpmScale:
    """Combine the answers of two annotators to the 5-point scale.

    ``referee`` is the annotator who decides where the two are 0 against 2. Without a referee, the
    result lists the items that need one. An answer other than 0, 1 or 2 is an error. The paper
    defines no confidence, so there is none.
    """
    ratings = read_judgements(table)
    _refuse_other_answers(ratings)
    if referee is not None and referee not in ratings.annotators:
        raise unknown_name("annotator", referee, list(ratings.annotators))
    data = judged(ratings)
    votes = data.ratings
    size = len(votes.items)
    value = _values(votes)
    is_referee = np.zeros(len(votes), dtype=np.bool_)
    if referee is not None:
        is_referee = votes.annotator == votes.annotators.index(referee)
    main, by_referee = votes.item[~is_referee], votes.item[is_referee]
    number = np.bincount(main, minlength=size)
    total = np.bincount(main, value[~is_referee], size).astype(np.int64)
    highest = np.zeros(size)
    np.maximum.at(highest, main, value[~is_referee])
    refereed = np.bincount(by_referee, minlength=size) > 0
    verdict = np.bincount(by_referee, value[is_referee], size).astype(np.int64)

    # Two answers of which one is 2 add up to 2 only if the other one is 0.
    opposed = (number == 2) & (total == 2) & (highest == 2)
    status = np.full(size, _SUM)
    status[refereed] = _UNUSED
    status[opposed & refereed] = _REFEREE
    status[opposed & ~refereed] = _WAITING
    status[number < 2] = _FEW
    status[number > 2] = _MANY
    chosen = np.where(status == _REFEREE, verdict + 1, total)
    chosen = np.where(status >= _WAITING, -1, chosen)

    labels, _ = named(data, CLASSES, chosen, np.zeros(size))
    unsure: tuple[float | None, ...] = (None,) * len(ratings.items)
    basis = Basis("", lambda place: _RULES[status[place]])
    at_table = np.append(status, _FEW)[data.place]
    waiting = _names(ratings, at_table == _WAITING)
    return DpmScale(
        "dpm_scale",
        ratings.items,
        labels,
        unsure,
        CLASSES,
        None,
        Reasons(data, basis, ratings.items, labels, unsure),
        _notes(waiting),
        needs_referee=_names(ratings, (at_table == _WAITING) | (at_table == _REFEREE)),
        waiting=waiting,
        problems=tuple(
            (ratings.items[at], _RULES[at_table[at]]) for at in np.flatnonzero(at_table >= _UNUSED)
        ),
    )


def _refuse_other_answers(ratings: Ratings) -> None:
    values = ratings.values
    wrong = (
        [label for label in ratings.labels if as_number(label) not in ANSWERS]
        if values is None
        else [ratings.labels[at] for at in np.flatnonzero(~np.isin(values, ANSWERS))]
    )
    if wrong:
        raise InputError(
            f"Found the answers {', '.join(map(repr, wrong[:5]))}; expected 0 (no), 1 (borderline) "
            "and 2 (clearly) only."
        )


def _values(votes: Ratings) -> Numbers:
    values = votes.values
    return np.zeros(0) if values is None or not values.size else values[votes.label]


def _names(ratings: Ratings, mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(ratings.items[at] for at in np.flatnonzero(mask))


def _notes(waiting: tuple[str, ...]) -> tuple[str, ...]:
    if not waiting:
        return ()
    noun = "item waits" if len(waiting) == 1 else "items wait"
    shown = ", ".join(map(repr, waiting[:3])) + (", …" if len(waiting) > 3 else "")
    return (f"{len(waiting):,} {noun} for the referee ({shown}).",)
