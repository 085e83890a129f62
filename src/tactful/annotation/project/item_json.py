"""New items as JSON, as the REST API takes them and its clients send them."""

import math
from collections.abc import Mapping
from typing import Any

from tactful.annotation.project.exchange import NewAnswer, NewItem, NewSuggestion
from tactful.errors import InputError

_ITEM = (
    "id", "text", "context", "meta", "gold", "priority", "judgements", "suggestions", "made_id",
    "place",
)  # fmt: skip
_SUGGESTION = ("step", "answers", "source")
_ANSWER = ("annotator", "step", "answers", "at", "seconds", "adjudicated")

_KINDS = {
    "str": "a text", "int": "a number", "float": "a number", "bool": "true or false",
    "list": "a list", "dict": "an object",
}  # fmt: skip


def item_data(item: NewItem) -> dict[str, Any]:
    """Return an item as JSON; what is empty is left out."""
    data: dict[str, Any] = {"id": item.id, "text": item.text}
    for name in ("context", "meta"):
        if getattr(item, name):
            data[name] = dict(getattr(item, name))
    if item.gold is not None:
        data["gold"] = dict(item.gold)
    for name in ("priority", "made_id", "place"):
        if getattr(item, name):
            data[name] = getattr(item, name)
    if item.answers:
        data["judgements"] = [answer_data(answer) for answer in item.answers]
    if item.suggestions:
        data["suggestions"] = [suggestion_data(each) for each in item.suggestions]
    return data


def answer_data(answer: NewAnswer) -> dict[str, Any]:
    """Return a judgement as JSON."""
    data: dict[str, Any] = {
        "annotator": answer.annotator,
        "step": answer.step,
        "answers": dict(answer.answers),
    }
    for name in ("at", "seconds"):
        if getattr(answer, name) is not None:
            data[name] = getattr(answer, name)
    return data | ({"adjudicated": True} if answer.adjudicated else {})


def suggestion_data(suggestion: NewSuggestion) -> dict[str, Any]:
    """Return a suggestion as JSON."""
    return {
        "step": suggestion.step,
        "answers": dict(suggestion.answers),
        "source": suggestion.source,
    }


def read_item(data: object, place: str) -> NewItem:
    """Read an item from JSON; a mistake is an :class:`~tactful.errors.InputError` that names it."""
    found = _mapping(data, _ITEM, place)
    place = _text(found, "place", place) or place
    gold = found.get("gold")
    answers = found.get("judgements", [])
    suggestions = found.get("suggestions", [])
    if not isinstance(answers, list):
        raise _wrong(place, "judgements", answers, "a list")
    if not isinstance(suggestions, list):
        raise _wrong(place, "suggestions", suggestions, "a list")
    if gold is not None and not isinstance(gold, dict):
        raise _wrong(place, "gold", gold, "an object of questions and right answers")
    return NewItem(
        id=_text(found, "id", place),
        text=_text(found, "text", place),
        context=_texts(found, "context", place),
        meta=_texts(found, "meta", place),
        gold=gold,
        priority=_number(found, "priority", place) or 0.0,
        answers=tuple(
            read_answer(each, f"{place}, judgement {number}")
            for number, each in enumerate(answers, 1)
        ),
        suggestions=tuple(
            read_suggestion(each, f"{place}, suggestion {number}")
            for number, each in enumerate(suggestions, 1)
        ),
        place=place,
        made_id=found.get("made_id") is True,
    )


def read_answer(data: object, place: str) -> NewAnswer:
    """Read a judgement from JSON."""
    found = _mapping(data, _ANSWER, place)
    return NewAnswer(
        annotator=_text(found, "annotator", place),
        step=_text(found, "step", place),
        answers=_answers(found, place),
        at=_number(found, "at", place),
        seconds=_number(found, "seconds", place),
        adjudicated=found.get("adjudicated") is True,
    )


def read_suggestion(data: object, place: str) -> NewSuggestion:
    """Read a suggestion from JSON."""
    found = _mapping(data, _SUGGESTION, place)
    step, source = _text(found, "step", place), _text(found, "source", place)
    return NewSuggestion(step, _answers(found, place), source)


def _answers(found: Mapping[str, Any], place: str) -> dict[str, Any]:
    answers = found.get("answers")
    if not isinstance(answers, dict):
        raise _wrong(place, "answers", answers, "an object of questions and answers")
    return answers


def _mapping(data: object, known: tuple[str, ...], place: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InputError(f"{place}: found {_kind(data)}; expected a JSON object.")
    for name in data:
        if name not in known:
            raise InputError(
                f"{place}: found the field '{name[:40]}'; expected only {', '.join(known)}."
            )
    return data


def _text(found: Mapping[str, Any], name: str, place: str) -> str:
    value = found.get(name, "")
    if not isinstance(value, str):
        raise _wrong(place, name, value, "a text")
    return value


def _texts(found: Mapping[str, Any], name: str, place: str) -> dict[str, str]:
    value = found.get(name) or {}
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise _wrong(place, name, value, "an object of names and texts")
    return value


def _number(found: Mapping[str, Any], name: str, place: str) -> float | None:
    value = found.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(place, name, value, "a number")
    return float(value)


def _wrong(place: str, name: str, value: object, expected: str) -> InputError:
    return InputError(f"{place}: found {_kind(value)} as '{name}'; expected {expected}.")


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return _KINDS.get(type(value).__name__, type(value).__name__)
