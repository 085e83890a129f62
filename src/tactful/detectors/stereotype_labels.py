"""The hierarchy of racial stereotypes, and answers that never contradict it (DETESTS 2022, 4.1.1).

A category implies ``stereotype``; ``stereotype`` implies at least one category, and where none
was found that is ``others``. Nothing is implicit where there is no stereotype. What group is
spoken about (``racial_target``, ``other_target``) is a matter of its own.

Three ways to decide, for columns of probabilities:

``closed``
    every label for itself, then what they imply.
``two-stage``
    first whether there is a stereotype, then which categories, among those only (section 5.1).
``joint``
    the categories decide, and ``stereotype`` is whether there is any (MALNIS, section 5.2).
"""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name

Mode = Literal["closed", "two-stage", "joint"]
Flags = NDArray[np.bool_]

ROOT = "stereotype"
CATEGORIES = (
    "stereotype.xenophobia", "stereotype.suffering", "stereotype.economic",
    "stereotype.migration", "stereotype.culture", "stereotype.benefits", "stereotype.health",
    "stereotype.security", "stereotype.dehumanisation", "stereotype.others",
)  # fmt: skip
"""In the order of the paper, which is that of the official files."""
OTHERS = "stereotype.others"
IMPLICIT = "stereotype.implicit"
TARGETS = ("stereotype.racial_target", "stereotype.other_target")
LABELS = (ROOT, *CATEGORIES, IMPLICIT, *TARGETS)
THRESHOLD = 0.5
"""From this probability on a label is given, where nothing else is said."""


def consistent(labels: Iterable[str]) -> set[str]:
    """Return the labels that follow from these; what cannot stand alone goes.

    >>> sorted(consistent({"stereotype.health"}))
    ['stereotype', 'stereotype.health']
    >>> sorted(consistent({"stereotype"}))
    ['stereotype', 'stereotype.others']
    >>> consistent({"stereotype.implicit"})
    set()
    """
    if isinstance(labels, str):
        raise InputError(f"Found the text {labels!r}; expected a set or list of labels.")
    found = set(labels)
    for label in sorted(found):
        if label not in LABELS:
            raise unknown_name("label of stereotypes", label, list(LABELS))
    if found.intersection(CATEGORIES):
        found.add(ROOT)
    elif ROOT in found:
        found.add(OTHERS)
    else:
        found.discard(IMPLICIT)
    return found


def decide(
    probabilities: Mapping[str, ArrayLike],
    thresholds: Mapping[str, float] | None = None,
    mode: Mode = "closed",
) -> dict[str, Flags]:
    """Turn columns of probabilities into yes and no, in agreement with the hierarchy.

    ``probabilities`` has a column for ``stereotype`` (in the mode ``joint`` it is not looked at)
    and for every category, and may have the attributes; ``thresholds`` those that are not 0.5. A
    label is given from its threshold on.
    """
    if mode not in get_args(Mode):
        raise UsageError(f"Found the mode {mode!r}; expected one of {', '.join(get_args(Mode))}.")
    above = _above(probabilities, thresholds or {}, mode)
    if mode == "joint":
        root = np.logical_or.reduce([above[name] for name in CATEGORIES])
    elif mode == "two-stage":
        root = above[ROOT]
    else:
        root = np.logical_or.reduce([above[name] for name in (ROOT, *CATEGORIES)])
    found = {ROOT: root, **{name: above[name] & root for name in CATEGORIES}}
    some = np.logical_or.reduce([found[name] for name in CATEGORIES])
    found[OTHERS] = found[OTHERS] | (root & ~some)
    if IMPLICIT in above:
        found[IMPLICIT] = above[IMPLICIT] & root
    return {**found, **{name: above[name] for name in TARGETS if name in above}}


def label_sets(columns: Mapping[str, ArrayLike]) -> list[set[str]]:
    """Return the set of labels of each row of yes-and-no columns."""
    names = list(columns)
    if not names:
        return []
    table = np.stack([np.asarray(columns[name], dtype=np.bool_) for name in names], axis=1)
    return [{names[at] for at in np.flatnonzero(row)} for row in table]


def _above(
    probabilities: Mapping[str, ArrayLike], thresholds: Mapping[str, float], mode: Mode
) -> dict[str, Flags]:
    needed = CATEGORIES if mode == "joint" else (ROOT, *CATEGORIES)
    for name in (*probabilities, *thresholds):
        if name not in LABELS:
            raise unknown_name("label of stereotypes", name, list(LABELS))
    absent = [name for name in needed if name not in probabilities]
    if absent:
        raise InputError(
            f"Found no probabilities of {', '.join(absent)}; expected a column for each of "
            f"{len(needed)} labels."
        )
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in probabilities.items()}
    lengths = {column.shape for column in columns.values()}
    if len(lengths) > 1 or any(column.ndim != 1 for column in columns.values()):
        raise InputError(
            f"Found columns of the shapes {', '.join(map(str, sorted(lengths)))}; expected one "
            "probability of each label for each sentence."
        )
    for name, column in columns.items():
        if not ((column >= 0) & (column <= 1)).all():
            raise InputError(
                f"Found a probability of '{name}' that is missing or outside 0 to 1; expected "
                "numbers from 0 to 1; leave out sentences that could not be scored."
            )
    return {name: column >= thresholds.get(name, THRESHOLD) for name, column in columns.items()}
