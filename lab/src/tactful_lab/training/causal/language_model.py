"""Fine-tuning a causal language model on lines of frames (Sap et al. 2020, sections 4 and 4.2)."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from tactful.errors import UsageError
from tactful.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    OnStep,
    Steps,
    hash_of_weights,
    run_steps,
    silent,
)
from tactful_lab.frames.linearise import special_tokens
from tactful_lab.training.adapters import with_adapters
from tactful_lab.training.causal.data import UNLEARNT, Line, batches, fingerprint, padded_lines

CHECKPOINT_STEPS = 100
PAPER_RATE = 1e-5
LORA_RATE = 2e-4
"""Adapters have few weights, which start at 0: they need a higher rate than whole models."""


@dataclass(frozen=True, slots=True)
class CausalPlan:
    """The settings of a run; the defaults are the paper's."""

    seed: int = 1
    epochs: int = 1
    """The paper tries 1, 2 and 5."""
    batch: int = 4
    rate: float = PAPER_RATE
    warm_up: float = 0.1
    """The share of all steps in which the rate grows linearly, before it falls to 0."""
    clip: float = 1.0
    lora: bool = False
    rank: int = 8
    """Of the adapters."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "rank"):
            if getattr(self, name) < 1:
                raise UsageError(f"Found {name}={getattr(self, name)}; expected at least 1.")
        if not self.rate > 0:
            raise UsageError(f"Found rate={self.rate:g}; expected more than 0.")
        if not 0 < self.warm_up < 1:
            raise UsageError(f"Found warm_up={self.warm_up:g}; expected more than 0, below 1.")


def train_causal(
    model: Any,
    tokenizer: Any,
    lines: Sequence[Line],
    plan: CausalPlan,
    folder: Path | None = None,
    on_step: OnStep = silent,
) -> Any:
    """Train and return the model; ``folder`` keeps the checkpoint of a run that is stopped.

    Adapters (``plan.lora``) are merged into the weights at the end.
    """
    if not lines:
        raise UsageError("Found no line to learn from; expected at least 1.")
    torch.manual_seed(plan.seed)
    learner = _with_adapters(model, tokenizer, plan.rank) if plan.lora else model
    learnt = {name: each for name, each in learner.named_parameters() if each.requires_grad}
    optimiser = torch.optim.AdamW(list(learnt.values()), lr=plan.rate, weight_decay=0.0, fused=True)
    about = {
        "plan": asdict(plan),
        "data": fingerprint(lines),
        "start": None if folder is None else hash_of_weights(learner.state_dict()),
    }
    path = None if folder is None else folder / CHECKPOINT_FILE
    checkpoint = Checkpoint(path, about, learnt, optimiser, every=CHECKPOINT_STEPS)
    done, *_ = checkpoint.resume()
    run_steps(
        learner,
        checkpoint,
        range(plan.epochs),
        lambda epoch: batches(lines, plan.batch, np.random.default_rng([plan.seed, epoch])),
        lambda rows: line_losses(learner, [lines[row] for row in rows]).mean(),
        Steps(
            plan.seed,
            plan.epochs * math.ceil(len(lines) / plan.batch),
            plan.warm_up,
            plan.clip,
            keep_gradients=True,
        ),
        done=done,
        on_step=on_step,
    )
    learner.eval()
    return learner.merge_and_unload() if plan.lora else learner


def line_losses(model: Any, lines: Sequence[Line]) -> Tensor:
    """Return the loss of each line: the mean over the tokens that are learnt (equation of L)."""
    table = padded_lines(lines)
    logits = model(input_ids=table["tokens"], attention_mask=table["mask"], use_cache=False).logits
    labels = table["labels"][:, 1:]
    losses = cross_entropy(
        logits[:, :-1].flatten(0, 1), labels.flatten(), ignore_index=UNLEARNT, reduction="none"
    ).view_as(labels)
    means: Tensor = losses.sum(dim=1) / (labels != UNLEARNT).sum(dim=1).clamp(min=1)
    return means


def mean_loss(model: Any, lines: Sequence[Line], size: int = 8) -> float:
    """Return the mean loss of held-out lines."""
    model.eval()
    with torch.inference_mode():
        losses = [
            line_losses(model, [lines[row] for row in rows]) for rows in batches(lines, size, None)
        ]
    return float(torch.cat(losses).mean())


def _with_adapters(model: Any, tokenizer: Any, rank: int) -> Any:
    """Return the model with low-rank adapters; beside them only the new tokens are learnt."""
    from transformers.pytorch_utils import Conv1D

    return with_adapters(
        model,
        rank,
        "--lora",
        task_type="CAUSAL_LM",
        # GPT-2 keeps its weights the other way round.
        fan_in_fan_out=any(isinstance(each, Conv1D) for each in model.modules()),
        trainable_token_indices=sorted(tokenizer.convert_tokens_to_ids(special_tokens())),
    )
