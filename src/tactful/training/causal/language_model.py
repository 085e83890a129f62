"""Fine-tuning a causal language model on lines of frames (Sap et al. 2020, sections 4 and 4.2).

A run can be stopped at any time and goes on from its last checkpoint to the very same result: the
order of the lines and the dropout of each step follow from the seed and the step's number.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path
from tactful.frames.linearise import special_tokens
from tactful.training.causal.data import UNLEARNT, Line, batches, fingerprint, padded
from tactful.training.stages import hash_of_weights

CHECKPOINT_FILE = "checkpoint.safetensors"
CHECKPOINT_STEPS = 100
PAPER_RATE = 1e-5
LORA_RATE = 2e-4
"""Adapters are few and begin at nothing: they need a higher rate than whole models."""

OnStep = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Every number that a run depends on, apart from its data; the defaults are the paper's."""

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
    plan: Plan,
    folder: Path | None = None,
    on_step: OnStep = lambda *_: None,
) -> Any:
    """Train and return the model; ``folder`` keeps the checkpoint of a run that is stopped.

    Adapters (``plan.lora``) are merged into the weights at the end.
    """
    if not lines:
        raise UsageError("Found no line to learn from; expected at least 1.")
    torch.manual_seed(plan.seed)
    learner = with_adapters(model, tokenizer, plan.rank) if plan.lora else model
    learnt = {name: each for name, each in learner.named_parameters() if each.requires_grad}
    optimiser = torch.optim.AdamW(list(learnt.values()), lr=plan.rate, weight_decay=0.0, fused=True)
    about = {
        "plan": asdict(plan),
        "data": fingerprint(lines),
        "start": None if folder is None else hash_of_weights(learner.state_dict()),
    }
    path = None if folder is None else folder / CHECKPOINT_FILE
    done = _resume(path, learnt, optimiser, about)
    total = plan.epochs * math.ceil(len(lines) / plan.batch)
    learner.train()
    for step, rows in _steps(lines, plan):
        if step <= done:
            continue
        torch.manual_seed(plan.seed * 1_000_003 + step)
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * _schedule(step / total, plan.warm_up)
        loss = line_losses(learner, [lines[row] for row in rows]).mean()
        # Gradients keep their memory: giving 0.5 GB back and asking for it again takes longer.
        optimiser.zero_grad(set_to_none=False)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learnt.values(), plan.clip)
        optimiser.step()
        on_step(step, total, float(loss.detach()))
        if path is not None and step % CHECKPOINT_STEPS == 0 and step < total:
            _save(path, learnt, optimiser, about, step)
    learner.eval()
    return learner.merge_and_unload() if plan.lora else learner


def line_losses(model: Any, lines: Sequence[Line]) -> Tensor:
    """Return the loss of each line: the mean over the tokens that are learnt (equation of L)."""
    table = padded(lines)
    logits = model(input_ids=table["tokens"], attention_mask=table["mask"], use_cache=False).logits
    labels = table["labels"][:, 1:]
    losses = cross_entropy(
        logits[:, :-1].flatten(0, 1), labels.flatten(), ignore_index=UNLEARNT, reduction="none"
    ).view_as(labels)
    means: Tensor = losses.sum(dim=1) / (labels != UNLEARNT).sum(dim=1).clamp(min=1)
    return means


def mean_loss(model: Any, lines: Sequence[Line], size: int = 8) -> float:
    """Return the mean loss of lines that are not learnt from."""
    model.eval()
    with torch.inference_mode():
        losses = [
            line_losses(model, [lines[row] for row in rows]) for rows in batches(lines, size, None)
        ]
    return float(torch.cat(losses).mean())


def with_adapters(model: Any, tokenizer: Any, rank: int) -> Any:
    """Return the model with low-rank adapters; beside them only the new tokens are learnt."""
    try:
        peft: Any = import_module("peft")
    except ImportError:
        raise UsageError(
            "Training with --lora needs peft; install it with: pip install peft"
        ) from None
    from transformers.pytorch_utils import Conv1D

    new = sorted(tokenizer.convert_tokens_to_ids(special_tokens()))
    config = peft.LoraConfig(
        task_type="CAUSAL_LM",
        r=rank,
        lora_alpha=2 * rank,
        lora_dropout=0.0,
        target_modules="all-linear",
        # GPT-2 keeps its weights the other way round.
        fan_in_fan_out=any(isinstance(each, Conv1D) for each in model.modules()),
        trainable_token_indices=new,
    )
    return peft.get_peft_model(model, config)


def _steps(lines: Sequence[Line], plan: Plan) -> Iterator[tuple[int, list[int]]]:
    step = 0
    for epoch in range(plan.epochs):
        rng = np.random.default_rng([plan.seed, epoch])
        for rows in batches(lines, plan.batch, rng):
            step += 1
            yield step, rows


def _schedule(done: float, warm_up: float) -> float:
    return done / warm_up if done < warm_up else max(0.0, (1 - done) / (1 - warm_up))


def _save(
    path: Path,
    learnt: dict[str, Tensor],
    optimiser: torch.optim.Optimizer,
    about: dict[str, Any],
    step: int,
) -> None:
    from safetensors.torch import save_file

    tensors = {f"model.{name}": each.detach().contiguous() for name, each in learnt.items()}
    for name, each in learnt.items():
        for key, value in optimiser.state[each].items():
            tensors[f"optimiser.{key}.{name}"] = value
    metadata = {"about": json.dumps(about, sort_keys=True), "step": str(step)}
    with atomic_path(path, force=True) as target:
        save_file(tensors, target, metadata=metadata)


def _resume(
    path: Path | None,
    learnt: dict[str, Tensor],
    optimiser: torch.optim.Optimizer,
    about: dict[str, Any],
) -> int:
    """Take up the checkpoint, if there is one; return how many steps it had done."""
    if path is None or not path.is_file():
        return 0
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            kept = file.metadata() or {}
            if not {"about", "step"} <= set(kept):
                raise ValueError("no settings")
            if json.loads(kept["about"]) != json.loads(json.dumps(about)):
                raise UsageError(
                    f"{path}: found the checkpoint of other settings or other data; expected one "
                    "of this run; start anew with --fresh or name another folder."
                )
            names = list(file.keys())
            with torch.no_grad():
                for name, each in learnt.items():
                    each.copy_(file.get_tensor(f"model.{name}"))
            for key in {name.split(".")[1] for name in names if name.startswith("optimiser.")}:
                for name, each in learnt.items():
                    optimiser.state[each][key] = file.get_tensor(f"optimiser.{key}.{name}")
            return int(kept["step"])
    except (SafetensorError, ValueError) as error:
        raise FileFormatError(
            f"{path}: found no whole checkpoint ({error}); expected one that training wrote; "
            "start anew with --fresh."
        ) from None
