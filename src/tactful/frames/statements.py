"""Implied statements in one form: the name of the group, then a predicate.

Sap et al. (2020, section 3.1) ask annotators for simple patterns in the manner of Hearst (1992),
such as "women are weak". Other corpora have freer statements; this module rewrites them in that
form.
"""

import re
from dataclasses import replace

from tactful.frames.groups import group_named, normalise_group, shown_group, spellings_of
from tactful.types import Frame, Implication
from tactful.words import cut_words

MOST_WORDS = 20
"""The words of "May imply, about GROUP: STATEMENT" at most."""
_OWN_WORDS = 3
_LONGEST = 200
_MOST_OWN_WORDS = 9
_ENDS = " .,;:!?\"'\u201c\u201d\u2018\u2019"
_BEFORE = r"(?:(?:all|most|many|some|the|these|those|only|our|other|more)\s+)?"
_PRONOUN = re.compile(r"(?:they|these people|those people|them|people of this group)\s+")
_VERBS = frozenset(
    """
    are aren't is were can cannot can't could do don't does have haven't has should shouldn't
    will won't would must need want deserve commit steal hate ruin destroy take control cause
    """.split()  # noqa: SIM905
)


def hearst_form(statement: str, group: str) -> str:
    """Return a statement in lower case, beginning with the name of its group where it can.

    Parameters
    ----------
    statement
        What an annotator wrote.
    group
        The group that the statement is about, in any spelling.

    Returns
    -------
    str
        The statement with the group's name in the list, or as it was where it does not begin with
        the group, with "they" or with a verb.

    Examples
    --------
    >>> hearst_form("Blacks are late.", "blacks")
    'black folks are late'
    >>> hearst_form("should be sent home", "Immigrants")
    'immigrants should be sent home'
    >>> hearst_form("Nobody likes old people", "old people")
    'nobody likes old people'

    """
    text = normalise_group(statement).strip(_ENDS)
    own = normalise_group(group).strip(_ENDS)
    name = group_named(own) or own
    for spelling in sorted({own, *spellings_of(name)}, key=lambda each: (-len(each), each)):
        found = re.match(rf"{_BEFORE}{re.escape(spelling)}(?=\s)\s+", text)
        if found and text[found.end() :]:
            return f"{name} {text[found.end() :]}"
    found = _PRONOUN.match(text)
    if found:
        return f"{name} {text[found.end() :]}"
    return f"{name} {text}" if text.split(" ", 1)[0] in _VERBS else text


def own_statement(text: str, group: str) -> str | None:
    """Return what a text itself says of a group, in the corpus' form; None if it is not plain.

    Parameters
    ----------
    text
        The text.
    group
        A group of the list.

    Returns
    -------
    str or None
        The group's name and the words after it, up to the end of the clause.

    Examples
    --------
    >>> own_statement("The old people should rest, he said.", "old folks")
    'old folks should rest'
    >>> own_statement("I met blind people on the train.", "blind people") is None
    True

    """
    plain = normalise_group(text.replace("\u2019", "'"))
    for spelling in sorted(spellings_of(group), key=lambda each: (-len(each), each)):
        for found in re.finditer(rf"\b{re.escape(spelling)} ([^.,;:!?\"()]+)", plain):
            words = found[1].split()
            if words[0] in _VERBS and 2 <= len(words) <= _MOST_OWN_WORDS:
                return f"{group} {' '.join(words)}"
    return None


def shown_frame(frame: Frame) -> Frame:
    """Return a frame as people see it: groups by the names that they use for themselves."""
    implications = tuple(map(shown_implication, frame.implications))
    return replace(
        frame,
        target_groups=tuple(dict.fromkeys(each.group for each in implications)),
        implied_statements=tuple(
            dict.fromkeys(each.statement for each in implications if each.statement)
        ),
        implications=implications,
    )


def shown_implication(implication: Implication) -> Implication:
    """Return an implication as people see it, in at most 20 words with "May imply, about".

    >>> shown_implication(Implication("black folks", "black folks are late")).statement
    'Black people are late'
    """
    group = shown_group(implication.group)
    if implication.statement is None:
        return replace(implication, group=group)
    said = implication.statement
    if normalise_group(said).startswith(f"{normalise_group(implication.group)} "):
        said = group + said[len(implication.group) :]
    most = max(MOST_WORDS - _OWN_WORDS - len(group.split()), 1)
    return replace(implication, group=group, statement=cut_words(said, most, _LONGEST))
