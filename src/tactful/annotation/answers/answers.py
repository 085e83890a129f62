"""Answers as JSON, and checks that they fit the questions of a step.

====================  ==========================================================
kind of question      answer
====================  ==========================================================
``choice``            the value of an option (or own words, where it is open)
``choices``           a list of such values
``scale``             the value of an option, a number as text
``spans``             a list of ``{"start": 0, "end": 4, "value": "pcl.metaphor"}``, code points;
                      one with gaps has its pieces, too: ``"parts": [[0, 4], [9, 12]]``
``text``              a text
``texts``             a list of texts
any with ``per``      a mapping: answer of the other question -> answer of this one
====================  ==========================================================
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.protocol.schema import quoted, shown
from tactful.annotation.state.span_labels import Piece, span_of
from tactful.errors import InputError
from tactful.words import counted

MOST_OWN_WORDS = 100
"""Maximum length of a free answer to an open question."""
MOST_TEXT = 2000
MOST_ITEM_OF_TEXTS = 500
MOST_LIST = 100
"""Maximum length of a list whose question sets no limit."""

_LISTS = ("choices", "spans", "texts")
_LINE_BREAKS = "\n\t\r"


def asked(step: Step, answers: Mapping[str, Any]) -> list[Question]:
    """Return the questions that apply, given these answers, in the order of the step.

    An answer to a question that does not apply opens no other question.
    """
    found: dict[str, Question] = {}
    for question in step.questions:
        if _applies(question, found, answers):
            found[question.id] = question
    return list(found.values())


def check_answers(
    step: Step, answers: Mapping[str, Any], text: str, *, loose: bool = False
) -> dict[str, Any]:
    """Return the answers cleaned, or raise :class:`InputError`.

    Answers to questions that do not apply are dropped; lists are sorted and without duplicates.
    ``loose`` is for annotations from other tools: answers may be missing, lists may be shorter or
    longer than the protocol says, and free answers may be longer.
    """
    return _cleaned(step.questions, step.id, answers, text, loose)


def check_traits(traits: Sequence[Question], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the traits of a person, cleaned; all are optional."""
    return _cleaned(traits, "traits", answers, "", loose=False)


def _cleaned(
    questions: Sequence[Question],
    title: str,
    answers: Mapping[str, Any],
    text: str,
    loose: bool,
) -> dict[str, Any]:
    _refuse_unknown(questions, title, answers)
    cleaned: dict[str, Any] = {}
    found: dict[str, Question] = {}
    words = MOST_ITEM_OF_TEXTS if loose else MOST_OWN_WORDS
    for question in questions:
        # In order: conditions refer to the cleaned answers of earlier questions.
        if not _applies(question, found, cleaned):
            continue
        found[question.id] = question
        given = answers.get(question.id)
        if _is_blank(question, given):
            if question.required and not loose:
                raise fault(question, "no answer", "one; answer it, or skip the item")
            continue
        rule = question
        if loose and (question.per is not None or question.kind in _LISTS):
            rule = replace(question, required=False, least=0, most=None)
        if question.per is None:
            answer = _clean(rule, given, text, words)
        else:
            base = found[question.per]
            answer = _clean_each(rule, given, base, cleaned[base.id], text, words)
        if not _is_blank(question, answer):
            cleaned[question.id] = answer
    return cleaned


def check_gold(step: Step, gold: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the right answers of a hidden test to the questions of a step, cleaned.

    A test may leave questions out, accept several answers (``{"any": ["yes", "no"]}``), and say
    with null that a question must not be asked. Answers to questions of other steps are ignored.
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
            raise fault(question, shown(given["any"]), "a list of right answers; name at least one")
        else:
            cleaned[question.id] = {
                "any": [_clean_gold(step, question, each, text) for each in given["any"]]
            }
    return cleaned


def _clean_gold(step: Step, question: Question, given: object, text: str) -> Any:
    if given is None:
        return None
    if question.per is None:
        return _clean(question, given, text, MOST_OWN_WORDS)
    base = step.question(question.per)
    return _clean_each(question, given, base, None, text, MOST_OWN_WORDS)


def _refuse_unknown(questions: Sequence[Question], title: str, answers: Mapping[str, Any]) -> None:
    if not isinstance(answers, Mapping):
        raise InputError(
            f"Found {shown(answers)} as the answers of '{title}'; expected a mapping from "
            "questions to answers; send one."
        )
    known = [question.id for question in questions]
    for name in answers:
        if name not in known:
            raise InputError(
                f"Found an answer to {shown(name)}; expected one of the questions of "
                f"'{title}': {quoted(known)}; correct its name."
            )


def _applies(question: Question, found: Mapping[str, Question], answers: Mapping[str, Any]) -> bool:
    """Say whether a question applies; ``found`` has the earlier questions that apply."""
    if question.per is not None and not _holds(found.get(question.per), None, answers):
        return False
    return all(_holds(found.get(each.question), each.values, answers) for each in question.when)


def _holds(
    question: Question | None, values: tuple[str, ...] | None, answers: Mapping[str, Any]
) -> bool:
    """Say whether a question has one of the values as its answer; None: any answer."""
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
        # Marking nothing is an answer if one is required and no minimum is set.
        return not question.required or question.least > 0
    return isinstance(answer, Mapping) and not answer


def _clean_each(
    question: Question,
    given: object,
    base: Question,
    names: list[str] | None,
    text: str,
    words: int,
) -> dict[str, Any]:
    """Clean the answers of a question that is asked once for each answer of another one.

    Without ``names``, all given keys are used.
    """
    if not isinstance(given, Mapping):
        wanted = f"a mapping from each answer to '{base.id}' to an answer of this one; send one"
        raise fault(question, shown(given), wanted)
    # Keys are cleaned like the answers of the other question; others are dropped.
    by_name = {_clean_one(base, name, words): answer for name, answer in given.items()}
    result: dict[str, Any] = {}
    for name in by_name if names is None else names:
        if not _is_blank(question, by_name.get(name)):
            result[name] = _clean(question, by_name[name], text, words)
        elif question.required:
            raise fault(question, f"no answer for {shown(name)}", "one for each; answer it, too")
    return result


def _clean(question: Question, given: object, text: str, words: int) -> Any:
    """Clean one answer; free answers may have ``words`` characters."""
    if question.kind == "spans":
        return clean_spans(question, given, text)
    if question.kind == "text":
        said = _characters(question, given, MOST_TEXT)
        return said.replace("\r\n", "\n").replace("\r", "\n").strip()
    if question.kind not in _LISTS:
        return _choice(question, given, words)
    found = [_clean_one(question, each, words) for each in listed(question, given, MOST_LIST)]
    order = {option.value: place for place, option in enumerate(question.options)}
    # An empty line in a list of texts is no answer.
    unique = sorted(
        dict.fromkeys(filter(None, found)), key=lambda value: order.get(value, len(order))
    )
    check_number(question, len(unique))
    return unique


def _clean_one(question: Question, given: object, words: int) -> str:
    """Clean one of several answers."""
    if question.kind == "texts":
        return _one_line(question, given, MOST_ITEM_OF_TEXTS)
    return _choice(question, given, words)


def _choice(question: Question, given: object, most: int) -> str:
    values = [option.value for option in question.options]
    if isinstance(given, str) and given in values:
        return given
    if not question.open:
        raise fault(question, shown(given), f"one of {quoted(values)}; choose one of them")
    words = _one_line(question, given, most)
    if not words:
        raise fault(question, "a blank answer", "some words; write them or leave it out")
    # Typing the name of an option selects the option.
    for option in question.options:
        if words.casefold() in (option.value.casefold(), option.name.casefold()):
            return option.value
    return words


def _one_line(question: Question, given: object, most: int) -> str:
    return " ".join(_characters(question, given, most).split())


def _characters(question: Question, given: object, most: int) -> str:
    if not isinstance(given, str):
        raise fault(question, shown(given), "text; write words")
    # Normalised, so that the same word is the same answer.
    given = unicodedata.normalize("NFC", given)
    if len(given) > most:
        wanted = f"at most {most:,}; write a shorter answer"
        raise fault(question, f"{len(given):,} characters", wanted)
    for character in given:
        # A terminal would run control characters; a lone surrogate cannot be stored.
        kind = unicodedata.category(character)
        if kind == "Cs" or (kind == "Cc" and character not in _LINE_BREAKS):
            wanted = "text without control characters and lone surrogates; remove it"
            raise fault(question, f"the character U+{ord(character):04X}", wanted)
    return given


MOST_SPANS = 500
MOST_PARTS = 100
"""Pieces of one span."""
_FIELDS = {"start", "end", "value"}


def clean_spans(question: Question, given: object, text: str) -> list[dict[str, Any]]:
    """Return the spans of an answer cleaned, or raise an error."""
    order = {option.value: place for place, option in enumerate(question.options)}
    found = set()
    for span in listed(question, given, MOST_SPANS):
        if not isinstance(span, Mapping) or not _FIELDS <= set(span) <= {*_FIELDS, "parts"}:
            raise fault(
                question,
                shown(span),
                "a span with 'start', 'end' and 'value', and with 'parts' where it has gaps; send "
                "just these",
            )
        value = span["value"]
        if not isinstance(value, str) or value not in order:
            wanted = f"one of {quoted(order)}; choose one of them"
            raise fault(question, f"a span with {shown(value)}", wanted)
        start, end = _piece(question, span["start"], span["end"], text)
        pieces = _parts(question, span, text) if "parts" in span else ((start, end),)
        if len(pieces) > 1 and not question.gaps:
            raise fault(question, "a span with gaps", "one without; mark the words one by one")
        found.add((start, end, order[value], pieces))
    check_number(question, len(found))
    values = list(order)
    return [span_of(pieces, values[place]) for _, _, place, pieces in sorted(found)]


def _piece(question: Question, start: object, end: object, text: str) -> Piece:
    # True and 1.0 equal 1 in Python, but not for readers of an export.
    if type(start) is int and type(end) is int and 0 <= start < end <= len(text):
        return start, end
    wanted = f"whole numbers from 0 to {len(text)}, the start before the end; mark the words again"
    raise fault(question, f"a span from {shown(start)} to {shown(end)}", wanted)


def _parts(question: Question, span: Mapping[str, Any], text: str) -> tuple[Piece, ...]:
    """Return the parts of a span in order; parts that touch are joined."""
    given = span["parts"]
    if not isinstance(given, list | tuple) or not 0 < len(given) <= MOST_PARTS:
        raise fault(question, f"{shown(given)} as 'parts'", f"1 to {MOST_PARTS} parts; send a list")
    if not all(isinstance(part, list | tuple) and len(part) == 2 for part in given):
        wanted = "a start and an end for each; send pairs"
        raise fault(question, f"{shown(given)} as 'parts'", wanted)
    joined: list[Piece] = []
    for start, end in sorted(_piece(question, part[0], part[1], text) for part in given):
        if joined and start < joined[-1][1]:
            wanted = "parts that do not overlap; mark the words again"
            raise fault(question, f"parts that overlap at {start}", wanted)
        if joined and start == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    if (joined[0][0], joined[-1][1]) != (span["start"], span["end"]):
        found = f"with parts from {joined[0][0]} to {joined[-1][1]}"
        wanted = "the start of the first part and the end of the last; correct them"
        raise fault(question, f"a span from {span['start']} to {span['end']} {found}", wanted)
    return tuple(joined)


def listed(question: Question, given: object, most: int) -> list[Any]:
    """Return a given list; refuse other types and long lists."""
    if not isinstance(given, list | tuple):
        raise fault(question, shown(given), "a list of answers; send a list")
    if len(given) > most:
        raise fault(question, f"{len(given):,} answers", f"at most {most}; leave some out")
    return list(given)


def check_number(question: Question, number: int) -> None:
    """Refuse too few answers and too many."""
    if number < question.least:
        raise fault(question, counted(number, "answer"), f"at least {question.least}; add some")
    if question.most is not None and number > question.most:
        raise fault(question, counted(number, "answer"), f"at most {question.most}; leave some out")


def fault(question: Question, found: str, wanted: str) -> InputError:
    """Build the error about one question; ``wanted`` is "what is expected; what to do"."""
    return InputError(f"Question '{question.id}': found {found}; expected {wanted}.")
