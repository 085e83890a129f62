"""The right answers of a hidden test, as a form: any question may be left out of the test.

Of a question with one answer several may be ticked: each of them is then right. Of a question with
several answers, and of spans, the box "tested" says whether the set that is ticked must be given;
an empty set can be the right one, too.

Two things are more than the form can show: a question that is asked for each answer of another one,
and several sets of answers that are right. They are kept as they are, unless they are taken away or
replaced.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.trust import acceptable
from tactful.annotation.web.answer_form import read_spans, span_line
from tactful.annotation.web.desk import Form
from tactful.annotation.web.side_by_side import in_words

NOT_ASKED = "not-asked"


@dataclass(frozen=True, slots=True)
class GoldField:
    """One question of a test."""

    question: Question
    tested: bool
    chosen: tuple[str, ...]
    lines: str
    """Texts or spans, a line each; answers of one's own."""
    not_asked: bool
    """It is right that the question was not asked."""
    shortened: bool
    """The test accepts more than this form can show."""
    kept: tuple[str, ...] = ()
    """What is right of a question that is asked for each answer of another, in lines."""


def gold_fields(step: Step, gold: Mapping[str, Any]) -> list[GoldField]:
    """Return the fields of the form, filled in; questions that it cannot ask only where tested."""
    return [
        _field(question, gold)
        for question in step.questions
        if question.per is None or question.id in gold
    ]


def read_gold(step: Step, form: Form, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the right answers that a form names; what is not tested is left out.

    ``before`` has those that the form was filled in with.
    """
    gold: dict[str, Any] = {}
    for question in step.questions:
        if question.per is not None:
            if question.id in before and f"drop:{question.id}" not in form:
                gold[question.id] = before[question.id]
            continue
        name = f"gold:{question.id}"
        chosen = [value for value in form.get(name, ()) if value]
        if question.kind in ("choice", "scale"):
            found = _single(question, form, name, chosen)
            if found:
                gold[question.id] = found[0] if len(found) == 1 else {"any": found}
        elif f"tested:{question.id}" in form:
            found_set = _several(question, form, name, chosen)
            earlier = before.get(question.id)
            gold[question.id] = earlier if _is_first(earlier, found_set) else found_set
    return gold


def _is_first(gold: Any, found: Any) -> bool:
    """Say whether a form came back as it was filled in: with the first of the sets."""
    accepted = acceptable(gold)
    if not accepted or not isinstance(accepted[0], list) or not isinstance(found, list):
        return bool(accepted) and accepted[0] == found
    return sorted(map(str, accepted[0])) == sorted(map(str, found))


def _single(question: Question, form: Form, name: str, chosen: list[str]) -> list[Any]:
    known = {option.value for option in question.options}
    found: list[Any] = [value for value in chosen if value in known]
    if question.open:
        found += _lines(form, name)
    if NOT_ASKED in form.get(f"none:{question.id}", ()):
        found.append(None)
    return found


def _several(question: Question, form: Form, name: str, chosen: list[str]) -> Any:
    if question.kind == "choices":
        known = {option.value for option in question.options}
        own = _lines(form, name) if question.open else []
        return [*(value for value in chosen if value in known), *own]
    if question.kind == "texts":
        return _lines(form, name)
    if question.kind == "text":
        return (_lines(form, name) or [""])[0]
    return read_spans(_lines(form, name))


def _lines(form: Form, name: str) -> list[str]:
    lines = [line.strip() for value in form.get(f"{name}:lines", ()) for line in value.splitlines()]
    return [line for line in lines if line]


def _field(question: Question, gold: Mapping[str, Any]) -> GoldField:
    if question.id not in gold:
        return GoldField(question, False, (), "", False, False)
    accepted = acceptable(gold[question.id])
    if question.per is not None:
        kept = tuple(line for each in accepted for line in in_words(question, each))
        return GoldField(question, True, (), "", False, False, kept or ("not asked",))
    known = {option.value for option in question.options}
    if question.kind in ("choice", "scale"):
        told = [str(value) for value in accepted if value is not None]
        chosen = tuple(value for value in told if value in known)
        own = "\n".join(value for value in told if value not in known)
        return GoldField(question, True, chosen, own, None in accepted, False)
    first = accepted[0] if accepted else []
    if question.kind == "spans":
        lines = "\n".join(map(span_line, first or ()))
        return GoldField(question, True, (), lines, False, len(accepted) > 1)
    values = [str(value) for value in (first if isinstance(first, list) else [first])]
    chosen = tuple(value for value in values if value in known)
    own = "\n".join(value for value in values if value not in known)
    return GoldField(question, True, chosen, own, False, len(accepted) > 1)
