"""Plain HTML forms for adjudication and for the right answers of hidden tests.

Fields of adjudication are named ``q:`` and the question, with an at sign and the answer of the
other question for ``per``. ``own:`` holds free answers, and ``add:`` further spans, one per line,
as ``12-20 category``, or ``12-20,25-30 category`` with a gap.

In the form of a hidden test any question may be left out. Several ticked answers to a single-choice
question are all right. For several answers and spans, the box "tested" says whether exactly the
given set is right, which may be empty. The form cannot show questions with ``per`` or several right
sets; these are kept unless they are removed or replaced.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.span_labels import Piece, parts_of, span_of, words_of
from tactful.annotation.state.trust import acceptable
from tactful.annotation.web.owner.site import Form
from tactful.annotation.web.side_by_side import in_words
from tactful.errors import InputError

_PIECE = r"\d{1,9}\s*-\s*\d{1,9}"
_SPAN = re.compile(rf"\s*({_PIECE}(?:\s*,\s*{_PIECE})*)(?:\s+(\S.*?))?\s*")


@dataclass(frozen=True, slots=True)
class Mark:
    """A span that somebody marked, to be accepted or not."""

    parts: tuple[Piece, ...]
    """The pieces that it covers; most have one."""
    value: str
    words: str
    by: tuple[str, ...]
    chosen: bool

    @property
    def field(self) -> str:
        """The span as the form sends it."""
        return span_line(span_of(self.parts, self.value))


@dataclass(frozen=True, slots=True)
class Field:
    """One question in a form, or one part of a question with ``per``."""

    question: Question
    name: str
    key: str | None
    """The answer of the other question."""
    chosen: tuple[str, ...]
    own: str
    marks: tuple[Mark, ...] = ()


def fields(
    step: Step,
    current: Mapping[str, Any],
    given: Mapping[str, Mapping[str, Any]],
    text: str,
) -> list[Field]:
    """Return the fields of a form, filled with ``current``; ``given`` has everybody's answers."""
    made: list[Field] = []
    everyone = [current, *given.values()]
    for question in step.questions:
        answer = current.get(question.id)
        if question.per is None:
            marks = _marks(question, answer, given, text) if question.kind == "spans" else ()
            made.append(_field(question, question.id, None, answer, marks))
            continue
        for key in _keys(question.per, everyone):
            here = answer.get(key) if isinstance(answer, Mapping) else None
            made.append(_field(question, f"{question.id}@{key}", key, here))
    return made


def read_answers(step: Step, form: Form) -> dict[str, Any]:
    """Return the answers of a form; empty fields are left out."""
    answers: dict[str, Any] = {}
    for question in step.questions:
        if question.per is None:
            value = _read(question, question.id, form)
            if value is not None:
                answers[question.id] = value
            continue
        prefixes = {f"q:{question.id}@", f"own:{question.id}@"}
        keys = dict.fromkeys(
            name.partition("@")[2] for name in form if name.partition("@")[0] + "@" in prefixes
        )
        each = {key: _read(question, f"{question.id}@{key}", form) for key in keys}
        told = {key: value for key, value in each.items() if value is not None}
        if told:
            answers[question.id] = told
    return answers


def _read(question: Question, name: str, form: Form) -> Any:
    given = [value.strip() for value in form.get(f"q:{name}", ()) if value.strip()]
    own = _lines(form, f"own:{name}")
    match question.kind:
        case "choice" | "scale":
            return own[0] if own else given[0] if given else None
        case "choices":
            return [*given, *own] or ([] if f"asked:{name}" in form else None)
        case "text":
            return given[0] if given else None
        case "texts":
            return _lines(form, f"q:{name}") or None
        case "spans":
            found = read_spans([*given, *_lines(form, f"add:{name}")])
            return found or ([] if f"asked:{name}" in form else None)


def read_spans(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the spans of lines such as ``12-20 category``; empty lines are ignored."""
    return [_span(line) for line in lines if line.strip()]


def span_line(span: Mapping[str, Any]) -> str:
    """Return the line that :func:`read_spans` reads as this span."""
    return f"{','.join(f'{start}-{end}' for start, end in parts_of(span))} {span['value']}"


def _span(line: str) -> dict[str, Any]:
    match = _SPAN.fullmatch(line)
    if match is None:
        raise InputError(
            f"Found the span '{line.strip()}'; expected its start, its end and its category, such "
            "as '12-20 category'."
        )
    pieces = [tuple(map(int, piece.split("-"))) for piece in match[1].split(",")]
    return span_of([(start, end) for start, end in sorted(pieces)], match[2] or "")


def _field(
    question: Question, name: str, key: str | None, answer: Any, marks: tuple[Mark, ...] = ()
) -> Field:
    if question.kind == "spans" or answer is None:
        return Field(question, name, key, (), "", marks)
    given = [str(each) for each in answer] if isinstance(answer, list) else [str(answer)]
    if question.kind in ("text", "texts"):
        return Field(question, name, key, (), "\n".join(given), marks)
    return Field(question, name, key, *_parted(question, given), marks)


def _parted(question: Question, given: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the options among the answers, and the other answers as lines."""
    known = {option.value for option in question.options}
    chosen = tuple(each for each in given if each in known)
    return chosen, "\n".join(each for each in given if each not in known)


def _marks(
    question: Question, answer: Any, given: Mapping[str, Mapping[str, Any]], text: str
) -> tuple[Mark, ...]:
    """Return every span that anybody marked, once, with their names."""
    people: dict[tuple[tuple[Piece, ...], str], list[str]] = {}
    for person, answers in given.items():
        for span in answers.get(question.id) or ():
            people.setdefault(_place(span), []).append(person)
    chosen = {_place(span) for span in answer or ()}
    for place in chosen:
        people.setdefault(place, [])
    return tuple(
        Mark(
            parts, value, words_of(span_of(parts, value), text), tuple(by), (parts, value) in chosen
        )
        for (parts, value), by in sorted(people.items())
    )


def _place(span: Mapping[str, Any]) -> tuple[tuple[Piece, ...], str]:
    return parts_of(span), str(span.get("value", ""))


def _keys(question: str, answers: Iterable[Mapping[str, Any]]) -> Sequence[str]:
    """Return all answers that anybody gave to a question."""
    found: dict[str, None] = {}
    for each in answers:
        answer = each.get(question)
        for value in answer if isinstance(answer, list) else [] if answer is None else [answer]:
            found[str(value)] = None
    return list(found)


NOT_ASKED = "not-asked"


@dataclass(frozen=True, slots=True)
class GoldField:
    """One question of a test."""

    question: Question
    tested: bool
    chosen: tuple[str, ...]
    lines: str
    """Free answers: texts or spans, one on each line."""
    not_asked: bool
    """Whether not being asked is right."""
    shortened: bool
    """Whether the test accepts more than the form can show."""
    kept: tuple[str, ...] = ()
    """The right answers of a question with ``per``, as lines."""


def gold_fields(step: Step, gold: Mapping[str, Any]) -> list[GoldField]:
    """Return the fields of the form, filled in; questions with ``per`` only if tested."""
    return [
        _gold_field(question, gold)
        for question in step.questions
        if question.per is None or question.id in gold
    ]


def read_gold(step: Step, form: Form, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the right answers of a form; untested questions are left out.

    ``before`` has the answers that the form was filled with.
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
    """Say whether a form came back unchanged, with the first of the sets."""
    accepted = acceptable(gold)
    if not accepted or not isinstance(accepted[0], list) or not isinstance(found, list):
        return bool(accepted) and accepted[0] == found
    return sorted(map(str, accepted[0])) == sorted(map(str, found))


def _single(question: Question, form: Form, name: str, chosen: list[str]) -> list[Any]:
    known = {option.value for option in question.options}
    found: list[Any] = [value for value in chosen if value in known]
    if question.open:
        found += _lines(form, f"{name}:lines")
    if NOT_ASKED in form.get(f"none:{question.id}", ()):
        found.append(None)
    return found


def _several(question: Question, form: Form, name: str, chosen: list[str]) -> Any:
    lines = _lines(form, f"{name}:lines")
    if question.kind == "choices":
        known = {option.value for option in question.options}
        return [*(value for value in chosen if value in known), *(lines if question.open else [])]
    if question.kind == "texts":
        return lines
    if question.kind == "text":
        return (lines or [""])[0]
    return read_spans(lines)


def _lines(form: Form, name: str) -> list[str]:
    """Return the lines of a field that are not empty."""
    lines = (line.strip() for value in form.get(name, ()) for line in value.splitlines())
    return [line for line in lines if line]


def _gold_field(question: Question, gold: Mapping[str, Any]) -> GoldField:
    if question.id not in gold:
        return GoldField(question, False, (), "", False, False)
    accepted = acceptable(gold[question.id])
    if question.per is not None:
        kept = tuple(line for each in accepted for line in in_words(question, each))
        return GoldField(question, True, (), "", False, False, kept or ("not asked",))
    if question.kind in ("choice", "scale"):
        told = [str(value) for value in accepted if value is not None]
        return GoldField(question, True, *_parted(question, told), None in accepted, False)
    first = accepted[0] if accepted else []
    if question.kind == "spans":
        lines = "\n".join(map(span_line, first or ()))
        return GoldField(question, True, (), lines, False, len(accepted) > 1)
    values = [str(value) for value in (first if isinstance(first, list) else [first])]
    return GoldField(question, True, *_parted(question, values), False, len(accepted) > 1)
