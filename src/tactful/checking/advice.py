"""What to write instead: one concrete piece of advice for a finding, by its kinds and its words.

A move is neither a definition nor a rewrite: it says what to do with this sentence, such as "Name
the source of the claim". The moves are data, in ``taxonomies/cues``.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tactful.checking.wording import Wording, in_or_english, wording
from tactful.words import cut_words, plain

if TYPE_CHECKING:
    from tactful.checking.cues import FoundCue

MOST_WORDS = 18
"""The maximum number of words; the schema of the cues allows for the quotations."""
QUOTE_WORDS = 5
QUOTE_LENGTH = 48
WHO_WORDS = 3
MOST_SUGGESTIONS = 3
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def advise(kinds: Sequence[str], text: str, words: Sequence[str], lang: str = "en") -> str:
    """Return one concrete piece of advice for a finding, in at most 18 words.

    Parameters
    ----------
    kinds
        The ids of the finding, the strongest first, such as ``pcl.compassion``.
    text
        The sentence.
    words
        The marked words of the sentence.
    lang
        The language of the move, ``en`` or ``es``; the sentence can be in either.

    Returns
    -------
    str
        A sentence such as "Name the source of the claim, and leave out “of course”."

    Examples
    --------
    >>> advise(["pcl.metaphor"], "The shelter is a ray of hope.", ["ray of hope"])
    'Name the change itself, with a date or a figure, instead of “ray of hope”.'

    """
    return suggestions_for(kinds, text, words, lang, most=1)[0]


def suggestions_for(
    kinds: Sequence[str],
    text: str,
    words: Sequence[str],
    lang: str = "en",
    *,
    most: int = MOST_SUGGESTIONS,
) -> tuple[str, ...]:
    """Return the best advice for a finding, the best one first.

    Parameters
    ----------
    kinds, text, words, lang
        As for :func:`advise`.
    most
        How many moves to return at most.

    Returns
    -------
    tuple of str
        At least one move.

    """
    from tactful.checking.cues import find_cues  # when something was found, which is rare

    said, marked = wording(lang), _worth_quoting(words, text)
    moves: dict[str, None] = {}
    for found in find_cues(kinds, text, words):
        moves[_move(found, marked, said)] = None
        if len(moves) >= most:
            break
    return tuple(moves)


def _move(found: "FoundCue", marked: str, said: Wording) -> str:
    quote = found.quote or marked
    template = _OPTIONAL.sub(r"\1" if quote else "", in_or_english(found.cue.move, said.lang))
    return template.format(
        quote=said.quote(cut_words(quote, QUOTE_WORDS, QUOTE_LENGTH)),
        who=cut_words(found.who, WHO_WORDS, QUOTE_LENGTH),
    )


def _worth_quoting(words: Sequence[str], text: str) -> str:
    """Return the marked words that say most; neither the whole sentence nor one word of several.

    Who is spoken of is never left out: advice such as "instead of “women”" would be about people.
    """
    from tactful.checking.people import is_mention
    from tactful.detectors.explain.words import is_light

    most = max(len(plain(text)) // 2, 1)
    short = [
        piece
        for piece in map(plain, words)
        if not (is_light(piece) or is_mention(piece))
        and len(piece) <= most
        and len(piece.split()) <= QUOTE_WORDS
    ]
    best = max(short, key=lambda piece: len(piece.split()), default="")
    return best if " " in best or len(words) == 1 else ""
