"""Answers of any kind as flat lists of words, which is all that other tools know."""

from collections.abc import Mapping
from typing import Any

from tactful.annotation.answers.answers import asked
from tactful.annotation.protocol.records import Question, Step


def pairs(question: Question, answer: Any) -> list[tuple[str | None, str]]:
    """Return an answer as (for what, word): the first is None unless it was asked per something."""
    if question.per is not None:
        if not isinstance(answer, Mapping):
            return []
        return [(str(key), word) for key, part in answer.items() for word in _words(part)]
    return [(None, word) for word in _words(answer)]


def join(question: Question, found: list[tuple[str | None, str]]) -> Any:
    """Return the answer that such pairs stand for; None where there are none."""
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
    """Add the empty lists that other tools do not write: to mark nothing is an answer, too."""
    found = dict(answers)
    for question in asked(step, found):
        if question.id not in found and _may_be_empty(question):
            found[question.id] = []
    return found


def _may_be_empty(question: Question) -> bool:
    several = question.kind in ("choices", "spans", "texts")
    return several and question.per is None and question.required and question.least == 0
