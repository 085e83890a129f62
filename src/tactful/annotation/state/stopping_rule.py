"""Whether the judgements of an item are sure enough, so that nobody else has to be asked."""

from collections.abc import Sequence
from typing import Any

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.items import Answer
from tactful.annotation.state.votes import SAME, SINGLE, applies, best_of, choose_each, is_closed


def is_sure(step: Step, answers: Sequence[Answer], confidence: float) -> bool:
    """Say whether the label of each required question is at least so sure; 0: whether it is clear.

    The trust is that which people had when they answered. Questions that do not apply and those
    whose labels know no confidence are left out.
    """
    return Sureness(step)(answers, confidence)


class Sureness:
    """:func:`is_sure` for one step, made ready once: it is asked after nearly every answer."""

    def __init__(self, step: Step):
        self._weighted = step.combine == "trust_weighted"
        closed = [question for question in step.questions if is_closed(question)]
        # Questions that everybody answers need no look at conditions.
        self._plain = [
            question.id
            for question in closed
            if question.kind in SINGLE and question.required and not question.when
        ]
        self._rest = [question for question in closed if question.id not in self._plain]
        needed = {condition.question for question in closed for condition in question.when}
        self._needed = needed.intersection(self._plain)

    def __call__(self, answers: Sequence[Answer], confidence: float) -> bool:
        """Answer for some judgements of one item."""
        if not answers:
            return False
        least, count = confidence - SAME, len(answers)
        weights = [answer.trust for answer in answers] if self._weighted else [1.0] * count
        forms = [answer.answers for answer in answers]
        has_weight = weights[0] > 0
        best: dict[str, Any] = {}
        for name in self._plain:
            try:
                said = [form[name] for form in forms]
            except KeyError:  # somebody left a question out, in a log that nobody checked
                said = [form.get(name) for form in forms]
            value = said[0]
            # Most often all say the same; then nothing has to be weighed.
            if said.count(value) != count or not has_weight or value is None:
                value, share = _weigh(said, weights)
                if share is None or share < least:
                    return False
            if name in self._needed:
                best[name] = value
        for question in self._rest:
            if question.when and not applies(question, best):
                continue
            said = [form.get(question.id) for form in forms]
            weigh = _weigh_each if question.kind == "choices" else _weigh
            best[question.id], share = weigh(said, weights)
            if question.required and (share is None or share < least):
                return False
        return True


def _weigh(said: Sequence[Any], weights: Sequence[float]) -> tuple[Any, float | None]:
    sums: dict[str, float] = {}
    for each, weight in zip(said, weights, strict=True):
        if each is not None and weight:
            sums[each] = sums.get(each, 0.0) + weight
    if len(sums) != 2:
        return best_of(sums)
    # The same for two answers, by far the most common case.
    (value, most), (other, least) = sums.items()
    if most < least:
        value, most, least = other, least, most
    return (None, None) if least >= most * (1 - SAME) else (value, most / (most + least))


def _weigh_each(said: Sequence[Any], weights: Sequence[float]) -> tuple[Any, float | None]:
    given = [
        (each, weight)
        for each, weight in zip(said, weights, strict=True)
        if each is not None and weight
    ]
    return choose_each(given)[:2] if given else (None, None)
