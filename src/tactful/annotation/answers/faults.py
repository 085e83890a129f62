"""What is wrong with an answer, said in one sentence; and what lists of answers have in common."""

from collections.abc import Iterable
from typing import Any

from tactful.annotation.protocol.records import Question
from tactful.errors import InputError

_SHOWN = 40


def listed(question: Question, given: object, most: int) -> list[Any]:
    """Return a list that was given, or refuse what is none or too long."""
    if not isinstance(given, list | tuple):
        raise fault(question, shown(given), "a list of answers", "send a list")
    if len(given) > most:
        raise fault(question, f"{len(given):,} answers", f"at most {most}", "leave some out")
    return list(given)


def check_number(question: Question, number: int) -> None:
    """Refuse too few answers and too many."""
    if number < question.least:
        raise fault(question, _answers(number), f"at least {question.least}", "add some")
    if question.most is not None and number > question.most:
        raise fault(question, _answers(number), f"at most {question.most}", "leave some out")


def quoted(names: Iterable[str]) -> str:
    """Return names in quotes, one after the other."""
    return ", ".join(f"'{name}'" for name in names)


def _answers(number: int) -> str:
    return "1 answer" if number == 1 else f"{number} answers"


def fault(question: Question, found: str, expected: str, action: str) -> InputError:
    """Build the error about one question."""
    return InputError(f"Question '{question.id}': found {found}; expected {expected}; {action}.")


def shown(value: object) -> str:
    """Show what was sent, short and with whatever is not printable escaped."""
    shown = repr(value[:_SHOWN] if isinstance(value, str) else value)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
