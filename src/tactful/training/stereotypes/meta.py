"""What annotators knew and readers do not, predicted and fed in (Lak_NLP): implicitness, target.

A hint of a training text is predicted by learners that have not seen it; a new text gets the
prediction of one that has seen all. Otherwise the main model would trust hints far too much.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError
from tactful.training.stereotypes.linear import Sum, fit_sum

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]


class MetaClassifier:
    """One learner for each hint."""

    def __init__(self, c: float = 10.0, seed: int = 1):
        self.c, self.seed = c, seed

    def fit_outside(
        self, rows: "csr_array", hints: Mapping[str, Numbers], folds: NDArray[np.int64]
    ) -> Numbers:
        """Learn all hints; return the log-odds of each training row, by those that did not see it.

        A row without an answer (NaN) teaches nothing and is predicted like any other.
        """
        if not hints:
            raise UsageError(
                "Found the switch meta and no hint to predict; expected implicitness, a target or "
                "the like beside the labels; leave the switch out for this corpus."
            )
        numbers = folds
        found = np.zeros((rows.shape[0], len(hints)))
        self.sums_: dict[str, Sum] = {}
        for at, (name, answers) in enumerate(hints.items()):
            known = ~np.isnan(answers)
            if not known.any():
                raise UsageError(f"Found no answer to '{name}'; expected some; leave it out.")
            for fold in np.unique(numbers):
                learnt = self._fit(rows, answers, known & (numbers != fold))
                found[numbers == fold, at] = learnt.decision(rows[numbers == fold])
            self.sums_[name] = self._fit(rows, answers, known)
        return found

    def decisions(self, rows: "csr_array") -> Numbers:
        """Return the log-odds of each hint for new rows."""
        return np.stack([each.decision(rows) for each in self.sums_.values()], axis=1)

    def _fit(self, rows: "csr_array", answers: Numbers, chosen: NDArray[np.bool_]) -> Sum:
        if not chosen.any():
            return Sum(np.zeros(rows.shape[1]), 0.0)
        return fit_sum(rows[chosen], answers[chosen], c=self.c, seed=self.seed)
