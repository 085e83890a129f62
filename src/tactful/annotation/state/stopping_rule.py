"""The stopping rule: whether the judgements of an item are enough to stop asking."""

from collections.abc import Sequence
from typing import Any

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.items import Answer
from tactful.annotation.state.votes import (
    SAME,
    SINGLE,
    Given,
    applies,
    best_of,
    choose_each,
    is_closed,
    sum_up,
)


class Sureness:
    """Says whether the label of each required question of a step reaches a confidence.

    It is prepared once per step, because it is called after nearly every answer. The weights are
    the trust that people had when they answered. Questions that do not apply, and those whose
    labels have no confidence, are left out.
    """

    def __init__(self, step: Step):
        self._weighted = step.combine == "trust_weighted"
        closed = [question for question in step.questions if is_closed(question)]
        # Questions that everybody answers need no check of conditions.
        self._plain = [
            question.id
            for question in closed
            if question.kind in SINGLE and question.required and not question.when
        ]
        self._rest = [question for question in closed if question.id not in self._plain]
        needed = {condition.question for question in closed for condition in question.when}
        self._needed = needed.intersection(self._plain)

    def __call__(self, answers: Sequence[Answer], confidence: float) -> bool:
        """Return whether some judgements of one item are enough; 0.0 asks for clear labels."""
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
            except KeyError:  # an unchecked log may lack answers
                said = [form.get(name) for form in forms]
            value = said[0]
            # Usually all agree, and no weights are needed.
            if said.count(value) != count or not has_weight or value is None:
                value, share = best_of(sum_up(_given(said, weights)))
                if share is None or share < least:
                    return False
            if name in self._needed:
                best[name] = value
        for question in self._rest:
            if question.when and not applies(question, best):
                continue
            said = [form.get(question.id) for form in forms]
            given = _given(said, weights)
            if question.kind == "choices" and given:
                best[question.id], share, _ = choose_each(given)
            else:
                best[question.id], share = best_of(sum_up(given))
            if question.required and (share is None or share < least):
                return False
        return True


def _given(said: Sequence[Any], weights: Sequence[float]) -> Given:
    return [
        (each, weight)
        for each, weight in zip(said, weights, strict=True)
        if each is not None and weight
    ]
