"""What is read of a long text: the pieces with most to find, within a number of tokens."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tactful.detectors.cost import rough_tokens
from tactful.documents.segments import windows

Piece = tuple[int, int]
"""A half-open range of code points."""

TEXT_TOKENS = 768
"""How many tokens of a comment are read: about 600 words of prose."""
_LARGEST_PIECE = 256
LONG_TOKENS = 1_024
"""A request of more tokens is long: few of those are read at once, so that short ones go on."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The pieces of a text that are read, in its order, and the tokens of each."""

    pieces: tuple[Piece, ...]
    tokens: tuple[int, ...]
    is_whole: bool = True
    """Whether the pieces are the whole text."""


def whole_pieces(text: str) -> list[Piece]:
    """Return the windows whose highest score is that of a text: one, unless it is long."""
    return windows(text) or [(0, len(text))]


def chosen_pieces(sizes: Sequence[int], values: Sequence[float], most: int) -> list[int]:
    """Return the numbers of the pieces of greatest value that fit into ``most``, in their order.

    >>> chosen_pieces([3, 3, 3, 2], [0.1, 0.9, 0.5, 0.2], 5)
    [1, 3]
    """
    found, used = [], 0
    for row in sorted(range(len(sizes)), key=lambda row: -values[row]):
        if used + sizes[row] <= most:
            found.append(row)
            used += sizes[row]
    return sorted(found)


def sized_pieces(
    tokens_of: Callable[[Sequence[str]], Sequence[int]], text: str, most: int
) -> tuple[list[Piece], list[int]]:
    """Return the pieces of a text and their tokens.

    Where they have more than ``most`` together, none has more than a part of it: a piece of very
    long words or of marks is cut anywhere.
    """
    pieces = whole_pieces(text)
    sizes = _sizes(tokens_of, text, pieces)
    if sum(sizes) <= most:
        return pieces, sizes
    largest = min(_LARGEST_PIECE, most)
    while any(map(largest.__lt__, sizes)):
        cut = [
            part
            for piece, size in zip(pieces, sizes, strict=True)
            for part in _parts(piece, -(-size // largest))
        ]
        if cut == pieces:
            break
        pieces, sizes = cut, _sizes(tokens_of, text, cut)
    return pieces, sizes


def beginning(text: str, most: int = TEXT_TOKENS) -> str:
    """Return as much of a text, from its start, as has about ``most`` tokens."""
    if rough_tokens(text) <= most:
        return text
    pieces, sizes = sized_pieces(lambda texts: list(map(rough_tokens, texts)), text, most)
    used = list(accumulate(sizes))
    last = max(1, bisect_right(used, most))
    return text[: pieces[last - 1][1]]


def _sizes(
    tokens_of: Callable[[Sequence[str]], Sequence[int]], text: str, pieces: Sequence[Piece]
) -> list[int]:
    return list(tokens_of([text[start:end] for start, end in pieces]))


def _parts(piece: Piece, count: int) -> list[Piece]:
    start, end = piece
    step = max(1, -(-(end - start) // count))
    return [(at, min(at + step, end)) for at in range(start, end, step)]
