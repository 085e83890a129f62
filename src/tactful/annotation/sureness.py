"""Whether the judgements of an item are sure enough, so that nobody else has to be asked."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from tactful.annotation.items import Answer
from tactful.annotation.protocol import Step
from tactful.annotation.votes import SAME, SINGLE, applies, best_of, choose_each, is_closed


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
        # Questions that everybody answers are taken from a form in one go; the rest one by one.
        self._plain = [
            question.id
            for question in closed
            if question.kind in SINGLE and question.required and not question.when
        ]
        self._rest = [question for question in closed if question.id not in self._plain]
        needed = {condition.question for question in closed for condition in question.when}
        self._needed = needed.intersection(self._plain)
        # A getter of one name gives no tuple: the name twice makes it one.
        self._take = itemgetter(*self._plain, *self._plain[:1]) if self._plain else None

    def __call__(self, answers: Sequence[Answer], confidence: float) -> bool:
        """Answer for some judgements of one item."""
        least, count = confidence - SAME, len(answers)
        best: dict[str, Any] = {}
        if self._take is not None:
            try:
                columns = [*zip(*[self._take(each.answers) for each in answers], strict=True)]
            except KeyError:  # somebody left a question out, in a log that nobody checked
                columns = [
                    tuple(each.answers.get(name) for each in answers) for name in self._plain
                ]
            if not columns:
                return False
            has_weight = not self._weighted or answers[0].trust > 0
            for name, said in zip(self._plain, columns, strict=False):
                value: Any = said[0]
                # Most often all say the same; then nothing has to be weighed.
                if said.count(value) != count or not has_weight or value is None:
                    value, share = self._weigh(said, answers)
                    if share is None or share < least:
                        return False
                if name in self._needed:
                    best[name] = value
        return not self._rest or self._rest_is_sure(answers, best, least)

    def _rest_is_sure(self, answers: Sequence[Answer], best: dict[str, Any], least: float) -> bool:
        for question in self._rest:
            if question.when and not applies(question, best):
                continue
            said = [each.answers.get(question.id) for each in answers]
            best[question.id], share = self._weigh(said, answers, question.kind == "choices")
            if question.required and (share is None or share < least):
                return False
        return True

    def _weigh(
        self, said: Sequence[Any], answers: Sequence[Answer], is_several: bool = False
    ) -> tuple[Any, float | None]:
        weighted = self._weighted
        if is_several:
            given = [
                (each, answer.trust if weighted else 1.0)
                for each, answer in zip(said, answers, strict=True)
                if each is not None and (answer.trust or not weighted)
            ]
            return choose_each(given)[:2] if given else (None, None)
        sums: dict[str, float] = {}
        for each, answer in zip(said, answers, strict=True):
            weight = answer.trust if weighted else 1.0
            if each is not None and weight:
                sums[each] = sums.get(each, 0.0) + weight
        return best_of(sums)
