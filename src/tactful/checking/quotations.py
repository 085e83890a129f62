"""Which parts of a text are somebody else's words: what stands between quotation marks."""

import re
from collections.abc import Sequence

Range = tuple[int, int]
LONGEST = 2_000
"""How many characters a quotation may have; marks that are further apart belong to two of them."""
_PAIRS = re.compile(
    rf"“[^“”]{{1,{LONGEST}}}(?:”|\Z)"  # speech of several paragraphs closes in the last one only
    rf'|(?<![\w"])"[^"]{{1,{LONGEST}}}"(?!\w)'
    rf"|«[^«»]{{1,{LONGEST}}}»"
    rf"|„[^„“”]{{1,{LONGEST}}}[“”]"
    rf"|(?<!\w)\u2018(?:[^\u2018\u2019]|(?<=\w)\u2019(?=\w)){{1,{LONGEST}}}\u2019(?!\w)"
    rf"|(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){{1,{LONGEST}}}'(?!\w)"
)
_CLOSING = "”\"»“\u2019'"
_INSIDE = "…"


def quotations(text: str) -> list[Range]:
    """Return the places of the quotations in a text, with their marks.

    >>> quotations('He said "stop" and left.')
    [(8, 14)]
    """
    return [found.span() for found in _PAIRS.finditer(text)]


def is_quoted(place: Range, quoted: Sequence[Range]) -> bool:
    """Say whether a place lies between the marks of a quotation."""
    return any(start < place[0] and place[1] < end for start, end in quoted)


def without_quotations(text: str, quoted: Sequence[Range]) -> str:
    """Return a text with an ellipsis for the words of each quotation.

    >>> without_quotations('He said "stop" and left.', [(8, 14)])
    'He said "…" and left.'
    """
    parts, at = [], 0
    for start, end in quoted:
        parts += [text[at : start + 1], _INSIDE]
        at = end - (text[end - 1] in _CLOSING)
    return "".join([*parts, text[at:]])
