"""From the marks of a token head to spans that a reader would have drawn."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tactful.documents.normalise import Normalised
from tactful.types import Span

GAP = 3
"""Marked tokens with at most so many unmarked ones between them are one span."""
LEAST_TOKENS = 2
"""A single marked token is noise: no annotator marks less than a phrase."""


def token_spans(
    text: str,
    clean: Normalised,
    offsets: Sequence[tuple[int, int]],
    logits: NDArray[np.floating],
    name: str,
    threshold: float,
) -> list[Span]:
    """Return the marked places in code points of ``text``, whole words only."""
    runs = marked_runs(logits, threshold)
    spans = []
    for first, last in runs:
        places = [place for place in offsets[first:last] if place[0] < place[1]]
        if not places:
            continue
        start, end = clean.to_source(places[0][0], places[-1][1])
        start, end = _whole_words(text, start, end)
        spans.append(Span(start, end, name))
    return spans


def marked_runs(logits: NDArray[np.floating], threshold: float) -> list[tuple[int, int]]:
    """Return half-open runs of tokens whose probability reaches the threshold."""
    probability = 1 / (1 + np.exp(-logits.astype(np.float64)))
    marked = np.flatnonzero(probability >= threshold)
    runs: list[tuple[int, int]] = []
    for at in marked.tolist():
        if runs and at - runs[-1][1] <= GAP:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    long = [run for run in runs if run[1] - run[0] >= LEAST_TOKENS]
    return long or runs


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end
