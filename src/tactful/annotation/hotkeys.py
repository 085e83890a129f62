"""The keys that choose options: given where a protocol names none, without clashes in a step.

The first question with options has the digits 1 to 9, the others have letters, in the order of the
page. A scale of single digits has its own numbers as keys: to press 2 for "1" would be a trap.
"""

import string
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tactful.annotation.protocol import Option, Question

APP_KEYS: dict[str, str] = {
    "Enter": "send",
    "Escape": "close",
    "Backspace": "undo",
    "u": "undo",
    "s": "skip",
    "g": "guideline",
    "?": "keys",
    "b": "blur or reveal",
    "ArrowLeft": "move",
    "ArrowRight": "move",
    "ArrowUp": "move",
    "ArrowDown": "move",
    "Shift": "widen",
    "Home": "to the start",
    "End": "to the end",
    "Tab": "to the next field",
    " ": "choose",
}
"""Key, as browsers name it -> what it does in the app, whatever the protocol is."""

MOST_KEYED = 20
"""A question with more options gets no keys: its list is searched by typing."""

_DIGITS = "123456789"
_LETTERS = "".join(letter for letter in string.ascii_lowercase if letter not in APP_KEYS)


def is_key(key: str) -> bool:
    """Say whether a key can choose an option: a digit or a small letter from a to z.

    Other letters are not on all keyboards.
    """
    return len(key) == 1 and key in string.ascii_lowercase + string.digits


def give_keys(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return the questions of a step with a key for each option that can have one.

    Keys that are there stay. An option has none where its question is asked several times, has
    too many options, or no letter is left; arrows and the mouse still choose it.
    """
    taken = {option.key for each in questions for option in each.options if option.key}
    first = True
    keyed = []
    for question in questions:
        if not question.options or question.per is not None:
            keyed.append(question)
            continue
        options = _with_keys(question, taken, with_digits=first)
        taken |= {option.key for option in options if option.key}
        keyed.append(replace(question, options=options))
        first = False
    return tuple(keyed)


def _with_keys(question: Question, taken: set[str], *, with_digits: bool) -> tuple[Option, ...]:
    without = [option for option in question.options if not option.key]
    if not without or len(question.options) > MOST_KEYED:
        return question.options
    values = [option.value for option in without]
    digits = all(len(value) == 1 and value in string.digits for value in values)
    if with_digits and digits and not taken & {*values}:
        return tuple(replace(each, key=each.key or each.value) for each in question.options)
    free = _free(taken, with_digits=with_digits)
    return tuple(
        option if option.key else replace(option, key=next(free, "")) for option in question.options
    )


def _free(taken: set[str], *, with_digits: bool) -> Iterator[str]:
    keys = (_DIGITS if with_digits else "") + _LETTERS
    return (key for key in keys if key not in taken)
