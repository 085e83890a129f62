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

from tactful.detectors.linear import WEIGHTS_FILE, WORDS_FILE
from tactful.detectors.normalise import normalise
from tactful.detectors.word_features import (
    PAIR_ROWS,
    PIECE_ROWS,
    pair_rows,
    piece_rows,
    tokens_of,
    word_number,
)
from tactful.files import atomic_path

Floats = NDArray[np.float64]
LEAST_WORD, LEAST_PAIR = 2, 4
"""A word needs so many texts for a row of its own, a pair to be kept."""


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
    """How far each block is held back: greater is weaker."""

    sparse: float = 0.25
    dense: float = 0.1
    pairs: float = 0.8
    """The scale of pairs beside words."""


def vocabulary(texts: Sequence[str], least: int = LEAST_WORD) -> tuple[str, ...]:
    """Return the words that stand in at least so many texts, the most frequent first."""
    counts = Counter(word for text in texts for word in set(tokens_of(normalise(text).text)))
    return tuple(word for word, number in counts.most_common() if number >= least)


class Design:
    """The matrix of a linear problem, and the way back from columns to words."""

    def __init__(
        self,
        texts: Sequence[str],
        words: tuple[str, ...],
        vectors: Floats | None = None,
        strength: Strength | None = None,
    ):
        from scipy import sparse

        self.words, self.vectors = words, vectors
        self.strength = strength or Strength()
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
        matrix = sparse.csr_array(
            (np.concatenate(values), np.concatenate(indices), pointers), (len(texts), width)
        )
        matrix.sum_duplicates()
        self.scale = self._scales(matrix)
        self.raw = matrix
        self.matrix = (matrix @ sparse.diags_array(self.scale)).tocsr()
        self.dense = None if vectors is None else matrix[:, : len(words)] @ vectors

    def _scales(self, matrix: "object") -> Floats:
        """Rare columns count more, as with idf; pairs too rare to trust count nothing."""
        counts = np.asarray((matrix != 0).sum(axis=0)).ravel()  # type: ignore[attr-defined]
        texts = matrix.shape[0]  # type: ignore[attr-defined]
        scale: Floats = np.log((1 + texts) / (1 + counts)) / np.log(1 + texts)
        pairs = slice(len(self.words) + PIECE_ROWS, None)
        scale[pairs] *= self.strength.pairs * (counts[pairs] >= LEAST_PAIR)
        return scale

    def fit(self, targets: Floats, weights: Floats, steps: int = 80) -> LinearWeights:
        """Minimise the weighted cross-entropy with soft targets plus the squared weights."""
        from scipy.optimize import minimize

        ids = targets.shape[1]
        sparse_width, dense_width = self.matrix.shape[1], self._dense_width()
        total = weights.sum(axis=0)
        transposed = self.matrix.T.tocsr()
        base = (weights * targets).sum(axis=0) / total
        bias = np.log(base / (1 - base))
        penalty = np.concatenate(
            [
                np.full(sparse_width, self.strength.sparse),
                np.full(dense_width, self.strength.dense),
                np.zeros(1),
            ]
        )[:, None]

        def loss(flat: Floats) -> tuple[float, Floats]:
            theta = flat.reshape(-1, ids)
            logits = self.matrix @ theta[:sparse_width] + theta[-1]
            if self.dense is not None:
                logits += self.dense @ theta[sparse_width:-1]
            value = (weights * (np.logaddexp(0, logits) - targets * logits)).sum()
            slope = weights * (1 / (1 + np.exp(-logits)) - targets)
            parts = [transposed @ slope]
            if self.dense is not None:
                parts.append(self.dense.T @ slope)
            parts.append(slope.sum(axis=0, keepdims=True))
            gradient = np.concatenate(parts) + penalty * theta
            return float(value + (penalty * theta**2).sum() / 2), gradient.ravel()

        start = np.zeros((sparse_width + dense_width + 1, ids))
        start[-1] = bias
        found = minimize(
            loss,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": steps, "maxcor": 6},
        )
        return self._folded(found.x.reshape(-1, ids))

    def _dense_width(self) -> int:
        return 0 if self.vectors is None else self.vectors.shape[1]

    def _folded(self, theta: Floats) -> LinearWeights:
        width = self.matrix.shape[1]
        columns = theta[:width] * self.scale[:, None]
        known = len(self.words)
        word_weights = columns[:known]
        if self.vectors is not None:
            word_weights = word_weights + self.vectors @ theta[width:-1]
        pieces = columns[known : known + PIECE_ROWS]
        return LinearWeights(
            self.words, word_weights, pieces, columns[known + PIECE_ROWS :], theta[-1]
        )


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


def predict_linear(weights: LinearWeights, design: Design) -> Floats:
    """Return the logits of the design's own texts."""
    stacked = np.concatenate([weights.word_weights, weights.piece_weights, weights.pair_weights])
    logits: Floats = design.raw @ stacked + weights.bias
    return logits


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
