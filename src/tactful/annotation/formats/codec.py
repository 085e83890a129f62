"""Answers as other tools hold them: flat lists of words, and spans without gaps."""

from collections.abc import Iterable, Mapping
from typing import Any

from tactful.annotation.answers.answers import asked
from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.span_labels import parts_of


def pairs(question: Question, answer: Any) -> list[tuple[str | None, str]]:
    """Return an answer as pairs (key, word); the key is None unless the question has ``per``."""
    if question.per is not None:
        if not isinstance(answer, Mapping):
            return []
        return [(str(key), word) for key, part in answer.items() for word in _words(part)]
    return [(None, word) for word in _words(answer)]


def join(question: Question, found: list[tuple[str | None, str]]) -> Any:
    """Turn such pairs back into an answer; None if there are none."""
    if not found:
        return None
    if question.per is None:
        return _answer(question, [word for _, word in found])
    by_key: dict[str, list[str]] = {}
    for key, word in found:
        by_key.setdefault(key or "", []).append(word)
    return {key: _answer(question, words) for key, words in by_key.items()}


def _words(answer: Any) -> list[str]:
    if answer is None:
        return []
    return [str(each) for each in answer] if isinstance(answer, list) else [str(answer)]


def _answer(question: Question, words: list[str]) -> Any:
    return words if question.kind in ("choices", "texts") else words[0]


def complete(step: Step, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Add the empty lists that other tools leave out: marking nothing is an answer, too."""
    found = dict(answers)
    for question in asked(step, found):
        several = question.kind in ("choices", "spans", "texts") and question.per is None
        may_be_empty = several and question.required and question.least == 0
        if question.id not in found and may_be_empty:
            found[question.id] = []
    return found


GAPS = "spans with gaps"
WHY = "each of their parts became a span of its own"


def has_gaps(span: Mapping[str, Any]) -> bool:
    """Say whether a span has gaps."""
    return len(parts_of(span)) > 1


def without_gaps(spans: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each part as a span of its own, with all else that its span has.

    >>> without_gaps([{"start": 0, "end": 9, "value": "a", "parts": [[0, 2], [7, 9]]}])
    [{'start': 0, 'end': 2, 'value': 'a'}, {'start': 7, 'end': 9, 'value': 'a'}]
    """
    found = []
    for span in spans:
        whole = {name: value for name, value in span.items() if name != "parts"}
        found += [{**whole, "start": start, "end": end} for start, end in parts_of(span)]
    return found


def count_gaps(step: Step, answers: Mapping[str, Any]) -> int:
    """Return how many spans of somebody's answers have gaps."""
    marking = (question.id for question in step.questions if question.kind == "spans")
    return sum(has_gaps(span) for name in marking for span in answers.get(name) or ())
