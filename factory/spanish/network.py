"""Training several heads of the multilingual encoder together."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_

from factory.use.classifier import UseClassifier

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_TOKENS = 96
Tokens = list[list[int]]
Say = Callable[[str], None]
_POOL = 50
"""The number of batches that are sorted by length together."""
_WARM_UP = 0.1
_LEAST_RATE = 0.02


@dataclass(frozen=True, slots=True)
class Stage:
    """How long and how fast to learn."""

    epochs: int
    rate: float
    batch: int = 32
    head_rate: float = 3.0
    """Times the rate of the rest: the heads begin from nothing."""
    token_dropout: float = 0.1
    seed: int = 1


SPANISH_STAGE = Stage(epochs=4, rate=2e-4, head_rate=30.0, token_dropout=0.05)
"""Faster, or with English first, it forgets more than it learns."""


def tokenised(tokenizer: "Tokenizer", texts: Sequence[str]) -> Tokens:
    """Cut texts into at most :data:`MOST_TOKENS` tokens."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts))]


def teach(
    model: UseClassifier,
    tokens: Tokens,
    targets: NDArray[np.float32],
    rows: Sequence[int],
    stage: Stage,
    *,
    weights: NDArray[np.float32] | None = None,
    say: Say = lambda _: None,
) -> None:
    """Learn all heads from some rows; a head learns nothing from a text without its target.

    ``weights`` has one number for each text and head. Word vectors keep still: with few texts they
    would only learn these by heart.
    """
    torch.manual_seed(stage.seed)
    rng = np.random.default_rng(stage.seed)
    model.network.freeze_vectors()
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in model.network.parameters() if p.requires_grad]},
            {"params": list(model.text_head.parameters()), "lr": stage.rate * stage.head_rate},
        ],
        lr=stage.rate,
        weight_decay=0.01,
    )
    first_rates = [float(group["lr"]) for group in optimizer.param_groups]
    steps = stage.epochs * math.ceil(len(rows) / stage.batch)
    step = 0
    for epoch in range(stage.epochs):
        model.train()
        total = 0.0
        for batch in _batches(rows, tokens, stage.batch, rng):
            pace = min(1.0, (step + 1) / (_WARM_UP * steps)) * max(_LEAST_RATE, 1 - step / steps)
            for group, rate in zip(optimizer.param_groups, first_rates, strict=True):
                group["lr"] = rate * pace
            ids, mask = padded([tokens[row] for row in batch])
            dropped = (torch.rand(ids.shape) < stage.token_dropout) & (mask == 1)
            logits, _, _ = model(ids.masked_fill(dropped, 0), mask)
            wanted = torch.from_numpy(targets[batch])
            known = ~torch.isnan(wanted)
            counts = known.float() if weights is None else known * torch.from_numpy(weights[batch])
            losses = functional.binary_cross_entropy_with_logits(
                logits, torch.nan_to_num(wanted), reduction="none"
            )
            loss = (losses * counts).sum() / counts.sum().clamp(min=1.0)
            optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += float(loss.detach())
            step += 1
        mean = total / math.ceil(len(rows) / stage.batch)
        say(f"epoch {epoch + 1} of {stage.epochs}: loss {mean:.4f}")
    model.eval()


def vectors_of(model: UseClassifier, tokens: Tokens, rows: Sequence[int]) -> NDArray[np.float32]:
    """Return what the heads read of some rows, in their order."""
    return _answers(model, model.vectors, model.text_head.in_features, tokens, rows)


def logits_of(model: UseClassifier, tokens: Tokens, rows: Sequence[int]) -> NDArray[np.float32]:
    """Return the logits of some rows, in their order."""

    def logits(ids: Tensor, mask: Tensor) -> Tensor:
        found: Tensor = model(ids, mask)[0]
        return found

    return _answers(model, logits, model.text_head.out_features, tokens, rows)


def _answers(
    model: UseClassifier,
    answer: Callable[[Tensor, Tensor], Tensor],
    width: int,
    tokens: Tokens,
    rows: Sequence[int],
) -> NDArray[np.float32]:
    model.eval()
    found = np.zeros((len(rows), width), dtype=np.float32)
    order = sorted(range(len(rows)), key=lambda at: len(tokens[rows[at]]))
    with torch.inference_mode():
        for start in range(0, len(order), 128):
            part = order[start : start + 128]
            ids, mask = padded([tokens[rows[at]] for at in part])
            found[part] = answer(ids, mask).numpy()
    return found


def padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return tokens and mask of one batch."""
    width = max(1, *(len(row) for row in rows))
    ids = torch.zeros((len(rows), width), dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row, dtype=torch.int64)
        mask[at, : len(row)] = 1
    return ids, mask


def _batches(
    rows: Sequence[int], tokens: Tokens, size: int, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Deal rows into batches of like length, in another order each time."""
    shuffled = [int(row) for row in rng.permutation(np.asarray(rows))]
    batches = []
    for start in range(0, len(shuffled), size * _POOL):
        pool = sorted(shuffled[start : start + size * _POOL], key=lambda row: len(tokens[row]))
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    yield from (batches[at] for at in rng.permutation(len(batches)))
