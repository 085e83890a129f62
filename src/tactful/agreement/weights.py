"""How far two labels are apart, for measures that give credit for coming close."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from tactful.agreement.answer import Level
from tactful.agreement.cells import Distance
from tactful.agreement.prepared import Prepared
from tactful.errors import UsageError
from tactful.ratings import Codes, Numbers
from tactful.registry import unknown_name

Weights = Literal["linear", "quadratic"]
_POWERS: dict[Weights, int] = {"linear": 1, "quadratic": 2}
WEIGHTS_OF_LEVEL: dict[Level, Weights] = {"ordinal": "linear", "interval": "quadratic"}
NO_ORDER = (
    "the labels are not numbers and their order was not listed, so it is not known which of "
    "them are close"
)


def level_of(weights: Weights | None) -> Level:
    """Return the level of measurement for weights."""
    if weights is None:
        return "nominal"
    for level, name in WEIGHTS_OF_LEVEL.items():
        if name == weights:
            return level
    raise UsageError(str(unknown_name("kind of weights", weights, list(_POWERS))))


def distance_for(prepared: Prepared, level: Level) -> tuple[Distance | None, str | None]:
    """Return the disagreement between two labels from 0 to 1, or why it is not known.

    Linear weights: the distance over the largest one; quadratic: its square (Cohen 1968). Labels
    that are numbers keep their values, others are one step apart in the order that was listed.
    """
    if level == "nominal":
        return None, None
    if prepared.scale is None:
        return None, NO_ORDER
    return scaled_distance(prepared.scale, _POWERS[WEIGHTS_OF_LEVEL[level]]), None


def scaled_distance(scale: Numbers, power: int) -> Distance:
    """Return the distance on a scale over the largest one, to a power."""
    widest = float(np.ptp(scale)) if scale.size else 0.0
    places = scale / widest if widest > 0 else scale

    def distance(left: Codes, right: Codes) -> Numbers:
        return np.asarray(np.abs(places[left] - places[right]) ** power)

    return distance


def expected_disagreement(labels: int, distance: Distance | None) -> Callable[[Numbers], Numbers]:
    """Return the chance disagreement of two draws from the same shares (samples by labels)."""
    if distance is None:
        return lambda shares: 1 - (shares**2).sum(axis=1)
    codes = np.arange(labels)
    table = distance(np.repeat(codes, labels), np.tile(codes, labels)).reshape(labels, labels)
    return lambda shares: np.einsum("bc,bc->b", shares @ table, shares)
