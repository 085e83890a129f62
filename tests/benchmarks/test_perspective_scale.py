"""How the scale of the Perspective routes is chosen, on comments whose answer is known."""

from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@cache
def script() -> ModuleType:
    """Return benchmarks/perspective_scale.py; its neighbours are on the path only meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        return import_module("perspective_scale")


def comments(slope: float = 2.0) -> Any:
    """Return comments whose log odds say how likely the attribute is, with an intercept of 1."""
    odds = np.linspace(-4, 3, 4_001)
    draws = np.random.default_rng(1).random(len(odds))
    labels = (draws < 1 / (1 + np.exp(-(slope * odds + 1)))).astype(float)
    return script().Labelled(1 / (1 + np.exp(-odds)), labels)


def score(points: Any, probability: float) -> float:
    scale = script().Scale({"m 1": {"toxicity": points}})
    return float(scale.score("m 1", "toxicity", probability))


def test_from_07_on_the_scale_is_the_fitted_curve_wherever_the_middle_is() -> None:
    slope, intercept = script().fitted(comments())
    low, free, high = (script().points_of(slope, intercept, half) for half in (0.0, 0.4, 0.9))
    fitted = {wanted: probability for probability, wanted in low}
    for points in (low, free, high):
        assert all(a < c and b < d for (a, b), (c, d) in pairwise(points))
        assert {p: s for p, s in points if s >= 0.7} == {p: s for p, s in low if s >= 0.7}
    # The middle is never looser than the curve, and never above its 0.65.
    assert score(low, fitted[0.5]) == pytest.approx(0.5)
    assert score(high, fitted[0.65]) == pytest.approx(0.5)
    assert score(high, fitted[0.5]) < score(low, fitted[0.5])


def test_a_middle_between_the_two_bounds_is_taken_as_it_is() -> None:
    slope, intercept = 2.0, 1.0
    half = 1 / (1 + np.exp((intercept - np.log(0.6 / 0.4)) / slope))  # the curve has 0.6 there
    assert score(script().points_of(slope, intercept, half), half) == pytest.approx(0.5, abs=1e-5)


def test_the_middle_decides_as_well_as_the_best_threshold_within_an_error() -> None:
    found = comments()
    yes, no = (found.scores[found.labels == label] for label in (1, 0))

    def right(cut: float) -> float:
        return float(((yes >= cut).mean() + (no < cut).mean()) / 2)

    chosen = script().middle(found)
    cuts = found.scores
    best = max(cuts, key=right)
    error = (
        np.sqrt(
            sum(part.mean() * (1 - part.mean()) / len(part) for part in (yes >= best, no < best))
        )
        / 2
    )
    assert right(chosen) >= right(best) - error
    assert chosen >= best
    assert all(right(cut) < right(best) - error for cut in cuts[cuts > chosen])
