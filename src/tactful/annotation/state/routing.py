"""Which items come into a step, and what a referee's step says back to the one before it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tactful.annotation.protocol.records import Entry, Step
from tactful.annotation.state.items import Answer, ItemStep
from tactful.annotation.state.labels import Label


def enters(entry: Entry, source: ItemStep, labels: Callable[[], Mapping[str, Label]]) -> bool:
    """Say whether an item whose earlier step has all its judgements comes into the later one."""
    if entry.rule == "disputed":
        # What was adjudicated needs no second referee.
        return source.decision is None and differ(source.counting, entry)
    value = labels()[entry.question].value
    chosen = value if isinstance(value, tuple) else (value,)
    return any(each in entry.values for each in chosen)


def differ(answers: Sequence[Answer], entry: Entry) -> bool:
    """Say whether judgements differ as the rule says: in one of its pairs, or at all."""
    given = {_comparable(answer.answers.get(entry.question)) for answer in answers}
    if not entry.values:
        return len(given) > 1
    return any(all(value.strip() in given for value in pair.split(",")) for pair in entry.values)


def _comparable(given: Any) -> Any:
    """Return an answer as something that can be in a set; the order of a list says nothing."""
    if isinstance(given, Mapping):
        return frozenset((name, _comparable(value)) for name, value in given.items())
    if isinstance(given, list | tuple):
        return frozenset(_comparable(value) for value in given)
    return given


def referee_answers(step: Step, referee: Step, part: ItemStep) -> dict[str, Any]:
    """Return what a referee answered in their own step, by the questions of the disputed one.

    A question of the same id is the same question. A referee's step with one question only answers
    the question that the dispute is about, whatever its id.
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
