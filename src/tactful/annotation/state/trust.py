"""Whether a hidden test was answered as its gold says.

Price et al. 2020, section 3: the share of tests that somebody answered right is their trust.
"""

from collections.abc import Mapping
from typing import Any

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.span_labels import overlap


def is_tested(step: Step, gold: Mapping[str, Any]) -> bool:
    """Say whether a gold is about a question of this step at all."""
    # A loop, and not a generator: it is asked for every answer to a test.
    for question in step.questions:  # noqa: SIM110
        if question.id in gold:
            return True
    return False


def is_right(step: Step, gold: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    """Say whether all questions of the step that the gold names were answered as it says.

    Choices are compared as sets, texts without regard to case and spaces at the ends. Spans are
    right when each gold span is touched by one of the same value and each one given touches a gold
    span of its value. ``{"any": [a, b]}`` accepts each of several answers; null stands for a
    question that was not asked. Without a question of this step in the gold there is no test:
    ask :func:`is_tested` first.
    """
    for question in step.questions:
        if question.id in gold:
            wanted, given = gold[question.id], answers.get(question.id)
            if not any(_agrees(question, each, given) for each in acceptable(wanted)):
                return False
    return True


def acceptable(wanted: Any) -> list[Any]:
    """Return the answers that a gold accepts for one question."""
    if isinstance(wanted, Mapping) and set(wanted) == {"any"} and isinstance(wanted["any"], list):
        return wanted["any"]
    return [wanted]


def _agrees(question: Question, wanted: Any, given: Any) -> bool:
    if question.per is None:
        return _same(question.kind, wanted, given)
    ours, theirs = wanted or {}, given or {}
    return ours.keys() == theirs.keys() and all(
        _same(question.kind, ours[name], theirs[name]) for name in ours
    )


def _same(kind: str, wanted: Any, given: Any) -> bool:
    if kind == "choices":
        return set(wanted or ()) == set(given or ())
    if kind == "spans":
        ours, theirs = wanted or (), given or ()
        return _all_touched(ours, theirs) and _all_touched(theirs, ours)
    if kind == "texts":
        return {_plain(text) for text in wanted or ()} == {_plain(text) for text in given or ()}
    if kind == "text":
        return _plain(wanted or "") == _plain(given or "")
    return bool(wanted == given)


def _all_touched(spans: Any, others: Any) -> bool:
    return all(
        any(span["value"] == other["value"] and overlap(span, other) for other in others)
        for span in spans
    )


def _plain(text: str) -> str:
    return text.strip().casefold()
