"""Answers as JSON has them, and whether they answer the questions of a step.

====================  ==========================================================
kind of question      answer
====================  ==========================================================
``choice``            the value of an option (or own words, where it is open)
``choices``           a list of such values
``scale``             the value of an option, a number as text
``spans``             a list of ``{"start": 0, "end": 4, "value": "pcl.metaphor"}``, code points
``text``              a text
``texts``             a list of texts
any with ``per``      a mapping: answer of the other question -> answer of this one
====================  ==========================================================
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tactful.annotation.protocol import Question, Step
from tactful.errors import InputError

MOST_OWN_WORDS = 100
"""Characters of an answer of one's own, where a question is open."""
MOST_TEXT = 2000
MOST_ITEM_OF_TEXTS = 500
MOST_LIST = 100
"""Answers in a list whose question sets no limit."""
MOST_SPANS = 500

_LINE_BREAKS = "\n\t\r"
_SHOWN = 40


def asked(step: Step, answers: Mapping[str, Any]) -> list[Question]:
    """Return the questions that apply, given these answers, in the order of the step.

    An answer to a question that does not apply itself opens no other one.
    """
    found: dict[str, Question] = {}
    for question in step.questions:
        if _applies(question, found, answers):
            found[question.id] = question
    return list(found.values())


def check_answers(step: Step, answers: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the answers cleaned, or raise :class:`InputError` with one sentence.

    Questions that do not apply are dropped, lists have each answer once and in order, spans are
    sorted.
    """
    _refuse_unknown(step, answers)
    cleaned: dict[str, Any] = {}
    found: dict[str, Question] = {}
    for question in step.questions:
        # One after the other: what opens a question is the cleaned answer before it.
        if not _applies(question, found, cleaned):
            continue
        found[question.id] = question
        given = answers.get(question.id)
        if _is_blank(question, given):
            if question.required:
                raise _error(question, "no answer", "one", "answer it, or skip the item")
            continue
        if question.per is None:
            answer = _clean(question, given, text)
        else:
            base = found[question.per]
            answer = _clean_each(question, given, base, cleaned[base.id], text)
        if not _is_blank(question, answer):
            cleaned[question.id] = answer
    return cleaned


def check_gold(step: Step, gold: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the right answers of a hidden test to the questions of a step, cleaned.

    A test may leave questions out, accept several answers (``{"any": ["yes", "no"]}``), and say
    with null that a question must not have been asked. Answers to questions of other steps are
    passed by.
    """
    cleaned: dict[str, Any] = {}
    for question in step.questions:
        if question.id not in gold:
            continue
        given = gold[question.id]
        several = isinstance(given, Mapping) and set(given) == {"any"}
        if not several:
            cleaned[question.id] = _clean_gold(step, question, given, text)
        elif not isinstance(given["any"], list) or not given["any"]:
            raise _error(
                question, _shown(given["any"]), "a list of right answers", "name at least one"
            )
        else:
            cleaned[question.id] = {
                "any": [_clean_gold(step, question, each, text) for each in given["any"]]
            }
    return cleaned


def _clean_gold(step: Step, question: Question, given: object, text: str) -> Any:
    if given is None:
        return None
    if question.per is None:
        return _clean(question, given, text)
    return _clean_each(question, given, step.question(question.per), None, text)


def _refuse_unknown(step: Step, answers: Mapping[str, Any]) -> None:
    if not isinstance(answers, Mapping):
        raise InputError(
            f"Found {_shown(answers)} as the answers of '{step.id}'; expected a mapping from "
            "questions to answers; send one."
        )
    known = [question.id for question in step.questions]
    for name in answers:
        if name not in known:
            raise InputError(
                f"Found an answer to {_shown(name)}; expected one of the questions of "
                f"'{step.id}': {_quoted(known)}; correct its name."
            )


def _applies(question: Question, found: Mapping[str, Question], answers: Mapping[str, Any]) -> bool:
    """Say whether a question applies; ``found`` are those before it that do."""
    if question.per is not None and not _holds(found.get(question.per), None, answers):
        return False
    return all(_holds(found.get(each.question), each.values, answers) for each in question.when)


def _holds(
    question: Question | None, values: tuple[str, ...] | None, answers: Mapping[str, Any]
) -> bool:
    """Say whether a question that applies has one of the values; None: has any answer."""
    given = None if question is None else answers.get(question.id)
    if given is None:
        return False
    if isinstance(given, list):
        flat = [each.get("value") if isinstance(each, Mapping) else each for each in given]
    else:
        flat = [given]
    return bool(flat) if values is None else any(each in values for each in flat)


def _is_blank(question: Question, answer: object) -> bool:
    if answer is None or (isinstance(answer, str) and not answer.strip()):
        return True
    if isinstance(answer, list | tuple) and not answer:
        # To mark nothing is an answer, where one must be given and no number is asked for.
        return not question.required or question.least > 0
    return isinstance(answer, Mapping) and not answer


def _clean_each(
    question: Question,
    given: object,
    base: Question,
    names: list[str] | None,
    text: str,
) -> dict[str, Any]:
    """Clean the answers of a question that is asked once for each of the other one's answers.

    Without ``names`` it is each of those that are given.
    """
    if not isinstance(given, Mapping):
        raise _error(
            question,
            _shown(given),
            f"a mapping from each answer to '{base.id}' to an answer of this one",
            "send one",
        )
    # The names are cleaned as the other question's answers are; what is no longer chosen goes.
    by_name = {_clean_name(base, name): answer for name, answer in given.items()}
    result: dict[str, Any] = {}
    for name in by_name if names is None else names:
        if not _is_blank(question, by_name.get(name)):
            result[name] = _clean(question, by_name[name], text)
        elif question.required:
            raise _error(
                question, f"no answer for {_shown(name)}", "one for each", "answer it, too"
            )
    return result


def _clean_name(base: Question, name: object) -> str:
    return _one_text(base, name) if base.kind == "texts" else _choice(base, name)


def _clean(question: Question, given: object, text: str) -> Any:
    if question.kind == "spans":
        return _spans(question, given, text)
    if question.kind == "choices":
        return _listed(question, given, _choice)
    if question.kind == "texts":
        return _listed(question, given, _one_text)
    if question.kind == "text":
        return _text(question, given)
    return _choice(question, given)


def _choice(question: Question, given: object) -> str:
    values = [option.value for option in question.options]
    if isinstance(given, str) and given in values:
        return given
    if not question.open:
        raise _error(question, _shown(given), f"one of {_quoted(values)}", "choose one of them")
    words = _one_line(question, given, MOST_OWN_WORDS)
    if not words:
        raise _error(question, "a blank answer", "some words", "write them or leave it out")
    # Somebody who types the name of an option means the option.
    for option in question.options:
        if words.casefold() in (option.value.casefold(), option.name.casefold()):
            return option.value
    return words


def _one_text(question: Question, given: object) -> str:
    return _one_line(question, given, MOST_ITEM_OF_TEXTS)


def _listed(
    question: Question, given: object, clean: Callable[[Question, object], str]
) -> list[str]:
    answers = _list(question, given, MOST_LIST)
    order = {option.value: place for place, option in enumerate(question.options)}
    # A line that was left empty in a list of texts is no answer.
    found = [answer for answer in (clean(question, each) for each in answers) if answer]
    unique = sorted(dict.fromkeys(found), key=lambda value: order.get(value, len(order)))
    _check_number(question, len(unique))
    return unique


def _spans(question: Question, given: object, text: str) -> list[dict[str, Any]]:
    order = {option.value: place for place, option in enumerate(question.options)}
    found = set()
    for span in _list(question, given, MOST_SPANS):
        if not isinstance(span, Mapping) or set(span) != {"start", "end", "value"}:
            raise _error(
                question, _shown(span), "a span with 'start', 'end' and 'value'", "send just these"
            )
        start, end, value = span["start"], span["end"], span["value"]
        # True and 1.0 pass for 1 in Python, not in what others read from an export.
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise _error(
                question,
                f"a span from {_shown(start)} to {_shown(end)}",
                f"whole numbers from 0 to {len(text)}, the start before the end",
                "mark the words again",
            )
        if not isinstance(value, str) or value not in order:
            raise _error(
                question,
                f"a span with {_shown(value)}",
                f"one of {_quoted(order)}",
                "choose one of them",
            )
        found.add((start, end, order[value]))
    _check_number(question, len(found))
    values = list(order)
    return [
        {"start": start, "end": end, "value": values[place]} for start, end, place in sorted(found)
    ]


def _text(question: Question, given: object) -> str:
    words = _characters(question, given, MOST_TEXT)
    return words.replace("\r\n", "\n").replace("\r", "\n").strip()


def _one_line(question: Question, given: object, most: int) -> str:
    return " ".join(_characters(question, given, most).split())


def _characters(question: Question, given: object, most: int) -> str:
    if not isinstance(given, str):
        raise _error(question, _shown(given), "text", "write words")
    # One spelling of each letter with marks, so that the same word is the same answer.
    given = unicodedata.normalize("NFC", given)
    if len(given) > most:
        raise _error(
            question, f"{len(given):,} characters", f"at most {most:,}", "write a shorter answer"
        )
    for character in given:
        # A control character would be carried out by a terminal; half a pair cannot be stored.
        kind = unicodedata.category(character)
        if kind == "Cs" or (kind == "Cc" and character not in _LINE_BREAKS):
            raise _error(
                question,
                f"the character U+{ord(character):04X}",
                "text without control characters and broken letters",
                "take it out",
            )
    return given


def _list(question: Question, given: object, most: int) -> list[Any]:
    if not isinstance(given, list | tuple):
        raise _error(question, _shown(given), "a list of answers", "send a list")
    if len(given) > most:
        raise _error(question, f"{len(given):,} answers", f"at most {most}", "leave some out")
    return list(given)


def _check_number(question: Question, number: int) -> None:
    if number < question.least:
        raise _error(question, _answers(number), f"at least {question.least}", "add some")
    if question.most is not None and number > question.most:
        raise _error(question, _answers(number), f"at most {question.most}", "leave some out")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _answers(number: int) -> str:
    return "1 answer" if number == 1 else f"{number} answers"


def _error(question: Question, found: str, expected: str, action: str) -> InputError:
    return InputError(f"Question '{question.id}': found {found}; expected {expected}; {action}.")


def _shown(value: object) -> str:
    """Show what was sent, short and with whatever is not printable escaped."""
    shown = repr(value[:_SHOWN] if isinstance(value, str) else value)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
