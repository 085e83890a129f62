"""What neighbours agree on: a vote over groups, and the statement that suits most of them.

The statement is the one with the least Bayes risk (Kumar and Byrne 2004): each is compared with
what was written about every neighbour, as if that were the truth, and the one expected to agree
best is taken. A post has several references, and a statement need only be like one of them; so the
agreement with a neighbour is that with the reference of it that suits best.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tactful.metrics.generation import EPSILON, tokenise

Floats = NDArray[np.float64]
Pair = tuple[str, str]
"""A group, and a statement about it."""

MOST_CANDIDATES = 40
"""The number of candidates, those with the most weight; they are compared with all statements."""
_NO_WORD = -1
_NO_CANDIDATE_WORD = -2


@dataclass(frozen=True, slots=True)
class Consensus:
    """A statement, and the agreement with its neighbours that is expected of it (0 to 1)."""

    statement: str
    agreement: float


def vote(ballots: Sequence[Collection[str]], weights: Sequence[float]) -> dict[str, float]:
    """Return the share of the weight that names each group, highest first; of equals, by name.

    A ballot may name several groups, so the shares may add up to more than 1.

    >>> vote([["women"], ["women", "nurses"], ["men"]], [0.5, 0.25, 0.25])
    {'women': 0.75, 'men': 0.25, 'nurses': 0.25}
    """
    total = sum(weights)
    if total <= 0:
        return {}
    shares: dict[str, float] = {}
    for ballot, weight in zip(ballots, weights, strict=True):
        for group in dict.fromkeys(ballot):
            shares[group] = shares.get(group, 0.0) + weight / total
    return dict(sorted(shares.items(), key=lambda each: (-each[1], each[0])))


def consensus(
    neighbours: Sequence[Sequence[Pair]], weights: Sequence[float], shares: Mapping[str, float]
) -> Consensus | None:
    """Return the statement that agrees best with those of all neighbours; None if there is none.

    A pair counts by the share of its group, and not at all where ``shares`` has none: with the
    shares of a vote, statements about its winner are preferred; with one group, only those about
    it are heard. Of equals, the one with more weight wins, then the first by letters.
    """

    def worth(pair: Pair) -> float:
        return shares.get(pair[0], 0.0)

    support: dict[str, float] = {}
    parts: list[tuple[float, list[str]]] = []
    for pairs, weight in zip(neighbours, weights, strict=True):
        if not pairs:
            continue
        parts.append((weight * max(map(worth, pairs)), list(dict.fromkeys(s for _, s in pairs))))
        for pair in pairs:
            support[pair[1]] = support.get(pair[1], 0.0) + weight * worth(pair) / len(pairs)
    total = sum(weight for weight, _ in parts)
    if total <= 0:
        return None
    ranked = sorted(support, key=lambda text: (-support[text], text))
    texts = list(dict.fromkeys(text for _, listed in parts for text in listed))
    place = {text: at for at, text in enumerate(texts)}
    candidates = ranked[:MOST_CANDIDATES]
    table = agreements(candidates, texts)
    expected = np.zeros(len(candidates))
    for weight, listed in parts:
        expected += weight / total * table[:, [place[text] for text in listed]].max(axis=1)
    # Sums in floating point differ in their last digits: what differs less than that is equal.
    best = int(np.round(expected, 9).argmax())
    return Consensus(candidates[best], float(expected[best]))


def most_agreed(texts: Sequence[str], weights: Sequence[float]) -> int:
    """Return the index of the text with the least Bayes risk; of equals, the first."""
    expected = agreements(texts, texts) @ np.asarray(weights)
    return int(np.round(expected, 9).argmax())


def agreements(candidates: Sequence[str], references: Sequence[str]) -> Floats:
    """Return the mean of ROUGE-L and BLEU-2 of each candidate (a row) with each reference."""
    own, others = [tokenise(text) for text in candidates], [tokenise(text) for text in references]
    lengths = np.array([len(tokens) for tokens in own], dtype=np.float64)[:, None]
    widths = np.array([len(tokens) for tokens in others], dtype=np.float64)[None, :]
    common = _common_subsequences(own, others)
    rouge = np.divide(
        2 * common, lengths + widths, out=np.ones_like(common), where=lengths + widths > 0
    )
    return (rouge + _bleu(own, others, lengths, widths)) / 2


def _bleu(
    own: Sequence[list[str]], others: Sequence[list[str]], lengths: Floats, widths: Floats
) -> Floats:
    words, pairs = _matches(own, others, 1), _matches(own, others, 2)
    precision = words / np.maximum(lengths, 1)
    second = np.where(pairs > 0, pairs, EPSILON) / np.maximum(lengths - 1, 1)
    # Where a candidate has no two words in a row, the order is left out of the mean.
    mean = np.where(lengths > 1, np.sqrt(precision * second), precision)
    brevity = np.exp(np.minimum(0.0, 1 - widths / np.maximum(lengths, 1)))
    empty = ((lengths == 0) & (widths == 0)).astype(np.float64)
    found: Floats = np.where(lengths > 0, np.where(words > 0, brevity * mean, 0.0), empty)
    return found


def _matches(own: Sequence[list[str]], others: Sequence[list[str]], order: int) -> Floats:
    """Count the n-grams that two texts share, each as often as both have it."""
    places: dict[tuple[tuple[str, ...], int], int] = {}
    listed = [[_numbered(tokens, order) for tokens in texts] for texts in (own, others)]
    for texts in listed:
        for grams in texts:
            for gram in grams:
                places.setdefault(gram, len(places))
    tables = []
    for texts in listed:
        table = np.zeros((len(texts), len(places)))
        for row, grams in enumerate(texts):
            table[row, [places[gram] for gram in grams]] = 1
        tables.append(table)
    found: Floats = tables[0] @ tables[1].T
    return found


def _numbered(tokens: list[str], order: int) -> list[tuple[tuple[str, ...], int]]:
    """Number the occurrences of each n-gram, so that sets can be compared."""
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for at in range(len(tokens) - order + 1):
        gram = tuple(tokens[at : at + order])
        seen[gram] = seen.get(gram, 0) + 1
        found.append((gram, seen[gram]))
    return found


def _common_subsequences(own: Sequence[list[str]], others: Sequence[list[str]]) -> Floats:
    """Return the lengths of the longest common subsequences, for all pairs at a time."""
    numbers: dict[str, int] = {}
    first = _padded(own, numbers, _NO_CANDIDATE_WORD)
    second = _padded(others, numbers, _NO_WORD)
    row = np.zeros((len(own), len(others), second.shape[1] + 1), dtype=np.int16)
    for at in range(first.shape[1]):
        same = first[:, at][:, None, None] == second[None, :, :]
        longest = np.maximum(row[:, :, 1:], row[:, :, :-1] + same)
        row[:, :, 1:] = np.maximum.accumulate(longest, axis=2)
    return row[:, :, -1].astype(np.float64)


def _padded(texts: Sequence[list[str]], numbers: dict[str, int], blank: int) -> NDArray[np.int32]:
    width = max((len(tokens) for tokens in texts), default=0)
    found = np.full((len(texts), width), blank, dtype=np.int32)
    for at, tokens in enumerate(texts):
        found[at, : len(tokens)] = [numbers.setdefault(token, len(numbers)) for token in tokens]
    return found
