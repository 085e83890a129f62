"""Epochs over labelled texts: class weights, balanced sampling, early stopping, held-out loss."""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from tactful.errors import UsageError
from tactful.training import together
from tactful.training.devices import find_device, mixed_precision
from tactful.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    OnStep,
    Steps,
    hash_of_weights,
    length_batches,
    padded,
    run_steps,
    silent,
)

HEAVIEST = 100.0
"""The highest class weight: one text must not outweigh all others."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run."""

    seed: int = 1
    epochs: int = 10
    batch: int = 32
    rate: float = 2e-5
    warm_up: float | None = None
    """The share of all steps in which the rate grows, before it falls to 0; None keeps it."""
    weight_decay: float = 0.0
    clip: float | None = None
    patience: int | None = None
    """Stop after this many epochs without a lower held-out loss; None runs all epochs."""
    class_weight: str | None = None
    """``balanced``: the positives of a label weigh as much as its negatives."""
    sampling: str | None = None
    """``balanced``: an epoch has as many texts with a label as texts without one."""
    device: str = "auto"
    """``auto``, ``cpu``, ``cuda`` or ``mps``."""
    accumulate: int = 1
    """Compute each batch in this many pieces: the same steps with less memory."""

    def __post_init__(self) -> None:
        for name, value in (("class_weight", self.class_weight), ("sampling", self.sampling)):
            if value not in (None, "balanced"):
                raise UsageError(f"Found {name}={value!r}; expected 'balanced' or None.")
        counts = {"epochs": self.epochs, "batch": self.batch, "accumulate": self.accumulate}
        for name, number in counts.items():
            if number < 1:
                raise UsageError(f"Found {name}={number}; expected at least 1.")


@dataclass(frozen=True, slots=True)
class LabelledTokens:
    """Texts as token ids, and 0 or 1 for each text and label."""

    tokens: Sequence[Sequence[int]]
    labels: np.ndarray

    def fingerprint(self) -> str:
        """Return a hash: equal data, equal hash."""
        digest = sha256(np.ascontiguousarray(self.labels, dtype=np.float32).tobytes())
        for row in self.tokens:
            digest.update(np.array([len(row), *row], dtype=np.int64).tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Epoch:
    """The result of an epoch."""

    number: int
    epochs: int
    loss: float
    held_out_loss: float | None
    seconds: float


OnEpoch = Callable[[Epoch], None]


def run_epochs(
    network: nn.Module,
    data: LabelledTokens,
    held_out: LabelledTokens | None,
    plan: Plan,
    folder: Path | None = None,
    on_epoch: OnEpoch = silent,
    on_step: OnStep = silent,
    watch: Callable[[np.ndarray], None] | None = None,
) -> list[Epoch]:
    """Train in place and return all epochs; with ``patience`` the best weights are kept.

    ``watch`` is called after each epoch with the log-odds of all texts that are learnt.

    A folder keeps a checkpoint after each epoch; one of another plan or other data is a
    :class:`UsageError`.
    """
    if plan.patience is not None and held_out is None:
        raise UsageError("Found a patience and no held-out texts; expected some to watch.")
    device = find_device(plan.device)
    network.to(device)
    learnt = {name: each for name, each in network.named_parameters() if each.requires_grad}
    optimiser = torch.optim.AdamW(learnt.values(), lr=plan.rate, weight_decay=plan.weight_decay)
    about = {
        # A run may be resumed on another device.
        "plan": {name: value for name, value in asdict(plan).items() if name != "device"},
        "data": data.fingerprint(),
        "held out": None if held_out is None else held_out.fingerprint(),
        "start": None if folder is None else hash_of_weights(network.state_dict()),
    }
    checkpoint = Checkpoint(
        None if folder is None else folder / CHECKPOINT_FILE, about, learnt, optimiser
    )
    done, best, kept = checkpoint.resume()
    history = [Epoch(**epoch) for epoch in json.loads(kept.get("history", "[]"))]
    weights = _class_weights(data.labels).to(device) if plan.class_weight else None
    losses: list[tuple[float, int]] = []
    began = time.monotonic()

    def loss_of(rows: list[int]) -> Tensor:
        with mixed_precision(device):
            logits = _logits(network, [data.tokens[row] for row in rows], device)
        truth = torch.from_numpy(data.labels[rows]).to(device)
        loss = cross_entropy(logits.float(), truth, pos_weight=weights)
        losses.append((float(loss.detach()), len(rows)))
        return loss

    def end_epoch(number: int, step: int) -> bool:
        nonlocal best, began
        sums = [sum(loss * texts for loss, texts in losses), sum(texts for _, texts in losses)]
        lost, seen = together.total(sums, device)
        held_out_loss = None if held_out is None else evaluate(network, held_out, plan.batch)
        history.append(
            Epoch(number, plan.epochs, lost / seen, held_out_loss, time.monotonic() - began)
        )
        if plan.patience is not None and _best(history) == number:
            best = {f"best.{name}": each.detach().clone() for name, each in learnt.items()}
        checkpoint.save(step, best, {"history": json.dumps([asdict(each) for each in history])})
        if watch is not None:
            watch(predict_logits(network, data.tokens, data.labels.shape[1], plan.batch))
        on_epoch(history[-1])
        losses.clear()
        began = time.monotonic()
        return _is_over(history, plan.patience)

    if not _is_over(history, plan.patience):
        per_epoch = math.ceil(len(_chosen(data, plan, 0)) / plan.batch)
        steps = Steps(plan.seed, plan.epochs * per_epoch, plan.warm_up, plan.clip)
        run_steps(
            network,
            checkpoint,
            range(1, plan.epochs + 1),
            lambda number: _batches(data, plan, number),
            loss_of,
            steps,
            done=done,
            on_step=on_step,
            on_epoch=end_epoch,
            pieces_of=lambda rows: _pieces(rows, plan.accumulate * together.processes()),
        )
    with torch.no_grad():
        for name, value in best.items():
            learnt[name.removeprefix("best.")].copy_(value)
    network.cpu()
    return history


def _pieces(rows: list[int], number: int) -> list[tuple[list[int], float]]:
    size = math.ceil(len(rows) / number)
    cut = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [(piece, len(piece) / len(rows)) for piece in cut]


def _logits(network: nn.Module, tokens: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    found: Tensor = network(*(each.to(device) for each in padded(tokens)))
    return found


def evaluate(network: nn.Module, data: LabelledTokens, size: int) -> float:
    """Return the mean cross-entropy on held-out texts."""
    logits = torch.from_numpy(predict_logits(network, data.tokens, data.labels.shape[1], size))
    return float(cross_entropy(logits, torch.from_numpy(data.labels)))


def predict_logits(
    network: nn.Module, tokens: Sequence[Sequence[int]], ids: int, size: int = 32
) -> np.ndarray:
    """Return the log-odds of each text and label, computed where the network is."""
    network.eval()
    device = next((each.device for each in network.parameters()), torch.device("cpu"))
    found = np.zeros((len(tokens), ids), dtype=np.float32)
    with torch.inference_mode():
        for rows in length_batches([len(row) for row in tokens], range(len(tokens)), size, None):
            logits = _logits(network, [tokens[row] for row in rows], device)
            found[rows] = logits.float().cpu().numpy()
    return found


def _chosen(data: LabelledTokens, plan: Plan, number: int) -> np.ndarray:
    """Return the rows that an epoch sees."""
    everything = np.arange(len(data.tokens))
    if plan.sampling is None:
        return everything
    marked = data.labels.any(axis=1)
    groups = [rows for rows in (everything[marked], everything[~marked]) if len(rows)]
    rng = np.random.default_rng([plan.seed, number, 1])
    share = math.ceil(len(everything) / len(groups))
    return np.concatenate([rng.choice(rows, share, replace=len(rows) < share) for rows in groups])


def _class_weights(labels: np.ndarray) -> Tensor:
    yes = labels.sum(axis=0)
    weights = (len(labels) - yes) / np.maximum(yes, 1)
    return torch.from_numpy(np.clip(weights, 1 / HEAVIEST, HEAVIEST).astype(np.float32))


def _batches(data: LabelledTokens, plan: Plan, number: int) -> Iterator[list[int]]:
    """Yield the batches of an epoch."""
    rng = np.random.default_rng([plan.seed, number])
    return length_batches(
        [len(row) for row in data.tokens], _chosen(data, plan, number), plan.batch, rng
    )


def _best(history: Sequence[Epoch]) -> int:
    return min(history, key=lambda epoch: epoch.held_out_loss or 0.0).number


def _is_over(history: Sequence[Epoch], patience: int | None) -> bool:
    return bool(history) and patience is not None and len(history) - _best(history) >= patience
