"""Rows that learn from the answers of each annotator, for texts on which annotators disagree.

``logreg-soft`` learns the share of annotators who say yes (a soft loss, Peterson et al. 2019), and
``annotators`` what each annotator says (as in Davani et al. 2022, with one weight for each
annotator instead of a network for each). ``logreg`` learns the majority with the same features, to
compare with. All three are logistic regressions on TF-IDF.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import sigmoid
from tactful.detectors.models.weighted_ngrams import fit_terms
from tactful.errors import UsageError
from tactful.types import Example
from tactful_lab.training.stereotypes.linear import Sum, fit_sum

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
Answers = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Text -> question -> annotator -> answer from 0 to 1."""

TARGETS = ("majority", "shares", "annotators")


def answers_of(examples: Sequence[Example]) -> Answers:
    """Collect the single answers; what an annotator said more than once about a text is a mean."""
    said: dict[str, dict[str, dict[str, list[float]]]] = {}
    for each in examples:
        for answer in each.judgements:
            if answer.value is not None and 0 <= answer.value <= 1:
                of_question = said.setdefault(each.text, {}).setdefault(answer.question, {})
                of_question.setdefault(answer.annotator, []).append(answer.value)
    return {
        text: {
            question: {who: float(np.mean(values)) for who, values in by_annotator.items()}
            for question, by_annotator in questions.items()
        }
        for text, questions in said.items()
    }


class DisagreementModel:
    """A logistic regression on TF-IDF, for each label by itself.

    Parameters
    ----------
    targets
        What is learnt: the ``majority``, the ``shares`` of annotators, or all ``annotators``.
    labels
        The ids of the columns.
    answers
        The single answers; a text without any to a question has the majority's label.
    c
        The inverse of the strength of the regularisation.
    seed
        The seed of the solver.

    """

    def __init__(
        self,
        targets: str,
        labels: Sequence[str],
        answers: Answers,
        c: float = 1.0,
        seed: int = 1,
    ):
        if targets not in TARGETS:
            raise UsageError(f"Found the targets {targets!r}; expected {', '.join(TARGETS)}.")
        if targets != "majority" and not answers:
            raise UsageError("needs the single judgements of the annotators, which are not here")
        self.targets, self.labels, self.answers = targets, tuple(labels), answers
        self.c, self.seed = c, seed

    def get_params(self) -> dict[str, Any]:
        """Return what the results depend on; the answers as a hash."""
        said = json.dumps(self.answers, sort_keys=True) if self.targets != "majority" else ""
        digest = sha256(said.encode("utf-8", "backslashreplace")).hexdigest()
        return {"targets": self.targets, "c": self.c, "seed": self.seed, "answers": digest}

    def fit(self, texts: Sequence[str], labels: Any, /) -> Self:
        """Learn from texts, with a column of labels for each id."""
        table = np.asarray(labels, dtype=np.float64).reshape(len(texts), len(self.labels))
        self.terms_ = fit_terms(texts)
        rows = self.terms_.rows(texts)
        self.annotators_: list[list[str]] = []
        self.counts_: list[Numbers] = []
        self.sums_: list[Sum] = []
        for at, label in enumerate(self.labels):
            if self.targets == "annotators":
                self._fit_annotators(rows, texts, label, table[:, at])
                continue
            targets = table[:, at]
            if self.targets == "shares":
                said = [self.answers.get(text, {}).get(label) for text in texts]
                targets = np.array(
                    [
                        own if answers is None else np.mean(list(answers.values()))
                        for own, answers in zip(targets, said, strict=True)
                    ]
                )
            self.sums_.append(fit_sum(rows, targets, c=self.c, seed=self.seed))
        return self

    def _fit_annotators(
        self, rows: "csr_array", texts: Sequence[str], label: str, own: Numbers
    ) -> None:
        """Learn one label from every answer: the words of the text, and who was asked."""
        from scipy.sparse import csr_array, hstack

        who: list[int] = []
        place: list[int] = []
        value: list[float] = []
        known: dict[str, int] = {}
        for at, text in enumerate(texts):
            answers = self.answers.get(text, {}).get(label) or {"": float(own[at])}
            for annotator, answer in answers.items():
                who.append(known.setdefault(annotator, len(known)))
                place.append(at)
                value.append(answer)
        # scikit-learn takes 32-bit places only.
        ones = (np.ones(len(who)), (np.arange(len(who), dtype=np.int32), np.array(who, np.int32)))
        people = csr_array(ones, shape=(len(who), len(known)))
        table = hstack([rows[np.array(place, np.int32)], people], format="csr")
        self.sums_.append(fit_sum(table, np.array(value), c=self.c, seed=self.seed))
        self.annotators_.append(list(known))
        self.counts_.append(np.bincount(who, minlength=len(known)).astype(np.float64))

    def predict_proba(self, texts: Sequence[str], /) -> Numbers:
        """Return the probability of yes, or the expected share of annotators who say it."""
        rows = self.terms_.rows(list(texts))
        found = []
        for at, each in enumerate(self.sums_):
            if self.targets != "annotators":
                found.append(sigmoid(each.decision(rows)))
                continue
            said = self._by_annotator(rows, at)
            found.append(said @ self.counts_[at] / self.counts_[at].sum())
        return np.stack(found, axis=1)

    def predict_annotators(self, texts: Sequence[str], label: str) -> dict[str, Numbers]:
        """Return the probability that each annotator says yes to a label, for each text."""
        at = self.labels.index(label)
        said = self._by_annotator(self.terms_.rows(list(texts)), at)
        return {name: said[:, person] for person, name in enumerate(self.annotators_[at])}

    def _by_annotator(self, rows: "csr_array", at: int) -> Numbers:
        words = rows.shape[1]
        learnt = self.sums_[at]
        of_text = np.asarray(rows @ learnt.weights[:words]) + learnt.intercept
        table: Numbers = sigmoid(of_text[:, None] + learnt.weights[words:][None, :])
        return table
