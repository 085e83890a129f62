"""Combines the judgements of an item to one label per question, with confidence and reason.

The rules are those of :mod:`tactful.aggregation`, for one item at a time, because a project needs
the label of an item whenever somebody answers; tests compare both implementations.

====================  ==============================================================
kind of question      ``value`` of its label
====================  ==============================================================
``choice, scale``     an answer, as text; for ``dpm_scale`` from "0" to "4"
``choices``           a tuple of the answers that more than half gave; for ``mean_threshold``
                      of all answers, those that most gave first
``spans``             a tuple of spans: :data:`tactful.annotation.state.span_labels.Marked`
``text, texts``       a tuple of all texts, those that most gave first
any with ``per``      a mapping: answer of the other question -> such a value
====================  ==============================================================
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from tactful.annotation.protocol.records import Entry, Question, Step
from tactful.annotation.state.items import Answer, ItemStep
from tactful.annotation.state.span_labels import majority_of_spans, union_of_spans
from tactful.annotation.state.votes import (
    SAME,
    SINGLE,
    Given,
    applies,
    best_of,
    choose_each,
    mean_of,
    shares_of,
    sum_up,
)

_NOBODY = "nobody judged it"
_NO_TRUST = "nobody with trust above 0 judged it"
_DPM_ANSWERS = (0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Label:
    """The combined label of one item for one question."""

    value: Any
    """None if the judgements are not clear; ``why`` has the reason."""
    confidence: float | None
    """The share of the weight for the value; None without a value, or where there is no such share:
    free texts, the union of spans, the 5-point scale, the decision of a referee."""
    soft: Mapping[str, float]
    """Each answer's share of the weight; for ``choices`` and ``spans`` the share of those who gave
    it, so that shares need not add up to 1."""
    votes: int
    """Number of people whose judgements were combined."""
    why: str = ""
    """Why there is no value or no confidence; empty if there are both."""
    applies: bool = True
    """Whether the question applies, given the labels of the questions before it."""
    decided: bool = False
    """Whether a referee decided."""

    @property
    def is_clear(self) -> bool:
        """Whether no referee is needed."""
        return self.value is not None or not self.applies


def combine(
    step: Step,
    answers: Sequence[Answer],
    trust: Mapping[str, float],
    *,
    referee: Mapping[str, Any] | None = None,
    decision: Mapping[str, Any] | None = None,
) -> dict[str, Label]:
    """Return the label of each question of a step.

    ``trust`` has the trust of each annotator, used by ``trust_weighted`` only; the default is 1.0,
    for people without a test. ``referee`` has the answers of a referee's step for this item: they
    replace the labels, and settle 0 against 2 on the 5-point scale. ``decision`` has the answers
    of an adjudication, which settles everything.
    """
    weights = [1.0] * len(answers)
    if step.combine == "trust_weighted":
        weights = [trust.get(answer.annotator, 1.0) for answer in answers]
    labels: dict[str, Label] = {}
    scaled, refereed = _scaled(step), referee or {}
    for question in step.questions:
        said = refereed.get(question.id)
        label = _label(step, question, answers, weights, labels, said)
        if said is not None and question.id != scaled:
            label = _decided(label, _plain(question, said))
        labels[question.id] = label
    if decision is not None:
        for question in step.questions:
            label, given = labels[question.id], decision.get(question.id)
            if question.id == scaled and given is not None:
                labels[question.id] = _decided_scale(label, given, answers, question)
            else:
                labels[question.id] = _decided(label, _plain(question, given))
    return labels


def _label(
    step: Step,
    question: Question,
    answers: Sequence[Answer],
    weights: Sequence[float],
    before: Mapping[str, Label],
    referee: Any,
) -> Label:
    given = _given(question, answers, weights)
    is_asked = not question.when or applies(
        question, {name: label.value for name, label in before.items()}
    )
    if not given:
        why = _NO_TRUST if answers and not any(weight > 0 for weight in weights) else _NOBODY
        return Label(None, None, {}, 0, why if is_asked else _not_asked(question), is_asked)
    if step.combine == "dpm_scale" and question.id == _scaled(step):
        value, why = _dpm(question, [said for said, _ in given], referee)
        soft = shares_of(sum_up(given))
        return Label(value, None, soft, len(given), why, decided=referee is not None)
    rule = _RULES[question.kind]
    if question.per is not None:
        label = _per(question, given, rule)
    elif step.combine == "mean_threshold" and question.kind in _AVERAGED:
        label = _averaged(question, given)
    elif question.kind == "spans" and step.combine == "union":
        label = _spans_label(union_of_spans([said for said, _ in given]), given)
    else:
        label = rule(given)
    if step.combine == "referee":
        label = replace(label, confidence=None, why=label.why or _BY_REFEREE, decided=True)
    if not is_asked:
        label = replace(label, value=None, confidence=None, why=_not_asked(question), applies=False)
    return label


def _given(question: Question, answers: Sequence[Answer], weights: Sequence[float]) -> Given:
    found = []
    for answer, weight in zip(answers, weights, strict=True):
        said = answer.answers.get(question.id)
        # A judgement without weight must not look like an answer.
        if said is not None and weight > 0:
            found.append((said, weight))
    return found


def _not_asked(question: Question) -> str:
    said = " and ".join(f"'{each.question}' is not {_or(each.values)}" for each in question.when)
    several = "" if len(question.when) == 1 else "at least one of these holds: "
    return f"it does not apply: {several}{said}"


def _or(values: Sequence[str]) -> str:
    return " or ".join(f"'{value}'" for value in values)


def _single(given: Given) -> Label:
    sums = sum_up(given)
    value, share = best_of(sums)
    soft = shares_of(sums)
    if value is not None:
        return Label(value, share, soft, len(given))
    top = max(soft.values())
    tied = [f"'{name}'" for name, each in soft.items() if each >= top * (1 - SAME)]
    why = f"tie between {', '.join(tied[:-1])} and {tied[-1]}"
    return Label(None, None, soft, len(given), why)


_AVERAGED = (*SINGLE, "choices")


def _averaged(question: Question, given: Given) -> Label:
    """Combine answers as Sap et al. 2020, section 4.2, did; groups are all kept, as free texts."""
    if question.kind == "choices":
        return replace(_texts(given), why="all answers are kept: they have no confidence")
    value, share = mean_of(question, given)
    why = "" if value is not None else "nobody gave an answer that counts as yes or no"
    return Label(value, share, shares_of(sum_up(given)), len(given), why)


def _several(given: Given) -> Label:
    value, share, soft = choose_each(given)
    if value is not None:
        return Label(value, share, soft, len(given))
    tied = [f"'{name}'" for name, each in soft.items() if abs(each - 0.5) <= SAME]
    return Label(None, None, soft, len(given), f"half gave {' and '.join(tied)}, half did not")


def _spans(given: Given) -> Label:
    spans = [said for said, _ in given]
    return _spans_label(majority_of_spans(spans, [weight for _, weight in given]), given)


def _spans_label(value: tuple[dict[str, Any], ...], given: Given) -> Label:
    marked = [([span["value"] for span in said], weight) for said, weight in given]
    return Label(value, None, choose_each(marked)[2], len(given), "spans have no confidence")


def _texts(given: Given) -> Label:
    listed = [([said] if isinstance(said, str) else said, weight) for said, weight in given]
    soft = choose_each(listed)[2]
    value = tuple(sorted(soft, key=lambda text: (-soft[text], text)))
    return Label(value, None, soft, len(given), "free texts have no confidence")


def _per(question: Question, given: Given, rule: Callable[[Given], Label]) -> Label:
    names = sorted({name for said, _ in given for name in said})
    value = {
        name: rule([(said[name], weight) for said, weight in given if name in said]).value
        for name in names
    }
    soft = choose_each([(list(said), weight) for said, weight in given])[2]
    why = f"an answer for each of '{question.per}' has no confidence"
    return Label(MappingProxyType(value), None, soft, len(given), why)


_BY_REFEREE = "a referee decided"
_RULES: dict[str, Callable[[Given], Label]] = {
    "choice": _single,
    "scale": _single,
    "choices": _several,
    "spans": _spans,
    "text": _texts,
    "texts": _texts,
}


def _scaled(step: Step) -> str | None:
    """Return the question that the 5-point scale combines."""
    if step.combine != "dpm_scale":
        return None
    return next((each.id for each in step.questions if each.kind in SINGLE), None)


def _dpm(question: Question, said: Sequence[str], referee: Any) -> tuple[str | None, str]:
    """Return the place on the 5-point scale (Pérez-Almendros et al. 2020, section 4.2.1)."""
    if len(said) < 2:
        return None, "fewer than two annotators judged it"
    if len(said) > 2:
        return None, "more than two annotators judged it, and nothing says which two count"
    scores = sorted(_score(question, each) for each in said)
    if any(score not in _DPM_ANSWERS for score in scores):
        return None, "the 5-point scale has the answers 0, 1 and 2 only"
    if scores != [0.0, 2.0]:
        return f"{sum(scores):.0f}", "the two answers add up: the scale has no confidence"
    if referee is None:
        return None, "0 against 2: the referee has to decide"
    return f"{_score(question, referee) + 1:.0f}", "0 against 2: the referee decided"


def _decided_scale(
    label: Label, given: str, answers: Sequence[Answer], question: Question
) -> Label:
    """Apply an adjudication to the 5-point scale.

    0 against 2 is settled as in the paper; anything else as if both annotators agreed.
    """
    said = [each.answers[question.id] for each in answers if question.id in each.answers]
    value, _ = _dpm(question, said, given)
    opposed = len(said) == 2 and sorted(_score(question, each) for each in said) == [0.0, 2.0]
    return _decided(label, value if opposed else f"{2 * _score(question, given):.0f}")


def _score(question: Question, value: str) -> float:
    for option in question.options:
        if option.value == value and option.score is not None:
            return option.score
    return float(value)


def _decided(label: Label, value: Any) -> Label:
    applies = value is not None
    why = _BY_REFEREE if applies else "a referee decided that it does not apply"
    return replace(label, value=value, confidence=None, why=why, applies=applies, decided=True)


def _plain(question: Question, given: Any) -> Any:
    """Return one answer as the value of a label."""
    if given is None:
        return None
    rule = _RULES[question.kind]
    if question.per is not None:
        return MappingProxyType({name: rule([(said, 1.0)]).value for name, said in given.items()})
    return rule([(given, 1.0)]).value


def enters(entry: Entry, source: ItemStep, labels: Callable[[], Mapping[str, Label]]) -> bool:
    """Say whether an item with all judgements of an earlier step enters a later one."""
    if entry.rule == "disputed":
        # An adjudicated item needs no referee.
        return source.decision is None and differ(source.counting, entry)
    value = labels()[entry.question].value
    chosen = value if isinstance(value, tuple) else (value,)
    return any(each in entry.values for each in chosen)


def differ(answers: Sequence[Answer], entry: Entry) -> bool:
    """Say whether judgements differ by the rule: in one of its pairs, or at all."""
    for name in entry.also:
        told = [answer.answers[name] for answer in answers if answer.answers.get(name) is not None]
        if len({comparable(each) for each in told}) > 1:
            return True
    given = {comparable(answer.answers.get(entry.question)) for answer in answers}
    if not entry.values:
        return len(given) > 1
    return any(all(value.strip() in given for value in pair.split(",")) for pair in entry.values)


def comparable(given: Any) -> Any:
    """Return an answer as a hashable value; the order of lists does not matter."""
    if isinstance(given, Mapping):
        return frozenset((name, comparable(value)) for name, value in given.items())
    if isinstance(given, list | tuple):
        return frozenset(comparable(value) for value in given)
    return given


def referee_answers(step: Step, referee: Step, part: ItemStep) -> dict[str, Any]:
    """Return the answers of a referee's step, by the questions of the disputed step.

    Questions with the same id are the same. A referee's step with a single question answers the
    disputed question, even with another id.
    """
    if part.status != "done" or referee.entry is None:
        return {}
    found = part.decision or (part.counting[-1] if part.counting else None)
    if found is None:
        return {}
    answers = dict(found.answers)
    if len(referee.questions) == 1 and referee.questions[0].id in answers:
        answers = {referee.entry.question: answers[referee.questions[0].id]}
    return {
        question.id: answers[question.id] for question in step.questions if question.id in answers
    }
