"""Words in disguise: spelt with digits, letter by letter, with repeated letters, or as emoji.

Each kind is undone only where the result is plain: letters apart become a word (``i d i o t``),
digits and signs become letters if that makes an English word (``1d10t``), a letter that is repeated
three times or more becomes one or two, whichever makes a word (``stuuupid``), and a few emoji that
stand for insults and weapons become their names. Every step looks at each character a fixed number
of times, so the time grows with the length of the text only.
"""

import gzip
import re
from functools import cache
from pathlib import Path

from tactful.documents.segments import Offsets, Writer

WORDS_FILE = Path(__file__).with_name("words.txt.gz")
"""English words, one a line, the most frequent first: those of BERT's vocabulary (Apache-2.0), then
frequent ones of Civil Comments (CC0)."""
LEAST_LETTERS = 4
"""Shorter words are left alone: ``B2B``, ``3D`` and ``U S A`` are no disguises."""
MOST_LETTERS = 40
"""Longer runs of letters and digits are no words."""

_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_ONE_AS_L = str.maketrans("013457@$!|", "oleastasil")
_EMOJI = {
    "\U0001f921": "clown", "\U0001f4a9": "shit", "\U0001f437": "pig", "\U0001f416": "pig",
    "\U0001f412": "monkey", "\U0001f435": "monkey", "\U0001f98d": "ape", "\U0001f9a7": "ape",
    "\U0001f400": "rat", "\U0001f40d": "snake", "\U0001f413": "cock", "\U0001f415": "dog",
    "\U0001f42e": "cow", "\U0001f404": "cow", "\U0001f434": "horse", "\U0001fab3": "cockroach",
    "\U0001f5d1": "trash", "\U0001f52b": "gun", "\U0001f52a": "knife", "\U0001f5e1": "knife",
    "\U0001f4a3": "bomb", "\U0001f480": "dead", "\U00002620": "dead", "\U0001f595": "fuck you",
    "\U0001f351": "ass", "\U0001f346": "dick",
}  # fmt: skip
_APART = r"(?<![^\W_])[A-Za-z](?:(?P<{0}>[ .\-_*·])[A-Za-z])(?:(?P={0})[A-Za-z]){{2,38}}(?![^\W_])"
_DISGUISED = re.compile(
    # All but emoji begin where a word does, so most places are passed over at once.
    f"(?<![^\\W_])(?:(?P<apart>{_APART.format('gap')})"
    r"|(?P<leet>(?<![\w@$!|])(?=[A-Za-z@$!|]*[013457@$!|])(?=[^A-Za-z]*[A-Za-z])"
    rf"[A-Za-z013457@$!|]{{{LEAST_LETTERS},{MOST_LETTERS}}}(?![\w@$|]))"
    r"|(?P<repeated>(?<![^\W_])(?=[A-Za-z]*?([A-Za-z])\5\5)[A-Za-z]{4,}(?![^\W_])))"
    f"|(?P<emoji>[{''.join(_EMOJI)}]\ufe0f?)",
)
_RUN = re.compile(r"([A-Za-z])\1{2,}")
_ROMAN = re.compile("[IVXLCDM]+")
_UNKNOWN = float("inf")


def undisguise(text: str) -> tuple[str, Offsets] | None:
    """Return the text without such disguises and the way back; None where there is none.

    >>> undisguise("What an 1d10t, s t u p i d and duuuumb.")[0]
    'What an idiot, stupid and dumb.'
    """
    writer, at, changed = Writer(text), 0, False
    for found in _DISGUISED.finditer(text):
        plain = _plain(found)
        if plain is None:
            continue
        start, end = found.span()
        writer.add(text[at:start], at, start)
        writer.add(plain, start, end)
        at, changed = end, True
    if not changed:
        return None
    writer.add(text[at:], at, len(text))
    return writer.finish()


def _plain(found: re.Match[str]) -> str | None:
    piece = found[0]
    match found.lastgroup:
        case "apart":
            word = piece[::2]
            return _shortened(word) if _RUN.search(word) else word
        case "leet":
            return _spelt(piece)
        case "emoji":
            return f" {_EMOJI[piece[0]]} "
        case _:
            return _shortened(piece)


def _spelt(piece: str) -> str | None:
    """Read digits and signs as letters, if that makes a word."""
    ending = piece[len(piece.rstrip("!|")) :]  # "great!" ends in a mark, not in a letter
    core = piece[: len(piece) - len(ending)]
    letters = sum(each.isalpha() for each in core)
    if letters in (0, 1, len(core)) or len(core) < LEAST_LETTERS or core[:2].isdigit():
        return None  # a word, a number, or a number with a unit
    found = _most_frequent(core.translate(_DIGITS), core.translate(_ONE_AS_L))
    return None if found is None else found + ending


def _shortened(piece: str) -> str | None:
    """Shorten repeated letters to one or to two, whichever makes the more frequent word."""
    if _ROMAN.fullmatch(piece):
        return None
    once = _RUN.sub(r"\1", piece)
    return _most_frequent(once, _RUN.sub(r"\1\1", piece)) or once


def _most_frequent(*spellings: str) -> str | None:
    """Return the spelling that is the most frequent word; a plural or past form counts, too."""
    ranks = {each: min(map(_rank, _stems(each.lower()))) for each in spellings}
    best = min(spellings, key=lambda each: ranks[each])
    return None if ranks[best] == _UNKNOWN else best


def _stems(word: str) -> tuple[str, ...]:
    return word, word.removesuffix("s"), word.removesuffix("ed"), word.removesuffix("ing")


def _rank(word: str) -> float:
    return _ranks().get(word, _UNKNOWN)


@cache
def _ranks() -> dict[str, float]:
    with gzip.open(WORDS_FILE, "rt", encoding="ascii") as lines:
        return {line.strip(): float(rank) for rank, line in enumerate(lines)}
