"""Windows of tokens in batches, so that what an encoder makes of one depends on no other.

A window is padded to a width of its own, the next multiple of eight, whoever its neighbours are,
and a batch holds windows of one width only. Sums of floating-point numbers depend in their last
digits on how many there are: with widths that follow the neighbours, scores would too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.documents.normalise import normalise

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ids = Sequence[int]
Integers = NDArray[np.int64]

STEP = 8
BATCH_TOKENS = 2048


def cut(tokenizer: "Tokenizer", texts: Sequence[str]) -> tuple[list[list[int]], list[int]]:
    """Return the windows of texts, and of which text each one is."""
    windows: list[list[int]] = []
    owners: list[int] = []
    clean = [normalise(text).text for text in texts]
    for at, encoding in enumerate(tokenizer.encode_batch_fast(clean)):
        for window in (encoding, *encoding.overflowing):
            windows.append(window.ids)
            owners.append(at)
    return windows, owners


def most_tokens(tokenizer: "Tokenizer") -> int:
    """Return how long the windows are that a tokenizer cuts."""
    return int((tokenizer.truncation or {})["max_length"])


def width_of(window: Ids, most: int) -> int:
    """Return how wide a window is laid out; an encoder reads at most so many tokens."""
    return min(max(-(-len(window) // STEP), 1) * STEP, most)


def batches(windows: Sequence[Ids], most: int) -> list[list[int]]:
    """Cut the rows of the windows into batches of one width and about equally many tokens."""
    found: list[list[int]] = []
    last = 0
    for row in sorted(range(len(windows)), key=lambda row: len(windows[row])):
        width = width_of(windows[row], most)
        if width != last or (len(found[-1]) + 1) * width > BATCH_TOKENS:
            found.append([])
        last = width
        found[-1].append(row)
    return found


def padded(windows: Sequence[Ids], most: int) -> tuple[Integers, Integers]:
    """Return tokens and mask of one batch."""
    width = max(width_of(window, most) for window in windows)
    tokens = np.zeros((len(windows), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for at, window in enumerate(windows):
        tokens[at, : len(window)] = window
        mask[at, : len(window)] = 1
    return tokens, mask
