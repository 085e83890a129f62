"""How often people give the suggested answer: where they saw it, and where they judged blind.

The difference is the anchoring: what seeing a suggestion adds to the agreement with it. Judgements
of one person or of one item are not independent, so the intervals are somewhat too narrow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from tactful.annotation.protocol.records import Question
from tactful.annotation.state.labels import comparable
from tactful.annotation.state.project_state import State
from tactful.annotation.state.span_labels import parts_of
from tactful.annotation.state.suggestions import Seen
from tactful.resampling import wilson_interval

HEADER = ("step", "question", "suggestion", "judgements", "same", "share", "low", "high")


@dataclass(frozen=True, slots=True)
class Share:
    """How many judgements give the suggested answer."""

    judgements: int = 0
    same: int = 0

    @property
    def value(self) -> float | None:
        """The share; None without judgements."""
        return self.same / self.judgements if self.judgements else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval of 95 %."""
        return wilson_interval(self.same, self.judgements) if self.judgements else None

    def plus(self, is_same: bool) -> "Share":
        """Return the share with one more judgement."""
        return Share(self.judgements + 1, self.same + is_same)


@dataclass(frozen=True, slots=True)
class Anchoring:
    """The agreement with suggestions on one question."""

    step: str
    question: str
    shown: Share = Share()
    blind: Share = Share()

    @property
    def difference(self) -> float | None:
        """Agreement where it was shown, minus where it was not; None where one is unknown."""
        if self.shown.value is None or self.blind.value is None:
            return None
        return self.shown.value - self.blind.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Newcombe's interval of 95 % (1998, method 10) of the difference."""
        one, other = self.shown, self.blind
        if (
            one.interval is None
            or other.interval is None
            or one.value is None
            or other.value is None
        ):
            return None
        gap = one.value - other.value
        low = hypot(one.value - one.interval[0], other.interval[1] - other.value)
        high = hypot(one.interval[1] - one.value, other.value - other.interval[0])
        return max(-1.0, gap - low), min(1.0, gap + high)


def anchoring(
    state: State, seen_by: Iterable[tuple[str, str, str, Seen]] | None = None
) -> list[Anchoring]:
    """Return the agreement with suggestions on each question that had one, without hidden tests.

    ``seen_by`` is what people saw, by default all that the state knows.
    """
    order = {
        (step.id, question.id): question
        for step in state.protocol.steps
        for question in step.questions
    }
    found: dict[tuple[str, str], dict[bool, Share]] = {}
    told = state.suggestions.all_seen() if seen_by is None else seen_by
    for name, step, person, seen in told:
        item = state.items[name]
        answer = item.steps[step].answers.get(person)
        if item.is_test or answer is None:
            continue
        for question, suggested in seen.suggestion.answers.items():
            place = (step, question)
            shares = found.setdefault(place, {True: Share(), False: Share()})
            is_same = same(order[place], suggested, answer.answers.get(question))
            shares[seen.shown] = shares[seen.shown].plus(is_same)
    return [
        Anchoring(*place, found[place][True], found[place][False])
        for place in order
        if place in found
    ]


def same(question: Question, one: Any, other: Any) -> bool:
    """Say whether two answers are the same.

    Spans are if each has a counterpart of the same value that shares at least half of the
    characters that the two cover together.
    """
    if question.kind != "spans" or one is None or other is None:
        return bool(comparable(one) == comparable(other))
    return _covered(one, other) and _covered(other, one)


def rows(found: Iterable[Anchoring]) -> list[Sequence[object]]:
    """Return the figures as rows of a table, as :data:`HEADER` names them."""
    return [
        (
            each.step,
            each.question,
            name,
            share.judgements,
            share.same,
            share.value,
            *(share.interval or (None, None)),
        )
        for each in found
        for name, share in (("shown", each.shown), ("blind", each.blind))
    ]


def _covered(one: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> bool:
    return all(
        any(span["value"] == mark["value"] and _overlap(span, mark) >= 0.5 for mark in other)
        for span in one
    )


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    first, second = (
        {at for start, end in parts_of(span) for at in range(start, end)} for span in (one, other)
    )
    return len(first & second) / len(first | second)
