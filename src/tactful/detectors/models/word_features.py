"""Words as the linear detector sees them: the same for training and for scoring."""

import re
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

TOKEN = re.compile("\\w+(?:['\u2019]\\w+)?|[!?.,;:\"\u201c\u201d\u2026()]")
"""A word with its apostrophe, or a mark that says something about the tone."""
PIECE_ROWS = 1 << 14
PAIR_BITS = 17
PAIR_ROWS = 1 << PAIR_BITS
PAIR_MULTIPLIER = 2_654_435_761
"""Knuth's: it spreads pairs of neighbouring row numbers over the table."""
_PIECE = 4


def piece_rows(word: str) -> list[int]:
    """Return the rows of the pieces of a word that training did not see."""
    marked = f"<{word}>"
    pieces = {marked[at : at + _PIECE] for at in range(max(1, len(marked) - _PIECE + 1))}
    return sorted(crc32(piece.encode("utf-8", "replace")) % PIECE_ROWS for piece in pieces)


def word_number(word: str) -> int:
    """Return the number that stands for a word in pairs, known or not."""
    return crc32(word.encode("utf-8", "replace"))


def tokens_of(text: str) -> list[str]:
    """Cut a normalised text into lower-case words and marks."""
    return [token.lower() for token in TOKEN.findall(text)]


def pair_rows(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the rows of neighbouring words, given their numbers."""
    mixed = (first * np.uint32(PAIR_MULTIPLIER) + second).astype(np.uint32)
    return (mixed >> np.uint32(32 - PAIR_BITS)).astype(np.int64)
