"""Everyone's answers to one item side by side, for owners and referees."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tactful.annotation.project.exchange import PageItem, letter_at
from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.annotation.state.labels import comparable
from tactful.annotation.state.project_state import Answer
from tactful.annotation.state.span_labels import words_of
from tactful.annotation.state.trust import is_right, is_tested
from tactful.annotation.web.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Cell:
    """What one person answered to one question."""

    lines: tuple[str, ...]
    marked: tuple[tuple[str, str], ...] = ()
    """For spans: the name of the category and the words."""
    differs: bool = False
    """Whether it differs from the majority."""


@dataclass(frozen=True, slots=True)
class Column:
    """One person's answers."""

    name: str
    counts: bool
    at: float
    seconds: float | None
    is_decision: bool = False
    is_right: bool | None = None
    """For a hidden test: whether the answer is right."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Questions down the side, people across the top."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Question, tuple[Cell, ...], bool], ...]
    """The last is whether people answered it differently, or not all were asked."""


def compare(
    step: Step,
    text: str,
    given: Sequence[Answer],
    counted: Collection[str],
    names: Mapping[str, str],
    decision: Answer | None = None,
    gold: Mapping[str, Any] | None = None,
    none: str = "(none)",
    unmarked: str = "(nothing marked)",
) -> Comparison:
    """Return everyone's answers; questions that nobody answered are left out.

    ``none`` and ``unmarked`` are the texts for empty answers.
    """
    tested = gold is not None and is_tested(step, gold)
    columns = [
        Column(
            names.get(a.annotator, a.annotator),
            a.annotator in counted,
            a.at,
            a.seconds,
            is_right=is_right(step, gold or {}, a.answers) if tested else None,
        )
        for a in given
    ]
    everyone = [answer.answers for answer in given]
    if decision is not None:
        by = names.get(decision.annotator, decision.annotator)
        columns.append(Column(by, True, decision.at, None, is_decision=True))
        everyone.append(decision.answers)
    rows = []
    for question in step.questions:
        answers = [each.get(question.id) for each in everyone]
        if any(answer is not None for answer in answers):
            judged = answers[: len(given)]
            common = _common(judged)
            empty = unmarked if question.kind == "spans" and question.per is None else none
            cells = tuple(_cell(question, answer, text, common, empty) for answer in answers)
            rows.append((question, cells, len({comparable(answer) for answer in judged}) > 1))
    return Comparison(tuple(columns), tuple(rows))


def shared_answers(
    step: Step, source: Step, answers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the answers on which all agree in an earlier step, for the same questions."""
    shared: dict[str, Any] = {}
    asked = {question.id: question for question in source.questions}
    for question in step.questions:
        given = [each.get(question.id) for each in answers]
        is_same = question.id in asked and _same_question(question, asked[question.id])
        if is_same and None not in given and len({comparable(each) for each in given}) == 1:
            shared[question.id] = given[0]
    return shared


def _same_question(one: Question, other: Question) -> bool:
    values = [option.value for option in one.options] == [o.value for o in other.options]
    return (one.kind, one.per) == (other.kind, other.per) and values


def in_words(question: Question, answer: Any, none: str = "(none)") -> tuple[str, ...]:
    """Return an answer as lines of text, with the names of options."""
    if answer is None:
        return ()
    if isinstance(answer, Mapping):
        return tuple(
            f"{key}: {', '.join(in_words(question, each, none))}" for key, each in answer.items()
        )
    names = {option.value: option.name for option in question.options}
    if isinstance(answer, list):
        return tuple(names.get(str(each), str(each)) for each in answer) or (none,)
    return (names.get(str(answer), str(answer)),)


def _cell(question: Question, answer: Any, text: str, common: Any, empty: str) -> Cell:
    differs = common is not None and answer is not None and comparable(answer) != common
    if question.kind != "spans" or question.per is not None or answer is None:
        return Cell(in_words(question, answer, empty), differs=differs)
    names = {option.value: option.name for option in question.options}
    marked = tuple(
        (names.get(str(span["value"]), str(span["value"])), words_of(span, text)) for span in answer
    )
    return Cell(() if marked else (empty,), marked, differs)


def _common(answers: Sequence[Any]) -> Any:
    """Return the answer of more than half of the people, if there is one."""
    keys = [comparable(answer) for answer in answers if answer is not None]
    best = max(set(keys), key=keys.count, default=None)
    return best if best is not None and keys.count(best) * 2 > len(keys) > 1 else None


def others_of(protocol: Protocol, item: PageItem, words: Catalogue) -> dict[str, Any] | None:
    """Return everyone's answers for a referee; None if there is nothing to compare.

    People are called A, B, C in an order that differs between items: a referee should judge
    answers, not people. ``begin`` has the answers on which all agree.
    """
    step = protocol.step(item.step)
    if not item.others or step.entry is None:
        return None
    source = protocol.step(step.entry.step)
    given = [Answer(letter_at(at), each, 0.0) for at, each in enumerate(item.others)]
    letters = [answer.annotator for answer in given]
    none, unmarked = words("others.none"), words("others.unmarked")
    table = compare(source, item.text, given, letters, {}, none=none, unmarked=unmarked)
    return {
        "names": [words("others.annotator", letter=letter) for letter in letters],
        "rows": [
            {
                "question": question.text,
                "split": split,
                "news": words("others.differ" if split else "others.agree"),
                "cells": [_sent(cell, words) for cell in cells],
            }
            for question, cells, split in table.rows
        ],
        "begin": shared_answers(step, source, item.others),
        "remarks": remarks_of(item, words),
    }


def remarks_of(item: PageItem, words: Catalogue) -> list[dict[str, str]]:
    """Return what was said about an item, with who said it."""
    return [
        {
            "who": words("others.annotator", letter=who) if who else words("others.senior"),
            "text": text,
        }
        for who, text in item.remarks
    ]


def _sent(cell: Cell, words: Catalogue) -> dict[str, Any]:
    is_empty = not cell.lines and not cell.marked
    lines = (words("others.not_asked"),) if is_empty else cell.lines
    return {
        "lines": lines,
        "marked": cell.marked,
        "differs": cell.differs,
        "muted": is_empty,
    }
