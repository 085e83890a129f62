"""The scale of the answers: a monotone map of probabilities, by model and id, which is data.

Clients compare scores with thresholds that were chosen on Perspective's scale. ``scale.json`` maps
the probabilities of the embedded models to that scale; ``benchmarks/perspective_scale.py`` writes
it and says how. ``tactful calibrate --write-scale`` writes a file of the same format from a user's
own scores.
"""

import json
import math
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path, open_text

SHIPPED = Path(__file__).with_name("scale.json")
SCHEMA = "tactful/scale/1"
PERSPECTIVE, PROBABILITY = "perspective", "probability"
"""The names of the shipped scale, and of no scale."""
_MOST_POINTS = 1_000

Points = tuple[tuple[float, float], ...]
"""Probability and score, both rising from (0, 0) to (1, 1); between two points it is linear."""


class Scale:
    """Turns probabilities into scores; what has no points is answered as it is."""

    def __init__(self, models: Mapping[str, Mapping[str, Points]] | None = None):
        self.models = dict(models or {})
        """Model with its version -> id -> points."""

    def score(self, model: str, name: str, probability: float) -> float:
        """Return the score of an id.

        >>> Scale({"m 1": {"toxicity": ((0, 0), (0.2, 0.5), (1, 1))}}).score("m 1", "toxicity", 0.1)
        0.25
        """
        points = self.models.get(model, {}).get(name)
        if points is None:
            return probability
        at = min(bisect_right(points, (probability, math.inf)), len(points) - 1)
        (left, low), (right, high) = points[at - 1], points[at]
        share = (probability - left) / (right - left)
        return min(max(low + share * (high - low), 0.0), 1.0)

    def with_others(self, other: "Scale") -> "Scale":
        """Return this scale, with the models and ids that only ``other`` has."""
        found = dict(other.models)
        for model, ids in self.models.items():
            found[model] = {**found.get(model, {}), **ids}
        return Scale(found)


def load_scale(name: str, models: Collection[str]) -> Scale:
    """Return the scale of a setting: one of the two names, or a file.

    A file that is about none of the models would silently do nothing, so it is refused.
    """
    if name == PROBABILITY:
        return Scale()
    shipped = read_scale(SHIPPED)
    if name == PERSPECTIVE:
        return shipped
    path = Path(name)
    if not path.is_file():
        raise UsageError(
            f"Found the scale '{name}'; expected {PERSPECTIVE}, {PROBABILITY}, or a file that "
            "'tactful calibrate --write-scale FILE' wrote."
        )
    own = read_scale(path)
    if not set(own.models) & set(models):
        raise UsageError(
            f"{path}: found a scale for {', '.join(own.models) or 'no model'}; this server runs "
            f"{', '.join(models)}. Run 'tactful calibrate' again with the same --model."
        )
    return own.with_others(shipped)


def read_scale(path: Path) -> Scale:
    """Read a file of scales; an invalid one is an error that names the place."""
    try:
        with open_text(path) as handle:
            body = json.load(handle)
    except (ValueError, RecursionError):
        raise _bad(path, "", "what is no JSON") from None
    models = body.get("models") if isinstance(body, dict) else None
    if not isinstance(models, dict) or body.get("schema") != SCHEMA:
        raise _bad(path, "", f"no 'models', or another schema than {SCHEMA}")
    found: dict[str, dict[str, Points]] = {}
    for model, ids in models.items():
        if not isinstance(ids, dict):
            raise _bad(path, model, "no object")
        found[model] = {name: _points(path, f"{model}, {name}", rows) for name, rows in ids.items()}
    return Scale(found)


def add_to_scale(path: Path, model: str, name: str, points: Sequence[tuple[float, float]]) -> None:
    """Write the points of an id to a file of scales; what else it has stays."""
    known = read_scale(path).models if path.exists() else {}
    write_scale(path, {**known, model: {**known.get(model, {}), name: tuple(points)}})


def write_scale(path: Path, models: Mapping[str, Mapping[str, Points]]) -> None:
    """Write a file of scales."""
    rows = [
        f"  {json.dumps(model)}: {{\n"
        + ",\n".join(f"   {json.dumps(name)}: {json.dumps(points)}" for name, points in ids.items())
        + "\n  }"
        for model, ids in models.items()
    ]
    body = f'{{\n "schema": "{SCHEMA}",\n "models": {{\n' + ",\n".join(rows) + "\n }\n}\n"
    with atomic_path(path, force=True) as temporary:
        temporary.write_text(body, encoding="utf-8")


def _points(path: Path, place: str, rows: Any) -> Points:
    if not isinstance(rows, list) or not 2 <= len(rows) <= _MOST_POINTS:
        raise _bad(path, place, f"no list of 2 to {_MOST_POINTS:,} points")
    if not all(
        isinstance(row, list) and len(row) == 2 and all(type(each) in (int, float) for each in row)
        for row in rows
    ):
        raise _bad(path, place, "a point that is no pair of numbers")
    points = tuple((float(one), float(other)) for one, other in rows)
    if points[0] != (0.0, 0.0) or points[-1] != (1.0, 1.0):
        raise _bad(path, place, "points that do not lead from [0, 0] to [1, 1]")
    for (left, low), (right, high) in pairwise(points):
        if not (left < right and low <= high):
            raise _bad(path, place, "points that do not rise")
    return points


def _bad(path: Path, place: str, found: str) -> FileFormatError:
    where = f", {place}" if place else ""
    return FileFormatError(
        f"{path}{where}: found {found}; expected a scale as 'tactful calibrate --write-scale' "
        "writes it."
    )
