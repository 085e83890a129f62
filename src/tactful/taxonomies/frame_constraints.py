"""The constraints between the variables of a Social Bias Frame (Sap et al. 2020, sections 2-4)."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.taxonomies.load import load_taxonomy
from tactful.taxonomies.schema import Requirement, VariableEntry

FrameValue = str | float | bool | Sequence[str] | None
"""An answer ("yes", True, 0.66), the texts of a text variable, or None for no answer."""

Values = Mapping[str, FrameValue]


@cache
def frame_variables() -> Mapping[str, VariableEntry]:
    """Return the variables of the frame by their full ids."""
    entries = load_taxonomy("frame").entries
    return MappingProxyType(
        {entry.id: entry for entry in entries if isinstance(entry, VariableEntry)}
    )


def frame_variable(name: str) -> VariableEntry:
    """Return one variable; ``group`` and ``frame.group`` are the same."""
    variables = frame_variables()
    full = name if name in variables else f"frame.{name}"
    if full not in variables:
        raise unknown_name("frame variable", name, list(variables))
    return variables[full]


def binarise(variable: str, answer: str | float) -> int:
    """Return an answer as 0 or 1 (Sap et al. 2020, footnote 8).

    Parameters
    ----------
    variable
        The variable; ``group`` and ``frame.group`` are the same.
    answer
        The answer, as a word or as the number that the corpus uses.

    Returns
    -------
    int
        1 for yes, probably and maybe, otherwise 0.

    Raises
    ------
    UsageError
        If the variable does not have this answer.

    """
    entry = frame_variable(variable)
    known = _answer_value(entry, answer)
    if known is None:
        raise UsageError(_not_an_answer(entry, answer))
    return next(option.binary for option in entry.answers if option.value == known)


def check_frame_values(values: Values) -> list[str]:
    """Check the constraints between the variables of a frame.

    Only positive answers and texts have requirements: a negative answer claims nothing.

    Parameters
    ----------
    values
        The answer or the texts of each variable, by its id.

    Returns
    -------
    list of str
        One sentence for each broken constraint; empty if the frame is valid.

    """
    given = {frame_variable(name).id: value for name, value in values.items()}
    variables = frame_variables()
    sentences: list[str] = []
    for name, value in given.items():
        entry = variables[name]
        flaw = _wrong_value(entry, value)
        if flaw is not None:
            sentences.append(flaw)
        elif _is_positive(entry, value):
            for rule in entry.requires:
                if not _holds(rule, variables[rule.variable], given.get(rule.variable)):
                    other = given.get(rule.variable)
                    sentences.append(_broken(name, value, rule, other))
    return sentences


def _answer_value(entry: VariableEntry, value: FrameValue) -> str | None:
    if isinstance(value, str | int | float):
        # True and 1 mean "yes", as in a binarised frame; 1.0 is "yes" in the corpus, too.
        answer = entry.answer(value if isinstance(value, str) else float(value))
        return None if answer is None else answer.value
    return None


def _wrong_value(entry: VariableEntry, value: FrameValue) -> str | None:
    if value is None:
        return None
    if entry.type == "text":
        if isinstance(value, str) or not isinstance(value, Sequence):
            return f"{entry.id} is {value!r}, but it takes a list of texts."
        if any(not isinstance(text, str) or not text.strip() for text in value):
            return f"{entry.id} holds a blank text or something that is not text."
        return None
    return None if _answer_value(entry, value) is not None else _not_an_answer(entry, value)


def _not_an_answer(entry: VariableEntry, value: object) -> str:
    if entry.type == "text":
        return f"{entry.id} takes texts, so {value!r} cannot be one of its answers."
    known = ", ".join(f"{answer.value} ({answer.number:g})" for answer in entry.answers)
    return f"{entry.id} is {value!r}, which is none of its answers: {known}."


def _is_positive(entry: VariableEntry, value: FrameValue) -> bool:
    if entry.type == "text":
        return bool(value)
    known = _answer_value(entry, value)
    return any(option.value == known and option.binary for option in entry.answers)


def _holds(rule: Requirement, required: VariableEntry, value: FrameValue) -> bool:
    if rule.values is None:
        return value is not None and value not in ("", [], ())
    return _answer_value(required, value) in rule.values


def _broken(name: str, value: FrameValue, rule: Requirement, other: FrameValue) -> str:
    state = "has no answer" if other is None or other in ([], ()) else f"is {_plain(other)}"
    needs = "an answer" if rule.values is None else " or ".join(rule.values)
    has = "has a text" if not isinstance(value, str | int | float) else f"is {_plain(value)}"
    return f"{name} {has}, but {rule.variable} {state}; it needs {needs}."


def _plain(value: FrameValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
