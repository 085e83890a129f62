"""Fitting the fast detector: one convex problem for all ids, soft targets, a prior from meaning.

Words, pieces of rare words and pairs of neighbouring words are sparse columns. A dense block holds
the sum of the words' vectors; what it learns is folded back into the words' own weights, so that
words of like meaning share strength and the result is still a plain sum over words.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import sigmoid
from tactful.detectors.models.linear import (
    PAIR_ROWS,
    PIECE_ROWS,
    WEIGHTS_FILE,
    WORDS_FILE,
    pair_rows,
    piece_rows,
    tokens_of,
    word_number,
)
from tactful.documents.normalise import normalise
from tactful.files import atomic_path

Floats = NDArray[np.float64]
LEAST_WORD, LEAST_PAIR = 2, 4
"""The number of texts that a word needs for its own row, and that a pair needs to be kept."""


@dataclass(frozen=True, slots=True)
class LinearWeights:
    """What the fast detector adds up."""

    words: tuple[str, ...]
    word_weights: Floats
    piece_weights: Floats
    pair_weights: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Strength:
    """The regularisation of each block: greater is weaker."""

    sparse: float = 0.25
    dense: float = 0.1
    pairs: float = 0.8
    """The scale of pairs beside words."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Columns that are learnt together."""

    matrix: Any
    transposed: Any
    scale: Floats
    strength: float

    @classmethod
    def of(cls, matrix: Any, scale: Floats, strength: float) -> "_Block":
        transposed = matrix.T if isinstance(matrix, np.ndarray) else matrix.T.tocsr()
        return cls(matrix, transposed, scale[:, None], strength)

    def logits(self, theta: Floats) -> Floats:
        found: Floats = self.matrix @ (self.scale * theta).astype(np.float32)
        return found

    def gradient(self, slope: NDArray[np.float32], theta: Floats) -> Floats:
        found: Floats = self.scale * (self.transposed @ slope) + self.strength * theta
        return found


def vocabulary(texts: Sequence[str], least: int = LEAST_WORD) -> tuple[str, ...]:
    """Return the words that at least ``least`` texts have, the most frequent first."""
    counts = Counter(word for text in texts for word in set(tokens_of(normalise(text).text)))
    return tuple(word for word, number in counts.most_common() if number >= least)


class Design:
    """The matrix of a linear problem, and the way back from columns to words."""

    def __init__(self, texts: Sequence[str], words: tuple[str, ...], vectors: Floats | None = None):
        from scipy import sparse

        self.words, self.vectors = words, vectors
        row_of = {word: row for row, word in enumerate(words)}
        indices: list[NDArray[np.int64]] = []
        values: list[Floats] = []
        lengths = []
        for text in texts:
            columns, amounts = _columns(tokens_of(normalise(text).text), row_of)
            indices.append(columns)
            values.append(amounts)
            lengths.append(len(columns))
        width = len(words) + PIECE_ROWS + PAIR_ROWS
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        amounts = np.concatenate(values).astype(np.float32)
        self.raw = sparse.csr_array(
            (amounts, np.concatenate(indices), pointers), (len(texts), width)
        )
        self.raw.sum_duplicates()
        self.counts = np.bincount(self.raw.indices, minlength=width)

    def fit(
        self,
        targets: Floats,
        weights: Floats,
        strength: Strength | None = None,
        steps: int = 80,
        rows: NDArray[np.int64] | None = None,
    ) -> LinearWeights:
        """Minimise the weighted cross-entropy with soft targets plus the squared weights.

        ``targets`` and ``weights`` belong to ``rows``, if these are given.
        """
        from scipy.optimize import minimize

        blocks = self._blocks(strength or Strength(), rows)
        ids = targets.shape[1]
        ends = np.cumsum([len(block.scale) for block in blocks])
        base = (weights * targets).sum(axis=0) / weights.sum(axis=0)

        def loss(flat: Floats) -> tuple[float, Floats]:
            theta = flat.reshape(-1, ids)
            parts = np.split(theta, ends)
            logits = np.repeat(theta[-1:], len(targets), axis=0)
            for block, part in zip(blocks, parts[:-1], strict=True):
                logits += block.logits(part)
            value = (weights * (np.logaddexp(0, logits) - targets * logits)).sum()
            slope = weights * (sigmoid(logits) - targets)
            narrow = slope.astype(np.float32)
            gradient = [
                block.gradient(narrow, part) for block, part in zip(blocks, parts[:-1], strict=True)
            ]
            for block, part in zip(blocks, parts[:-1], strict=True):
                value += block.strength * (part**2).sum() / 2
            gradient.append(slope.sum(axis=0, keepdims=True))
            return float(value), np.concatenate(gradient).ravel()

        start = np.zeros((ends[-1] + 1, ids))
        start[-1] = np.log(base / (1 - base))
        found = minimize(
            loss,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": steps, "maxcor": 6},
        )
        return self._folded(blocks, np.split(found.x.reshape(-1, ids), ends))

    def _blocks(self, strength: Strength, rows: NDArray[np.int64] | None) -> list[_Block]:
        raw = self.raw if rows is None else self.raw[rows]
        known = raw[:, : len(self.words)]
        scale = _rarity(self.counts, self.raw.shape[0])
        pairs = slice(len(self.words) + PIECE_ROWS, None)
        scale[pairs] *= strength.pairs * (self.counts[pairs] >= LEAST_PAIR)
        blocks = [_Block.of(raw, scale, strength.sparse)]
        if self.vectors is not None:
            meant = known @ self.vectors.astype(np.float32)
            blocks.append(_Block.of(meant, np.ones(meant.shape[1]), strength.dense))
        return blocks

    def _folded(self, blocks: Sequence[_Block], parts: Sequence[Floats]) -> LinearWeights:
        scaled = [block.scale * part for block, part in zip(blocks, parts[:-1], strict=True)]
        columns, known = scaled[0], len(self.words)
        words = columns[:known]
        if self.vectors is not None:
            words = words + self.vectors @ scaled[1]
        pieces = columns[known : known + PIECE_ROWS]
        return LinearWeights(self.words, words, pieces, columns[known + PIECE_ROWS :], parts[-1][0])


def _rarity(counts: NDArray[np.integer], texts: int) -> Floats:
    """Rare columns count more, as with idf."""
    found: Floats = np.log((1 + texts) / (1 + counts)) / np.log(1 + texts)
    return found


def _columns(words: list[str], row_of: dict[str, int]) -> tuple[NDArray[np.int64], Floats]:
    """Return the columns of a text and their amounts, exactly as the detector adds them up."""
    columns: list[int] = []
    amounts: list[float] = []
    known = len(row_of)
    for word in words:
        row = row_of.get(word)
        if row is not None:
            columns.append(row)
            amounts.append(1.0)
        else:
            pieces = piece_rows(word)
            columns += [known + piece for piece in pieces]
            amounts += [1 / len(pieces)] * len(pieces)
    numbers = np.array([word_number(word) for word in words], dtype=np.uint32)
    pairs = pair_rows(numbers[:-1], numbers[1:]) + known + PIECE_ROWS
    norm = np.sqrt(max(len(words), 1))
    return (
        np.concatenate([np.array(columns, dtype=np.int64), pairs]),
        np.concatenate([np.array(amounts), np.ones(len(pairs))]) / norm,
    )


def write_linear(weights: LinearWeights, folder: Path) -> None:
    """Write the weights as small integers with one scale per id and block."""
    arrays: dict[str, Any] = {"bias": weights.bias.astype(np.float32)}
    blocks = {
        "words": weights.word_weights,
        "pieces": weights.piece_weights,
        "pairs": weights.pair_weights,
    }
    for name, block in blocks.items():
        scale = np.maximum(np.abs(block).max(axis=0), 1e-9) / 127
        arrays[name] = np.round(block / scale).astype(np.int8)
        arrays[f"{name}_scale"] = scale.astype(np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(folder / WORDS_FILE, force=True) as target:
        target.write_text("\n".join(weights.words) + "\n", encoding="utf-8")
    with atomic_path(folder / WEIGHTS_FILE, force=True) as target, target.open("wb") as file:
        np.savez_compressed(file, **arrays)
