"""Votes: the weight that stands behind each answer to one question."""

from collections.abc import Mapping, Sequence
from typing import Any

from tactful.annotation.protocol.records import Question

SAME = 1e-9
"""Sums of decimals that are equal on paper differ in the last digits."""
SINGLE = ("choice", "scale")

Given = Sequence[tuple[Any, float]]
"""The answers of those who were asked a question, and what each weighs."""


def is_closed(question: Question) -> bool:
    """Say whether answers to a question can be for or against a label: only those are disputed."""
    return question.per is None and question.kind in ("choice", "scale", "choices")


def applies(question: Question, values: Mapping[str, Any]) -> bool:
    """Say whether a question is asked, given the labels of the questions before it."""
    for condition in question.when:
        value = values.get(condition.question)
        chosen = value if isinstance(value, tuple) else (value,)
        if not any(each in condition.values for each in chosen):
            return False
    return True


def sum_up(given: Given) -> dict[str, float]:
    """Return the weight behind each answer."""
    sums: dict[str, float] = {}
    for said, weight in given:
        sums[said] = sums.get(said, 0.0) + weight
    return sums


def best_of(sums: Mapping[str, float]) -> tuple[str | None, float | None]:
    """Return the answer with the most weight and its share; no answer where two have the most."""
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
    """Return the share of the weight behind each answer, in the order of the answers."""
    if len(sums) == 1:
        return dict.fromkeys(sums, 1.0)
    total = sum(sums.values())
    return {name: sums[name] / total for name in sorted(sums)}


def choose_each(given: Given) -> tuple[tuple[str, ...] | None, float | None, dict[str, float]]:
    """Return what more than half gave, how sure that is at least, and the share of each.

    Each answer is a list, and each thing on it a vote of its own; nothing is returned where just
    half gave one of them.
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
