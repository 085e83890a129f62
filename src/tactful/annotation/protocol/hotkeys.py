"""The keys that choose options: letters for the whole step, digits for the current question.

Letters are assigned where a protocol names none, in the order of the page, and are unique in a
step. Digits work in the current question only, so that every question can have 1, 2, 3. A scale of
single digits uses its own numbers, so that 1 chooses "1".
"""

import string
from collections.abc import Sequence
from dataclasses import replace

from tactful.annotation.protocol.records import Question

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
    "+": "add to a mark",
    ".": "take over a suggestion",
    "-": "refuse a suggestion",
}
"""Key, as browsers name it -> what it does in the app, with any protocol."""

MOST_KEYED = 20
"""A question with more options gets no keys; people type to search its list."""

_DIGITS = "123456789"
_LETTERS = "".join(letter for letter in string.ascii_lowercase if letter not in APP_KEYS)


def is_key(key: str) -> bool:
    """Say whether a key can choose an option: a digit or a small letter from a to z.

    Other letters are not on every keyboard.
    """
    return len(key) == 1 and key in string.ascii_lowercase + string.digits


def digits(question: Question) -> tuple[str, ...]:
    """Return the digit of each option in the current question; empty for none.

    They are the digits of the file if it names one for every option, the values of a scale of
    single digits, or else 1 to 9 in order; a tenth option has a letter.
    """
    options = question.options
    if len(options) > MOST_KEYED:
        return ("",) * len(options)
    for found in ([each.key for each in options], [each.value for each in options]):
        if all(_is_digit(each) for each in found) and len({*found}) == len(found):
            return tuple(found)
    return tuple(_DIGITS[at] if at < len(_DIGITS) else "" for at in range(len(options)))


def give_keys(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return the questions of a step with a key for each option that can have one.

    Letters of the file stay, and so do digits if every option of the question has one. The other
    options get letters, or digits if there is only one question. An option has no key if its
    question is asked several times or has too many options, or if no letter is left; digits, arrows
    and the mouse still choose it.
    """
    known = [_without_odd_digits(each) for each in questions]
    taken = {option.key for each in known for option in each.options if option.key}
    letters = (letter for letter in _LETTERS if letter not in taken)
    keyed = []
    for question in known:
        if question.per is None and len(question.options) <= MOST_KEYED:
            own = digits(question) if len(known) == 1 else ("",) * len(question.options)
            options = tuple(
                option if option.key else replace(option, key=digit or next(letters, ""))
                for option, digit in zip(question.options, own, strict=True)
            )
            keyed.append(replace(question, options=options))
        else:
            keyed.append(question)
    return tuple(keyed)


def _without_odd_digits(question: Question) -> Question:
    """Return a question without the digits of the file, unless every option has one."""
    if all(_is_digit(option.key) for option in question.options):
        return question
    options = tuple(
        replace(option, key="") if _is_digit(option.key) else option for option in question.options
    )
    return replace(question, options=options)


def _is_digit(text: str) -> bool:
    return len(text) == 1 and text in string.digits
