"""Records as tensors: tokens, soft targets with their weights, and token targets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from tactful.training.encoder import TEXT_OUTPUTS, TOKEN_OUTPUTS
from tactful.training.records import Record

MAX_TOKENS = 128
_POOL = 40
"""Batches are cut from pools of so many batches, sorted by length, so that little is padding."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """All records as arrays; a weight of 0 says that there is no target."""

    tokens: list[list[int]]
    targets: np.ndarray
    weights: np.ndarray
    token_targets: list[np.ndarray | None]

    def fingerprint(self) -> str:
        """Return a hash: equal data, equal hash."""
        digest = sha256(self.targets.tobytes() + self.weights.tobytes())
        for row, marks in zip(self.tokens, self.token_targets, strict=True):
            digest.update(np.array([len(row), *row], dtype=np.int64).tobytes())
            digest.update(b"-" if marks is None else marks.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Batch:
    """What one step sees."""

    tokens: Tensor
    mask: Tensor
    targets: Tensor
    weights: Tensor
    token_targets: Tensor
    token_weights: Tensor


def load_tokenizer(folder: Path, max_tokens: int = MAX_TOKENS) -> Tokenizer:
    """Read the tokenizer of an encoder."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def encode(records: Sequence[Record], tokenizer: Tokenizer) -> Encoded:
    """Turn records into arrays.

    The weights of a text add up to about one, whatever the number of ids its corpus judges.
    """
    column = {name: at for at, name in enumerate(TEXT_OUTPUTS)}
    encodings = tokenizer.encode_batch_fast([record.text for record in records])
    targets = np.zeros((len(records), len(TEXT_OUTPUTS)), dtype=np.float32)
    weights = np.zeros_like(targets)
    token_targets: list[np.ndarray | None] = []
    for row, record in enumerate(records):
        for name, value in record.targets.items():
            targets[row, column[name]] = value
            weights[row, column[name]] = record_weight(record, name)
        token_targets.append(None)
    with_spans = [row for row, record in enumerate(records) if record.spans is not None]
    located = tokenizer.encode_batch([records[row].text for row in with_spans])
    for row, encoding in zip(with_spans, located, strict=True):
        token_targets[row] = _token_targets(records[row], encoding.offsets)
    return Encoded([each.ids for each in encodings], targets, weights, token_targets)


def record_weight(record: Record, name: str) -> float:
    """Return how much one target counts: ``pcl`` as much as its seven categories together."""
    if "pcl" in record.targets:
        return 0.5 if name == "pcl" else 0.1
    return 1 / len(record.targets)


def _token_targets(record: Record, offsets: list[tuple[int, int]]) -> np.ndarray:
    column = {name: at for at, name in enumerate(TOKEN_OUTPUTS)}
    marks = np.zeros((len(offsets), len(TOKEN_OUTPUTS)), dtype=np.float32)
    for span in record.spans or ():
        for at, (start, end) in enumerate(offsets):
            if start < end and start < span.end and span.start < end:
                marks[at, 0] = 1
                if span.id in column:
                    marks[at, column[span.id]] = 1
    return marks


def batches(
    data: Encoded, chosen: Sequence[int], size: int, rng: np.random.Generator | None
) -> Iterator[tuple[list[int], Batch]]:
    """Yield batches of texts of like length; in random order with ``rng``, else as chosen."""
    order = np.array(chosen)
    if rng is not None:
        order = rng.permutation(order)
    pools = [order[at : at + size * _POOL] for at in range(0, len(order), size * _POOL)]
    cut = []
    for pool in pools:
        by_length = sorted(pool, key=lambda row: len(data.tokens[row]))
        cut += [by_length[at : at + size] for at in range(0, len(by_length), size)]
    if rng is not None:
        cut = [cut[at] for at in rng.permutation(len(cut))]
    for rows in cut:
        yield [int(row) for row in rows], collate(data, rows)


def collate(data: Encoded, rows: Sequence[int]) -> Batch:
    """Pad the chosen rows to one length."""
    width = max(len(data.tokens[row]) for row in rows)
    tokens = np.zeros((len(rows), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    marks = np.zeros((len(rows), width, len(TOKEN_OUTPUTS)), dtype=np.float32)
    heavy = np.zeros((len(rows), width), dtype=np.float32)
    for at, row in enumerate(rows):
        found = data.tokens[row]
        tokens[at, : len(found)] = found
        mask[at, : len(found)] = 1
        marked = data.token_targets[row]
        if marked is not None:
            marks[at, : len(found)] = marked
            # A paragraph without PCL says little per token, and there are many of them.
            heavy[at, : len(found)] = 1.0 if marked.any() else 0.1
    return Batch(
        torch.from_numpy(tokens),
        torch.from_numpy(mask),
        torch.from_numpy(data.targets[list(rows)]),
        torch.from_numpy(data.weights[list(rows)]),
        torch.from_numpy(marks),
        torch.from_numpy(heavy),
    )
