"""A frame as JSON and back: what is read is checked, and an error names the place in the data."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tactful.errors import InputError
from tactful.frames.schema import CATEGORICAL, validate_frame
from tactful.taxonomies.frame_constraints import frame_variable
from tactful.types import Frame, Implication

_FIELDS = ("probabilities", "answers", "target_groups", "implied_statements", "implications")
_OF_IMPLICATION = ("group", "statement", "probability", "likelihood", "evidence")


def frame_as_json(frame: Frame) -> dict[str, Any]:
    """Return the frame as plain data; :func:`frame_from_json` reads it back."""
    return {
        "probabilities": dict(frame.probabilities),
        "answers": dict(frame.answers),
        "target_groups": list(frame.target_groups),
        "implied_statements": list(frame.implied_statements),
        "implications": [
            {**asdict(each), "evidence": list(each.evidence)} for each in frame.implications
        ],
    }


def frame_from_json(data: object, *, constraints: bool = True) -> Frame:
    """Read what :func:`frame_as_json` wrote; fields may be left out.

    Raises an error with the place if the frame breaks the schema or a constraint. Without
    ``constraints`` only the schema is checked: an evaluation counts the frames that break one.
    """
    found = _mapping(data, "the frame", _FIELDS)
    probabilities = _mapping(found.get("probabilities", {}), "probabilities", CATEGORICAL)
    answers = _mapping(found.get("answers", {}), "answers", CATEGORICAL)
    frame = Frame(
        {name: _number(value, f"probabilities.{name}") for name, value in probabilities.items()},
        _texts(found.get("target_groups", []), "target_groups"),
        _texts(found.get("implied_statements", []), "implied_statements"),
        {name: _answer(name, value) for name, value in answers.items()},
        tuple(
            _implication(each, f"implications[{at}]")
            for at, each in enumerate(_list(found.get("implications", []), "implications"))
        ),
    )
    if constraints:
        validate_frame(frame)
    return frame


def _answer(variable: str, data: object) -> str:
    found = _text(data, f"answers.{variable}")
    entry = frame_variable(variable)
    if entry.answer(found) is None:
        known = ", ".join(answer.value for answer in entry.answers)
        raise InputError(f"Found an unknown answer for answers.{variable}; expected {known}.")
    return found


def _implication(data: object, place: str) -> Implication:
    found = _mapping(data, place, _OF_IMPLICATION)
    statement, chance, likelihood = (
        found.get(name) for name in ("statement", "probability", "likelihood")
    )
    return Implication(
        _text(found.get("group"), f"{place}.group"),
        None if statement is None else _text(statement, f"{place}.statement"),
        None if chance is None else _number(chance, f"{place}.probability"),
        None if likelihood is None else _number(likelihood, f"{place}.likelihood"),
        _texts(found.get("evidence", []), f"{place}.evidence"),
    )


def _mapping(data: object, place: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise InputError(f"Found {_kind(data)} for {place}; expected an object.")
    for name in data:
        if name not in known:
            raise InputError(f"Found '{name}' in {place}; expected nothing but {', '.join(known)}.")
    return data


def _list(data: object, place: str) -> list[Any]:
    if not isinstance(data, list | tuple):
        raise InputError(f"Found {_kind(data)} for {place}; expected a list.")
    return list(data)


def _texts(data: object, place: str) -> tuple[str, ...]:
    return tuple(_text(each, f"{place}[{at}]") for at, each in enumerate(_list(data, place)))


def _text(data: object, place: str) -> str:
    if not isinstance(data, str) or not data.strip():
        raise InputError(f"Found {_kind(data)} for {place}; expected a text that is not blank.")
    return data


def _number(data: object, place: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not 0 <= data <= 1:
        raise InputError(f"Found {data!r} for {place}; expected a number from 0 to 1.")
    return float(data)


def _kind(data: object) -> str:
    if data is None:
        return "nothing"
    if isinstance(data, str):
        return "a blank text" if not data.strip() else "a text"
    return f"a {type(data).__name__}"
