"""Training all tasks together: soft targets, balanced sampling, layer-wise learning rates."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from factory.english_v1.batches import Batch, batches
from factory.learning import Lessons
from factory.network import Network, parameter_groups
from factory.stages import hash_of
from tactful.files import atomic_path
from tactful.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    OnStep,
    Steps,
    hash_of_weights,
    run_steps,
    silent,
)

CHECKPOINT_STEPS = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run."""

    seed: int = 1
    epochs: int = 3
    batch: int = 32
    rate: float = 8e-5
    head_rate: float = 1e-3
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    warm_up: float = 0.06
    token_loss: float = 0.5
    clip: float = 1.0


Sampler = Callable[[int], Sequence[int]]
"""Which rows an epoch sees, by its number."""


def train(
    model: Network,
    data: Lessons,
    sampler: Sampler,
    settings: Settings,
    folder: Path,
    on_step: OnStep = silent,
) -> None:
    """Train in place; the folder keeps the checkpoint of a run that is stopped."""
    plan = [list(sampler(epoch)) for epoch in range(settings.epochs)]
    groups = parameter_groups(
        model, settings.rate, settings.head_rate, settings.layer_decay, settings.weight_decay
    )
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6)
    about = {
        "recipe": asdict(settings),
        "data": data.fingerprint(),
        "rows": hash_of(plan),
        "start": hash_of_weights(model.state_dict()),
    }
    checkpoint = Checkpoint(
        folder / CHECKPOINT_FILE, about, model.state_dict(), optimiser,
        every=CHECKPOINT_STEPS, discard_other=True,
    )  # fmt: skip
    done, *_ = checkpoint.resume()

    def batches_of(epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng([settings.seed, epoch])
        return (batch for _, batch in batches(data, plan[epoch], settings.batch, rng))

    run_steps(
        model,
        checkpoint,
        range(settings.epochs),
        batches_of,
        lambda batch: step_loss(model, batch, settings),
        Steps(
            settings.seed,
            sum(math.ceil(len(rows) / settings.batch) for rows in plan),
            settings.warm_up,
            settings.clip,
        ),
        done=done,
        on_step=on_step,
    )


def step_loss(model: Network, batch: Batch, settings: Settings) -> Tensor:
    """Return the weighted cross-entropy with the soft targets of texts and tokens."""
    text, tokens = model(batch.tokens, batch.mask)
    loss = (cross_entropy(text, batch.targets, reduction="none") * batch.weights).sum()
    loss = loss / batch.weights.sum().clamp(min=1)
    heavy = batch.token_weights.unsqueeze(-1)
    if heavy.any():
        each = cross_entropy(tokens, batch.token_targets, reduction="none")
        found = (each * heavy).sum() / (heavy.sum() * tokens.shape[-1])
        share = (batch.token_weights.amax(1) > 0).float().mean()
        loss = loss + settings.token_loss * share * found
    return loss


def predict(model: Network, data: Lessons, size: int = 64) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the logits of every text, and of every text's tokens."""
    model.eval()
    found = np.zeros_like(data.targets)
    marks: list[np.ndarray] = [np.zeros(0)] * len(data.tokens)
    with torch.inference_mode():
        for rows, batch in batches(data, range(len(data.tokens)), size, None):
            text, tokens = model(batch.tokens, batch.mask)
            found[rows] = text.numpy()
            for at, row in enumerate(rows):
                marks[row] = tokens[at, : len(data.tokens[row])].numpy()
    return found, marks


def save_model(model: torch.nn.Module, path: Path) -> None:
    """Write the weights as safetensors."""
    with atomic_path(path, force=True) as target:
        save_file({name: value.contiguous() for name, value in model.state_dict().items()}, target)


def load_model(model: torch.nn.Module, path: Path) -> None:
    """Read weights that :func:`save_model` wrote."""
    model.load_state_dict(load_file(path))
