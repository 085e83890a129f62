"""Read the questions of a step from a protocol file, and check that they fit together."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import get_args

from tactful.annotation.protocol.hotkeys import APP_KEYS, give_keys, is_key
from tactful.annotation.protocol.records import Condition, Option, Question, QuestionKind
from tactful.annotation.protocol.schema import Part, shown
from tactful.annotation.protocol.wording import Words, list_names, named_list, words

KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
_WITH_OPTIONS = ("choice", "choices", "scale", "spans")
_LISTS = ("choices", "spans", "texts")
_ONLY_FOR = {"open": ("choice", "choices"), "gaps": ("spans",), "least": _LISTS, "most": _LISTS}
_LARGEST_SCORE = 1e9
_NUMBER = re.compile(r"-?\d{1,6}(\.\d{1,6})?")


def read_questions(part: Part, key: str, lang: str, required: bool = True) -> tuple[Question, ...]:
    """Read a list of questions; ``required`` is the default of their field."""
    found: dict[str, Question] = {}
    for each in part.parts(key, "question" if key == "questions" else "trait", required=required):
        each.add_once(found, _question(each, lang, found, required))
    questions = list(found.values())
    _check_keys(part, key, questions)
    # Traits have a page of their own and need no keys.
    return give_keys(questions) if key == "questions" else tuple(questions)


def _question(part: Part, lang: str, before: Mapping[str, Question], required: bool) -> Question:
    part.allow(Question)
    name = part.id()
    kind = part.one_of("kind", KINDS)
    said = words(name, lang)
    text = part.text("text", said.question or "")
    if not text and part.data.get("text") is None:
        part.problem(
            "text",
            "no 'text'",
            f"a question; no taxonomy has one for '{name}' in '{lang}'",
            "write it",
        )
    options = _options(part, kind, lang, said)
    least = part.whole("least", 0, 0, 100) or 0
    most = part.whole("most", None, 1, 500)
    question = Question(
        id=name,
        kind=kind,
        text=text,
        help=part.text("help", said.definition),
        options=options,
        required=part.flag("required", required),
        when=_conditions(part, before),
        least=least,
        most=most,
        per=_per(part, kind, before),
        open=part.flag("open", False),
        example=part.text("example", said.example),
        gaps=part.flag("gaps", True),
    )
    _check_options(part, question)
    _check_numbers(part, question)
    return question


def _options(part: Part, kind: str, lang: str, said: Words) -> tuple[Option, ...]:
    given = part.data.get("options")
    if isinstance(given, str):
        options = named_list(given, lang)
        if options is None:
            names = ", ".join(f"'{name}'" for name in list_names(lang))
            part.problem(
                "options",
                f"the list {shown(given)}",
                f"options, or the name of a list: {names}",
                "correct it",
            )
        return options or ()
    by_place: dict[int, Option] = {}
    scores = dict(said.scores)

    def plain(index: int, value: str) -> None:
        about = words(value, lang)
        score = scores.get(value, _number(value) if kind == "scale" else None)
        by_place[index] = Option(value, about.name or value, about.definition, score=score)

    for each in part.parts("options", "option", plain=plain):
        each.allow(Option)
        value = each.text("value", None)
        about = words(value, lang)
        score = scores.get(value, _number(value) if kind == "scale" else None)
        by_place[int(each.place[-1])] = Option(
            value,
            each.text("name", about.name or value),
            each.text("help", about.definition),
            each.text("key"),
            each.number("score", score, -_LARGEST_SCORE, _LARGEST_SCORE),
        )
    return tuple(by_place[index] for index in sorted(by_place))


def _number(value: str) -> float | None:
    number = float(value) if _NUMBER.fullmatch(value) else math.nan
    return number if math.isfinite(number) else None


def _conditions(part: Part, before: Mapping[str, Question]) -> tuple[Condition, ...]:
    found = []
    for each in part.parts("when", "condition"):
        each.allow(Condition)
        name = each.text("question", None)
        values = each.texts("values")
        if not values and each.data.get("values") in (None, []):
            each.problem("values", "no 'values'", "the answers after which it is asked", "add them")
        asked = before.get(name)
        if asked is None:
            if name:
                each.problem(
                    "question",
                    f"a condition on '{name}'",
                    f"a question before this one in the step: {_names(before)}",
                    "correct the name, or move the question up",
                )
            continue
        known = [option.value for option in asked.options]
        if asked.per is not None or not known:
            each.problem(
                "question",
                f"a condition on '{name}'",
                "a question with options that is asked once",
                "choose another",
            )
            continue
        for value in values:
            if value not in known:
                each.problem(
                    "values",
                    f"the value {shown(value)} for '{name}'",
                    f"one of its options: {_names(known)}",
                    "correct it",
                )
        found.append(Condition(name, values))
    return tuple(found)


def _per(part: Part, kind: str, before: Mapping[str, Question]) -> str | None:
    name = part.text("per")
    if not name:
        return None
    base = before.get(name)
    if base is None or base.per is not None or base.kind not in ("choices", "texts"):
        fit = [
            each.id
            for each in before.values()
            if each.per is None and each.kind in ("choices", "texts")
        ]
        part.problem(
            "per",
            f"'{name}' as 'per'",
            f"a question before this one of kind 'choices' or 'texts': {_names(fit)}",
            "correct the name, or move the question up",
        )
        return None
    if kind == "spans":
        part.problem("per", "spans for each answer", "spans that are marked once", "remove 'per'")
        return None
    return name


def _check_options(part: Part, question: Question) -> None:
    values = [option.value for option in question.options]
    if question.kind not in _WITH_OPTIONS:
        if part.data.get("options") is not None:
            part.problem(
                "options",
                f"options for a '{question.kind}'",
                "none for free text",
                "remove them or change the kind",
            )
    elif not values and not part.data.get("options"):
        part.problem(
            "options",
            "no options",
            f"a '{question.kind}' with options",
            "add them or change the kind",
        )
    elif len(values) == 1 and question.kind in ("choice", "scale") and not question.open:
        part.problem("options", "one option", "two or more to choose from", "add another")
    for index, option in enumerate(question.options):
        if option.value in values[:index]:
            part.notes.add(
                (*part.place, "options", index),
                f"the option '{option.value}' a second time in {part.title}",
                "every value once",
                "remove one of them",
            )
        if question.kind == "scale" and option.value and _number(option.value) is None:
            part.notes.add(
                (*part.place, "options", index),
                f"the option {shown(option.value)} of a scale in {part.title}",
                "a number, in quotes",
                "correct it",
            )


def _check_numbers(part: Part, question: Question) -> None:
    for key, kinds in _ONLY_FOR.items():
        given = part.data.get(key)
        is_given = given is not None and (key, given) != ("open", False)
        if is_given and question.kind not in kinds:
            listed = " or ".join(f"'{kind}'" for kind in kinds)
            found = f"'{key}' for a '{question.kind}'"
            part.problem(key, found, f"'{key}' for {listed} only", "remove it")
    if question.most is not None and question.least > question.most:
        part.problem(
            "least",
            f"{question.least} as 'least'",
            f"at most {question.most}, as 'most' says",
            "correct one of them",
        )
    number = len(question.options)
    if question.kind == "choices" and not question.open and number and question.least > number:
        part.problem(
            "least",
            f"{question.least} as 'least'",
            f"at most {number}, as there are options",
            "correct it",
        )


def _check_keys(part: Part, key: str, questions: Sequence[Question]) -> None:
    owners: dict[str, str] = {}
    places = {question.id: _place_of(part, key, question.id) for question in questions}
    for question in questions:
        for index, option in enumerate(question.options):
            if not option.key:
                continue
            place = (*part.place, key, places[question.id], "options", index, "key")
            found = f"the key {shown(option.key)} of '{option.value}' in question '{question.id}'"
            if option.key in APP_KEYS:
                part.notes.add(
                    place,
                    found,
                    f"a key that the app does not use; it uses this one "
                    f"for '{APP_KEYS[option.key]}'",
                    "choose another",
                )
            elif not is_key(option.key):
                part.notes.add(
                    place, found, "a digit or a small letter from a to z", "choose another"
                )
            elif option.key in owners:
                part.notes.add(
                    place,
                    found,
                    f"a key for one option of a step; {owners[option.key]} has it",
                    "choose another",
                )
            owners.setdefault(option.key, f"'{option.value}' in question '{question.id}'")


def _place_of(part: Part, key: str, name: str) -> int:
    items = part.data[key]
    return next(
        place
        for place, item in enumerate(items)
        if isinstance(item, dict) and str(item.get("id") or "").strip() == name
    )


def _names(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "there is none"
