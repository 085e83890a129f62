"""One training run: soft targets, some of them missing, for texts and for their tokens."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from factory.network import parameter_groups
from tactful.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    OnStep,
    Steps,
    length_batches,
    padded,
    run_steps,
    silent,
)

CHECKPOINT_STEPS = 100
MAX_TOKENS = 128

Marks = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run."""

    seed: int = 1
    epochs: int = 1
    batch: int = 32
    max_tokens: int = MAX_TOKENS
    rate: float = 5e-5
    head_rate: float = 1e-3
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    warm_up: float = 0.06
    token_loss: float = 0.3
    clip: float = 1.0
    bfloat16: bool = False
    """Multiply matrices in bfloat16: faster on processors that have it, less exact elsewhere."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Texts as tokens; a weight of 0 says that there is no target."""

    tokens: list[list[int]]
    targets: np.ndarray
    weights: np.ndarray
    token_targets: list[np.ndarray | None]
    """One row a token and one column a token output; NaN where nobody looked."""

    def fingerprint(self) -> str:
        """Return a hash: equal lessons, equal hash."""
        digest = sha256(self.targets.tobytes())
        digest.update(self.weights.tobytes())
        for row, marks in zip(self.tokens, self.token_targets, strict=True):
            digest.update(np.array([len(row), *row], dtype=np.int64).tobytes())
            digest.update(b"" if marks is None else marks.tobytes())
        return digest.hexdigest()


Groups = Callable[[Any, float, float, float, float], list[dict[str, object]]]
"""Network, rate, rate of the heads, decay by layer and weight decay -> groups of parameters."""
Sampler = Callable[[int], Sequence[int]]
"""Which rows an epoch sees, by its number."""


def load_tokenizer(folder: Path, max_tokens: int = MAX_TOKENS) -> Tokenizer:
    """Read the tokenizer of an encoder."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def mark_tokens(
    marks: Marks, offsets: Sequence[tuple[int, int]], outputs: Sequence[str]
) -> np.ndarray:
    """Return 1 for each token inside a marked place, 0 outside, NaN for what nobody judged."""
    found = np.full((len(offsets), len(outputs)), np.nan, dtype=np.float32)
    for column, name in enumerate(outputs):
        if name in marks:
            found[:, column] = [
                float(any(start < right and left < end for left, right in marks[name]))
                if start < end
                else np.nan
                for start, end in offsets
            ]
    return found


def train(
    network: nn.Module,
    data: Lessons,
    sampler: Sampler,
    settings: Settings,
    folder: Path,
    on_step: OnStep = silent,
    groups: Groups = parameter_groups,
) -> None:
    """Train in place; the folder keeps the checkpoint.

    ``groups`` says which parameters learn at which rate.
    """
    plan = [list(sampler(epoch)) for epoch in range(settings.epochs)]
    total = sum(math.ceil(len(rows) / settings.batch) for rows in plan)
    chosen = groups(
        network, settings.rate, settings.head_rate, settings.layer_decay, settings.weight_decay
    )
    optimiser = torch.optim.AdamW(chosen, betas=(0.9, 0.98), eps=1e-6)
    about = {"settings": asdict(settings), "data": data.fingerprint()}
    checkpoint = Checkpoint(
        folder / CHECKPOINT_FILE, about, network.state_dict(), optimiser, every=CHECKPOINT_STEPS
    )
    done, *_ = checkpoint.resume()
    lengths = [len(row) for row in data.tokens]

    def batches_of(epoch: int) -> Iterator[list[int]]:
        rng = np.random.default_rng([settings.seed, epoch])
        return length_batches(lengths, plan[epoch], settings.batch, rng)

    run_steps(
        network,
        checkpoint,
        range(settings.epochs),
        batches_of,
        lambda rows: _loss(network, data, rows, settings),
        Steps(settings.seed, total, settings.warm_up, settings.clip),
        done=done,
        on_step=on_step,
    )
    if done < total and total % CHECKPOINT_STEPS:
        checkpoint.save(total)


def predict(network: nn.Module, tokens: Sequence[Sequence[int]], size: int = 64) -> np.ndarray:
    """Return the logits of each text and output."""
    network.eval()
    found: np.ndarray | None = None
    with torch.inference_mode():
        for rows in length_batches([len(row) for row in tokens], range(len(tokens)), size, None):
            logits = network(*padded([tokens[row] for row in rows]))[0].numpy()
            if found is None:
                found = np.zeros((len(tokens), logits.shape[1]), dtype=np.float32)
            found[rows] = logits
    return np.zeros((0, 0), dtype=np.float32) if found is None else found


def _loss(network: nn.Module, data: Lessons, rows: Sequence[int], settings: Settings) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
        texts, tokens = network(*padded([data.tokens[row] for row in rows]))
    texts, tokens = texts.float(), tokens.float()
    weights = torch.from_numpy(data.weights[rows])
    each = cross_entropy(texts, torch.from_numpy(data.targets[rows]), reduction="none")
    loss = (each * weights).sum() / len(rows)
    marked = [
        (at, found) for at, row in enumerate(rows) if (found := data.token_targets[row]) is not None
    ]
    if marked:
        parts = []
        for at, found in marked:
            target = torch.from_numpy(found)
            judged = ~torch.isnan(target)
            if judged.any():
                parts.append(cross_entropy(tokens[at, : len(found)][judged], target[judged]))
        if parts:
            loss = loss + settings.token_loss * torch.stack(parts).sum() / len(rows)
    return loss
