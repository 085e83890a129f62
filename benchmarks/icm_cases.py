"""Seeded random label sets and degrees, on which ICM is compared with PyEvALL.

Nothing but :func:`random.Random.random` is used, whose numbers are the same in all versions of
Python: the benchmark, the golden values and the tests see the same items.
"""

import random
from dataclasses import dataclass
from typing import Any

CATEGORIES = ("xenophobia", "suffering", "economic", "migration", "culture", "benefits", "health",
              "security", "dehumanisation", "others")  # fmt: skip
# Shares of the categories among stereotypes: DETESTS 2022, table 2.
SHARES = (0.0155, 0.0831, 0.0456, 0.4069, 0.1950, 0.2318, 0.0272, 0.2767, 0.0736, 0.0662)

FLAT: dict[str, Any] = {name: [] for name in CATEGORIES}
DETESTS: dict[str, Any] = {"stereotype": list(CATEGORIES), "none": []}
DEEP: dict[str, Any] = {
    "a": {"a.b": ["a.b.x", "a.b.y"], "a.c": ["a.c.z", "a.c.u"]},
    "d": ["d.e", "d.f", "d.g"],
    "h": [],
}


@dataclass(frozen=True)
class Case:
    """Gold and predicted answers of one kind, and the hierarchy as PyEvALL takes it."""

    gold: list[Any]
    predicted: list[Any]
    nested: dict[str, Any] | None
    soft: bool = False

    @property
    def hierarchy(self) -> dict[str, str | None]:
        """The hierarchy as Tactful takes it: label -> the one above."""
        return parents(self.nested or {})


def parents(nested: dict[str, Any] | list[str], above: str | None = None) -> dict[str, str | None]:
    """Turn PyEvALL's nested hierarchy into label -> the one above."""
    found: dict[str, str | None] = dict.fromkeys(nested, above)
    if isinstance(nested, dict):
        for label, below in nested.items():
            found.update(parents(below, label))
    return found


def detests_sets(items: int, seed: int) -> list[list[str]]:
    """Draw label sets that look like those of DETESTS: a quarter stereotypes, 1.4 categories."""
    rng = random.Random(seed)
    sets = []
    for _ in range(items):
        labels = ["none"]
        if rng.random() < 0.27:
            labels = [
                n for n, share in zip(CATEGORIES, SHARES, strict=True) if rng.random() < share
            ]
            labels = labels or ["stereotype"]
        sets.append(labels)
    return sets


def cases(items: int = 1000, seed: int = 1) -> dict[str, Case]:
    """Make one case for each shape: flat and hierarchical, sets and degrees."""
    deep, flat, detests = list(parents(DEEP)), list(CATEGORIES), list(parents(DETESTS))
    outside = [*deep[1:], "outside"]
    hard: dict[str, tuple[list[Any], list[Any], dict[str, Any] | None]] = {
        "hard, one label, no hierarchy": (
            _one_of(items, seed, flat),
            _one_of(items, seed + 1, [*flat, "unseen"]),
            None,
        ),
        "hard, several labels, flat": (
            _some_of(items, seed + 2, flat),
            _some_of(items, seed + 3, [*flat, "unseen"]),
            FLAT,
        ),
        "hard, DETESTS": (detests_sets(items, seed + 4), detests_sets(items, seed + 5), DETESTS),
        "hard, DETESTS, any labels": (
            _some_of(items, seed + 6, detests),
            _some_of(items, seed + 7, detests),
            DETESTS,
        ),
        "hard, three levels, labels outside": (
            _some_of(items, seed + 8, outside),
            _some_of(items, seed + 9, [*deep, "outside", "unseen"]),
            DEEP,
        ),
    }
    soft: dict[str, tuple[list[Any], list[Any], dict[str, Any] | None]] = {
        "soft, no hierarchy": (
            _degrees(items, seed + 10, flat, 6),
            _degrees(items, seed + 11, flat, 1000),
            None,
        ),
        "soft, DETESTS": (
            _degrees(items, seed + 12, detests, 3),
            _degrees(items, seed + 13, detests, 1000),
            DETESTS,
        ),
        "soft, three levels, labels outside": (
            _degrees(items, seed + 14, [*deep, "outside"], 6),
            _degrees(items, seed + 15, [*deep, "outside", "unseen"], 6),
            DEEP,
        ),
    }
    return {
        **{
            name: Case(gold, _mixed(gold, guess), tree)
            for name, (gold, guess, tree) in hard.items()
        },
        **{
            name: Case(gold, _mixed(gold, guess), tree, soft=True)
            for name, (gold, guess, tree) in soft.items()
        },
    }


def _mixed(gold: list[Any], guess: list[Any]) -> list[Any]:
    """Let most predictions be right: the normalised measures cut bad ones off at 0."""
    pairs = zip(gold, guess, strict=True)
    return [truth if index % 4 else other for index, (truth, other) in enumerate(pairs)]


def _one_of(items: int, seed: int, labels: list[str]) -> list[str]:
    rng = random.Random(seed)
    # The square makes the first labels common and the last ones rare.
    return [labels[int(rng.random() ** 2 * len(labels))] for _ in range(items)]


def _some_of(items: int, seed: int, labels: list[str]) -> list[list[str]]:
    rng = random.Random(seed)
    shares = [0.5 / (1 + index) for index in range(len(labels))]
    return [
        [name for name, share in zip(labels, shares, strict=True) if rng.random() < share]
        for _ in range(items)
    ]


def _degrees(items: int, seed: int, labels: list[str], steps: int) -> list[dict[str, float]]:
    rng = random.Random(seed)
    rows = []
    for _ in range(items):
        row = {}
        for name in labels:
            if rng.random() < 0.4:
                row[name] = (1 + int(rng.random() * steps)) / steps
        rows.append(row or {labels[0]: 1.0})
    return rows
