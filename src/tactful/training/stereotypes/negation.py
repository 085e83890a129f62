"""Spanish negation by rule: the cue, and the words that it reaches.

UMUTeam added negation features (DETESTS 2022, section 5.2: they helped in subtask 2 only). A cue
reaches the words after it up to a mark, a contrast ("pero", "sino") or a number of words; "no
obstante" and the like are no cues, and neither is "¿no?" at the end of a question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

WORD = re.compile(r"\w+(?:-\w+)*", re.UNICODE)
CUES = frozenset(
    {
        "no", "nunca", "jamás", "jamas", "nadie", "nada", "ningún", "ningun", "ninguno", "ninguna",
        "ningunos", "ningunas", "ni", "sin", "tampoco",
    }
)  # fmt: skip
NOT_CUES = (
    ("no", "obstante"), ("sin", "embargo"), ("sin", "duda"), ("sin", "dudas"), ("nada", "más"),
    ("nada", "mas"), ("no", "solo"), ("no", "sólo"), ("no", "solamente"), ("ni", "que"),
)  # fmt: skip
"""Two words that look like a negation and are none of what follows."""
BORDERS = frozenset({"pero", "sino", "aunque", "mas", "porque", "pues", "excepto", "salvo", "que"})
MOST_WORDS = 8
_MARKS = re.compile(r"[.,;:!?¡¿()\[\]\"«»…\n—]")


@dataclass(frozen=True, slots=True)
class Negation:
    """One cue and its scope, as half-open places in the text; the scope may be empty."""

    cue: str
    start: int
    end: int
    scope: tuple[int, int]

    def reaches(self, start: int, end: int) -> bool:
        """Say whether a place lies in the scope."""
        return self.scope[0] <= start and end <= self.scope[1]


def negations(text: str) -> list[Negation]:
    """Return every negation of a text, in order.

    >>> text = "No todos vienen a eso, pero algunos dicen que sí."
    >>> [(found.cue, text[slice(*found.scope)]) for found in negations(text)]
    [('no', 'todos vienen a eso')]
    """
    places = [(match.group().lower(), *match.span()) for match in WORD.finditer(text)]
    found = []
    for at, (word, start, end) in enumerate(places):
        if word not in CUES or _is_none(places, at, text):
            continue
        reached = end
        for size, (other, first, last) in enumerate(places[at + 1 :]):
            # "que" opens a clause that the cue may well reach when it stands right behind it.
            border = other in BORDERS and not (other == "que" and size == 0)
            if size == MOST_WORDS or border or _MARKS.search(text[reached:first]):
                break
            reached = last
        begin = places[at + 1][1] if reached > end else end
        found.append(Negation(word, start, end, (begin, max(begin, reached))))
    return found


def _is_none(places: Sequence[tuple[str, int, int]], at: int, text: str) -> bool:
    word, start, end = places[at]
    following = places[at + 1][0] if at + 1 < len(places) else ""
    if (word, following) in NOT_CUES:
        return True
    # A tag: "¿no?" or ", no?"
    before, after = text[:start].rstrip(), text[end:].lstrip()
    return word == "no" and after.startswith("?") and before.endswith(("¿", ","))
