"""Whether two rows of a reproduced table differ: a test of every pair, on the texts both have.

F1 is compared by approximate randomisation, the area under the ROC curve by the test of DeLong et
al. (1988). The answers of all folds are pooled, so a difference may be another one than that of
the means over the folds. The p-values of a label are adjusted for the number of its pairs (Holm).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tactful.metrics.significance import (
    Comparison,
    Decomposition,
    delong_test,
    holm,
    randomisation_test,
)
from tactful_lab.evaluation.reproduce.cross_validation import PartResult, Texts

if TYPE_CHECKING:
    from tactful_lab.evaluation.reproduce.papers import Line

REPETITIONS = 2_000
_PERCENT = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class RowAnswers:
    """What a row said about one label."""

    ids: tuple[int, ...]
    """The places of the texts in the data."""
    gold: NDArray[np.bool_]
    predicted: NDArray[np.bool_]
    probabilities: NDArray[np.float64]

    def at(self, ids: Sequence[int]) -> "RowAnswers":
        """Return the answers about some of the texts."""
        place = {name: at for at, name in enumerate(self.ids)}
        chosen = [place[name] for name in ids]
        return RowAnswers(
            tuple(ids), self.gold[chosen], self.predicted[chosen], self.probabilities[chosen]
        )


@dataclass(frozen=True, slots=True)
class RowPair:
    """The test of two rows."""

    label: str
    part: str | None
    first: str
    second: str
    texts: int
    measure: str
    difference: float | None
    """First minus second, in percentage points."""
    p_value: float | None
    adjusted: float | None = None
    """The p-value times the number of comparisons that it has to survive (Holm 1979)."""
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fields, rounded."""
        return {
            name: round(value, 6) if isinstance(value, float) else value
            for name in self.__slots__
            for value in [getattr(self, name)]
        }


def row_answers(data: Texts, column: int, results: Sequence[PartResult]) -> RowAnswers:
    """Pool the answers of all parts about one label."""
    places = np.concatenate([result.test for result in results])
    return RowAnswers(
        tuple(places.tolist()),
        data.table[places, column],
        np.concatenate([result.predicted[:, column] for result in results]),
        np.concatenate([result.probabilities[:, column] for result in results]),
    )


def compare_rows(lines: "Sequence[Line]", metrics: Sequence[str], seed: int) -> Iterator[RowPair]:
    """Test every pair of rows that have numbers, label by label."""
    by_label: dict[tuple[str, str | None], dict[str, RowAnswers]] = {}
    for line in lines:
        if line.answers is not None and line.ours is not None:
            by_label.setdefault((line.label, line.part), {})[line.model] = line.answers
    for (label, part), rows in by_label.items():
        tested = []
        for one, other in combinations(rows, 2):
            known = set(rows[other].ids)
            both = [name for name in rows[one].ids if name in known]
            found = _test(rows[one].at(both), rows[other].at(both), metrics, seed)
            tested.append((one, other, len(both), found))
        adjusted = holm([found.p_value for *_, found in tested])
        for (one, other, texts, found), corrected in zip(tested, adjusted, strict=True):
            gap = None if found.difference is None else _PERCENT * found.difference
            measure = "auc" if "auc" in metrics else "f1"
            yield RowPair(
                label, part, one, other, texts, measure, gap, found.p_value, corrected, found.reason
            )


def _test(first: RowAnswers, second: RowAnswers, metrics: Sequence[str], seed: int) -> Comparison:
    if "auc" in metrics:
        return delong_test(first.gold, first.probabilities, second.probabilities)
    both = (_f1(first), _f1(second))
    return randomisation_test(both, repetitions=REPETITIONS, seed=seed)


def _f1(row: RowAnswers) -> Decomposition:
    gold, guess = row.gold, row.predicted
    return Decomposition.f1(np.stack([gold & guess, ~gold & guess, gold & ~guess], axis=1))
