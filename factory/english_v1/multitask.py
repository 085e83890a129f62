"""Learning all tasks together: soft targets, balanced sampling, layer-wise learning rates.

A run can be stopped at any time and goes on from its last checkpoint to the very same result: the
order of the batches and the dropout of each step follow from the seed and the step's number.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from factory.english_v1.batches import Batch, Encoded, batches
from tactful.files import atomic_path
from tactful.training.encoder import MultiTaskEncoder
from tactful.training.stages import hash_of, hash_of_weights

CHECKPOINT_STEPS = 200


@dataclass(frozen=True, slots=True)
class Recipe:
    """Every number that a run depends on, apart from its data."""

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
    model: MultiTaskEncoder,
    data: Encoded,
    sampler: Sampler,
    recipe: Recipe,
    folder: Path,
    on_step: Callable[[int, int, float], None] = lambda *_: None,
    on_epoch: Callable[[int], None] = lambda _: None,
) -> None:
    """Train in place; the folder keeps the checkpoint of a run that is stopped."""
    plan = [(epoch, list(sampler(epoch))) for epoch in range(recipe.epochs)]
    total = sum(math.ceil(len(rows) / recipe.batch) for _, rows in plan)
    optimiser = torch.optim.AdamW(parameter_groups(model, recipe), betas=(0.9, 0.98), eps=1e-6)
    peaks = [group["lr"] for group in optimiser.param_groups]
    about = {
        "recipe": asdict(recipe),
        "data": data.fingerprint(),
        "rows": hash_of(rows for _, rows in plan),
        "start": hash_of_weights(model.state_dict()),
    }
    done = resume_checkpoint(model, optimiser, folder, about)
    step = 0
    model.train()
    for epoch, rows in plan:
        rng = np.random.default_rng([recipe.seed, epoch])
        for _, batch in batches(data, rows, recipe.batch, rng):
            step += 1
            if step <= done:
                continue
            torch.manual_seed(recipe.seed * 1_000_003 + step)
            share = schedule(step / total, recipe.warm_up)
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * share
            loss = step_loss(model, batch, recipe)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
            optimiser.step()
            on_step(step, total, float(loss.detach()))
            if step % CHECKPOINT_STEPS == 0:
                save_checkpoint(model, optimiser, folder, about, step)
        if step > done:
            on_epoch(epoch)
            model.train()


def step_loss(model: MultiTaskEncoder, batch: Batch, recipe: Recipe) -> Tensor:
    """Return the weighted cross-entropy with the soft targets of texts and tokens."""
    text, tokens = model(batch.tokens, batch.mask)
    loss = (cross_entropy(text, batch.targets, reduction="none") * batch.weights).sum()
    loss = loss / batch.weights.sum().clamp(min=1)
    heavy = batch.token_weights.unsqueeze(-1)
    if heavy.any():
        each = cross_entropy(tokens, batch.token_targets, reduction="none")
        found = (each * heavy).sum() / (heavy.sum() * tokens.shape[-1])
        share = (batch.token_weights.amax(1) > 0).float().mean()
        loss = loss + recipe.token_loss * share * found
    return loss


def parameter_groups(model: MultiTaskEncoder, recipe: Recipe) -> list[dict[str, object]]:
    """Give lower layers lower rates; word vectors stay as they are."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    layers = int(model.body.config.num_hidden_layers)  # type: ignore[union-attr, arg-type]
    for name, parameter in model.named_parameters():
        if ".embeddings." in name or ".pooler." in name:
            parameter.requires_grad = False
            continue
        rate = recipe.head_rate
        if name.startswith("body."):
            layer = int(name.split(".layer.")[1].split(".")[0])
            rate = recipe.rate * recipe.layer_decay ** (layers - 1 - layer)
        decay = recipe.weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [
        {"params": found, "lr": rate, "weight_decay": decay}
        for (rate, decay), found in groups.items()
    ]


def predict(
    model: MultiTaskEncoder, data: Encoded, size: int = 64
) -> tuple[np.ndarray, list[np.ndarray]]:
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


def schedule(share: float, warm_up: float) -> float:
    """Return the learning rate's share: it rises to 1 and falls to 0 in straight lines."""
    if share < warm_up:
        return share / warm_up
    return max(0.0, (1 - share) / (1 - warm_up))


def _named_states(optimiser: torch.optim.Optimizer) -> Iterator[tuple[str, Tensor]]:
    number = 0
    for group in optimiser.param_groups:
        for parameter in group["params"]:
            for key, value in optimiser.state.get(parameter, {}).items():
                yield f"optimiser.{number}.{key}", value
            number += 1


def save_checkpoint(
    model: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    folder: Path,
    made_from: dict[str, Any],
    step: int,
) -> None:
    """Keep all that a run needs to go on from here."""
    tensors = {name: value.contiguous() for name, value in model.state_dict().items()}
    tensors |= dict(_named_states(optimiser))
    about = {"step": str(step), "made from": json.dumps(made_from)}
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(folder / "checkpoint.safetensors", force=True) as target:
        save_file(tensors, target, metadata=about)


def resume_checkpoint(
    model: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    folder: Path,
    made_from: dict[str, Any],
) -> int:
    """Load the last checkpoint of the same run; return how many steps it had done.

    The checkpoint of other data or settings (``made_from``) is not used, and is written over.
    """
    path = folder / "checkpoint.safetensors"
    if not path.is_file():
        return 0
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        about = file.metadata()
    if (about or {}).get("made from") != json.dumps(made_from):
        return 0
    tensors = load_file(path)
    model.load_state_dict({k: v for k, v in tensors.items() if not k.startswith("optimiser.")})
    number = 0
    for group in optimiser.param_groups:
        for parameter in group["params"]:
            prefix = f"optimiser.{number}."
            found = {k[len(prefix) :]: v for k, v in tensors.items() if k.startswith(prefix)}
            if found:
                optimiser.state[parameter] = found
            number += 1
    return int(about["step"])
