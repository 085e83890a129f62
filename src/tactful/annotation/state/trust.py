"""Whether a hidden test was answered correctly.

The share of correct tests is the trust of a person (Price et al. 2020, section 3).
"""

from collections.abc import Mapping
from typing import Any

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.span_labels import overlap


def is_tested(step: Step, gold: Mapping[str, Any]) -> bool:
    """Say whether a gold answers a question of this step."""
    # A loop instead of a generator: this runs for every answer to a test.
    for question in step.questions:  # noqa: SIM110
        if question.id in gold:
            return True
    return False


def is_right(step: Step, gold: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    """Say whether all questions of the step that the gold names were answered correctly.

    Choices are compared as sets, texts without case and outer spaces. Spans are correct if each
    gold span overlaps a given one of the same value, and each given span a gold span. ``{"any":
    [a, b]}`` accepts each of several answers; null means that the question must not be asked.
    Call :func:`is_tested` first: a gold without questions of this step is no test.
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
