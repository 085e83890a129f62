"""Records as tensors: tokens, soft targets with their weights, and token targets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from factory.learning import Lessons
from factory.records import AUXILIARY, IDS, Record
from tactful.training.loop import length_batches
from tactful.training.task_data import PCL_IDS

TEXT_OUTPUTS = (*IDS, AUXILIARY)
TOKEN_OUTPUTS = PCL_IDS
"""The outputs of the token head: any PCL, and each category."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one step sees."""

    tokens: Tensor
    mask: Tensor
    targets: Tensor
    weights: Tensor
    token_targets: Tensor
    token_weights: Tensor


def encode(records: Sequence[Record], tokenizer: Tokenizer) -> Lessons:
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
    return Lessons([each.ids for each in encodings], targets, weights, token_targets)


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
    data: Lessons, chosen: Sequence[int], size: int, rng: np.random.Generator | None
) -> Iterator[tuple[list[int], Batch]]:
    """Yield batches of texts of like length; in random order with ``rng``, else as chosen."""
    for rows in length_batches([len(row) for row in data.tokens], chosen, size, rng):
        yield rows, collate(data, rows)


def collate(data: Lessons, rows: Sequence[int]) -> Batch:
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
