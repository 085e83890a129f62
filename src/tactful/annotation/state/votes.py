"""Votes: the weight of each answer to one question."""

from collections.abc import Mapping, Sequence
from typing import Any

from tactful.annotation.protocol.records import HALF, Question, Step
from tactful.annotation.state.items import Answer

SAME = 1e-9
"""Sums within this relative difference count as equal, to allow for rounding."""
SINGLE = ("choice", "scale")

Given = Sequence[tuple[Any, float]]
"""The answers to a question, with their weights."""


def is_closed(question: Question) -> bool:
    """Say whether a question has a fixed set of answers; only such questions can be disputed."""
    return question.per is None and question.kind in ("choice", "scale", "choices")


def applies(question: Question, values: Mapping[str, Any]) -> bool:
    """Say whether a question is asked, given the answers or labels of those before it."""
    for condition in question.when:
        value = values.get(condition.question)
        chosen = value if isinstance(value, list | tuple) else (value,)
        if not any(each in condition.values for each in chosen):
            return False
    return True


def sum_up(given: Given) -> dict[str, float]:
    """Return the weight of each answer."""
    sums: dict[str, float] = {}
    for said, weight in given:
        sums[said] = sums.get(said, 0.0) + weight
    return sums


def best_of(sums: Mapping[str, float]) -> tuple[str | None, float | None]:
    """Return the answer with the most weight and its share; no answer if there is a tie."""
    if len(sums) == 1:
        return next(iter(sums)), 1.0
    if not sums:
        return None, None
    top = max(sums.values())
    least = top * (1 - SAME)
    value, tops, total = None, 0, 0.0
    for name, weight in sums.items():
        total += weight
        if weight >= least:
            value, tops = name, tops + 1
    return (value, top / total) if tops == 1 else (None, None)


def shares_of(sums: Mapping[str, float]) -> dict[str, float]:
    """Return the share of each answer, sorted by answer."""
    total = sum(sums.values())
    return {name: sums[name] / total for name in sorted(sums)}


def mean_of(question: Question, given: Given) -> tuple[str | None, float | None]:
    """Return the label of the mean of answers as 0 and 1, and its share.

    Sap et al. 2020, footnote 8: answers are 1 or 0, here by their score; section 4.2: their mean is
    1 from .5 on. The label is the option with the highest or the lowest score. Answers without a
    score ("I don't understand the post") are no votes.
    """
    scores = {each.value: each.score for each in question.options if each.score is not None}
    total = positive = 0.0
    for said, weight in given:
        if said in scores:
            total += weight
            positive += weight * (scores[said] >= HALF)
    if not total:
        return None, None
    mean = positive / total
    if mean >= HALF - SAME:
        return max(scores, key=scores.__getitem__), mean
    return min(scores, key=scores.__getitem__), 1 - mean


def choose_each(given: Given) -> tuple[tuple[str, ...] | None, float | None, dict[str, float]]:
    """Return the values that more than half gave, the lowest confidence, and each value's share.

    Each answer is a list of values, and each value has a vote of its own. There is no result if
    exactly half gave one of them.
    """
    total = sum(weight for _, weight in given)
    sums: dict[str, float] = {}
    for said, weight in given:
        for each in dict.fromkeys(said):
            sums[each] = sums.get(each, 0.0) + weight
    soft = {name: sums[name] / total for name in sorted(sums)}
    if any(abs(share - 0.5) <= SAME for share in soft.values()):
        return None, None, soft
    value = tuple(name for name, share in soft.items() if share > 0.5)
    return value, min((max(share, 1 - share) for share in soft.values()), default=1.0), soft


class StoppingRule:
    """Says whether the label of each required question of a step reaches a confidence.

    It is prepared once per step, because it is called after nearly every answer. The weights are
    the trust that people had when they answered. Questions that do not apply, and those whose
    labels have no confidence, are left out.
    """

    def __init__(self, step: Step):
        self._weighted = step.combine == "trust_weighted"
        self._mean = step.combine == "mean_threshold"
        self._closed = [
            question
            for question in step.questions
            if is_closed(question) and not (self._mean and question.kind == "choices")
        ]

    def __call__(self, answers: Sequence[Answer], confidence: float) -> bool:
        """Return whether some judgements of one item are enough; 0.0 asks for clear labels."""
        if not answers:
            return False
        least, count = confidence - SAME, len(answers)
        weights = [answer.trust for answer in answers] if self._weighted else [1.0] * count
        forms = [answer.answers for answer in answers]
        best: dict[str, Any] = {}
        for question in self._closed:
            if question.when and not applies(question, best):
                continue
            name, is_single = question.id, question.kind in SINGLE
            said = [form.get(name) for form in forms]
            value = best[name] = said[0]
            # Usually all agree, and no weights are needed.
            agreed = is_single and value is not None and weights[0] > 0
            if agreed and not self._mean and said.count(value) == count:
                continue
            given = _given(said, weights)
            if self._mean:
                best[name], share = mean_of(question, given)
            elif is_single or not given:
                best[name], share = best_of(sum_up(given))
            else:
                best[name], share, _ = choose_each(given)
            if question.required and (share is None or share < least):
                return False
        return True


def _given(said: Sequence[Any], weights: Sequence[float]) -> Given:
    return [
        (each, weight)
        for each, weight in zip(said, weights, strict=True)
        if each is not None and weight
    ]
