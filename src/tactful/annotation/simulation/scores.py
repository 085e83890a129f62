"""Accuracy, F1 and balanced accuracy of each question's labels, against the truth.

Every answer but the neutral one (usually "no") is positive. For questions with several answers and
for spans, each category of each item is one decision: whether it is present.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tactful.annotation.protocol.records import Question
from tactful.annotation.simulation.cases import Rates, neutral
from tactful.metrics.detection import Confusion

_DPM_TO_ANSWER = {"0": 0, "1": 0, "2": 1, "3": 2, "4": 2}
"""Labels 0 and 1 are negative, 2 is borderline (Pérez-Almendros et al. 2020, section 4.2.1)."""
FREE_TEXT = "free text has no right answer"


@dataclass(frozen=True, slots=True)
class Score:
    """The quality of one question's labels."""

    items: int
    accuracy: float | None
    """The share of items (of decisions, where several answers are possible) that are right."""
    f1: float | None
    balanced_accuracy: float | None
    reason: str | None = None
    """Why some of them are missing."""


class Scorer:
    """Compares labels of one question with the truth."""

    def __init__(self, question: Question, rates: Rates):
        self.question = question
        self.values = [option.value for option in question.options]
        self.nothing = neutral(question, rates)
        self.several = question.kind in ("choices", "spans")

    @property
    def scored(self) -> bool:
        """Whether labels can be right or wrong."""
        closed = self.question.kind in ("choice", "scale", "choices", "spans")
        return closed and bool(self.values) and self.question.per is None

    def read(self, value: Any, combine: str) -> Any:
        """Return a combined label as an answer, or as a list of answers."""
        if value is None:
            return None
        if combine == "dpm_scale" and not self.several and len(self.values) == 3:
            return self.values[_DPM_TO_ANSWER[str(value)]]
        return self.flat(value)

    def flat(self, answer: Any) -> Any:
        """Return an answer as its value, or the values of its list."""
        if not self.several:
            return None if answer is None else str(answer)
        flat = [each["value"] if isinstance(each, Mapping) else each for each in answer or ()]
        return list(dict.fromkeys(flat))

    def right(self, truth: Any, label: Any) -> bool:
        """Say whether one label of a question with one answer is right."""
        return bool(truth == label or (truth is None and not self.shown(label)))

    def shown(self, answer: Any) -> bool:
        """Say whether an answer is positive."""
        return answer is not None and answer != self.nothing

    def score(self, pairs: Iterable[tuple[Any, Any]]) -> Score:
        """Score pairs of truth and label; pairs of None were not asked."""
        if not self.scored:
            return Score(0, None, None, None, FREE_TEXT)
        items = right = decisions = 0
        hits = false = missed = 0
        for truth, label in pairs:
            if truth is None and label is None:
                continue
            items += 1
            if self.several:
                gold, said = set(truth or ()), set(label or ())
                both = len(gold & said)
                hits, false, missed = (
                    hits + both,
                    false + len(said) - both,
                    missed + len(gold) - both,
                )
                decisions += len(self.values)
            else:
                gold_shown, said_shown = self.shown(truth), self.shown(label)
                hits += gold_shown and said_shown
                false += said_shown and not gold_shown
                missed += gold_shown and not said_shown
                decisions += 1
                right += self.right(truth, label)
        counts = Confusion(hits, false, missed, decisions - hits - false - missed)
        if self.several:
            right = counts.true_positives + counts.true_negatives
        return _score(items, right, counts)


def _score(items: int, right: int, counts: Confusion) -> Score:
    if not items:
        return Score(0, None, None, None, "no item was asked this question")
    positives = counts.true_positives + counts.false_negatives
    negatives = counts.true_negatives + counts.false_positives
    found = 2 * counts.true_positives + counts.false_positives + counts.false_negatives
    balanced = None
    reason = None
    if positives and negatives:
        balanced = counts.true_positives / positives / 2 + counts.true_negatives / negatives / 2
    else:
        reason = f"no item is {'positive' if not positives else 'negative'} in truth"
    f1 = 2 * counts.true_positives / found if found else None
    return Score(items, right / counts.items, f1, balanced, reason)
