"""The training loop: batches, learning-rate schedule, steps, checkpoints and exact resumption.

A model brings its optimiser, its batches and a function from a batch to its loss; the loop does
the rest. A run can be stopped at any time and resumes from its last checkpoint to exactly the same
weights: the order of the batches and the dropout of each step depend only on the seed and the
number of the step.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path
from tactful.training import together

CHECKPOINT_FILE = "checkpoint.safetensors"

Batch = TypeVar("Batch")
OnStep = Callable[[int, int, float], None]
"""Called after each step with its number, the number of all steps, and its loss."""


def silent(*_: object) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The file from which a stopped run resumes.

    path: None keeps no checkpoint. about: the run's settings and hashes of its data; a checkpoint
    with other ones is refused, or discarded with ``discard_other``. every: write a checkpoint after
    this many steps; None leaves it to the caller.
    """

    path: Path | None
    about: Mapping[str, Any]
    weights: Mapping[str, Tensor]
    """The weights of the network, by name; :meth:`resume` changes them in place."""
    optimiser: torch.optim.Optimizer
    every: int | None = None
    discard_other: bool = False

    def save(
        self,
        step: int,
        tensors: Mapping[str, Tensor] | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Write the weights, the optimiser's state, and what the caller adds."""
        if self.path is None or together.rank():
            return
        from safetensors.torch import save_file

        kept = {f"network.{k}": v.detach().contiguous() for k, v in self.weights.items()}
        for at, parameter in enumerate(self._parameters()):
            for key, value in self.optimiser.state.get(parameter, {}).items():
                kept[f"optimiser.{at}.{key}"] = value
        about = {"about": self._about(), "step": str(step), **(metadata or {})}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(self.path, force=True) as target:
            save_file({**kept, **(tensors or {})}, target, metadata=about)

    def resume(self) -> tuple[int, dict[str, Tensor], dict[str, str]]:
        """Load the checkpoint; return its step, and what the caller had added.

        Without a checkpoint the step is 0.
        """
        if self.path is None or not self.path.is_file():
            return 0, {}, {}
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, "pt") as file:
                metadata = file.metadata() or {}
                if not {"about", "step"} <= set(metadata):
                    raise ValueError("no settings")
                if metadata["about"] != self._about():
                    if self.discard_other:
                        return 0, {}, {}
                    raise UsageError(
                        f"{self.path}: found the checkpoint of other settings or other data; "
                        "expected one of this run; delete it (--fresh) to start over, or name "
                        "another folder."
                    )
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            self._load(tensors)
            return int(metadata["step"]), tensors, metadata
        except (SafetensorError, ValueError, KeyError) as error:
            raise FileFormatError(
                f"{self.path}: found an incomplete checkpoint ({error}); expected one that "
                "training wrote; delete it (--fresh) to start over."
            ) from None

    def _load(self, tensors: dict[str, Tensor]) -> None:
        """Load the weights and the optimiser's state, and take them out of ``tensors``."""
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(tensors.pop(f"network.{name}"))
        parameters = list(self._parameters())
        for name in [name for name in tensors if name.startswith("optimiser.")]:
            _, at, key = name.split(".", 2)
            parameter, value = parameters[int(at)], tensors.pop(name)
            # AdamW counts its steps on the CPU, whatever the device of the weights.
            self.optimiser.state[parameter][key] = (
                value if key == "step" else value.to(parameter.device)
            )

    def _parameters(self) -> Iterator[Tensor]:
        for group in self.optimiser.param_groups:
            yield from group["params"]

    def _about(self) -> str:
        return json.dumps(self.about, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Steps:
    """The settings of the steps, which do not depend on the model."""

    seed: int
    total: int
    """The number of steps in all epochs."""
    warm_up: float | None = None
    """The share of all steps in which the rate grows, before it falls to 0; None keeps it."""
    clip: float | None = None
    """The highest norm of the gradients."""
    keep_gradients: bool = False
    """Keep the memory of the gradients between steps: faster for large models."""


def run_steps(
    network: nn.Module,
    checkpoint: Checkpoint,
    epochs: Iterable[int],
    batches_of: Callable[[int], Iterable[Batch]],
    loss_of: Callable[[Batch], Tensor],
    steps: Steps,
    *,
    done: int = 0,
    on_step: OnStep = silent,
    on_epoch: Callable[[int, int], bool | None] = silent,
    pieces_of: Callable[[Batch], Sequence[tuple[Batch, float]]] = lambda batch: [(batch, 1.0)],
) -> None:
    """Take the steps of all epochs after the first ``done`` ones, which a checkpoint had taken.

    batches_of: returns the batches of an epoch, by its number. loss_of: returns the loss of a
    batch. on_epoch: called with the number of the epoch and of its last step, after each epoch in
    which steps were taken; training stops when it returns True. pieces_of: cuts a batch into
    pieces with their shares of the loss, whose gradients are added up: the same step with less
    memory.
    """
    optimiser = checkpoint.optimiser
    peaks = [group["lr"] for group in optimiser.param_groups]
    step = 0
    for epoch in epochs:
        network.train()
        for batch in batches_of(epoch):
            step += 1
            if step <= done:
                continue
            torch.manual_seed(together.own_seed(steps.seed * 1_000_003 + step))
            share = rate_share(step / steps.total, steps.warm_up)
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * share
            optimiser.zero_grad(set_to_none=not steps.keep_gradients)
            taken = 0.0
            for piece, part in together.own_share(list(pieces_of(batch))):
                loss = loss_of(piece) * part
                loss.backward()
                taken += float(loss.detach())
            together.add_gradients(network)
            if steps.clip is not None:
                torch.nn.utils.clip_grad_norm_(network.parameters(), steps.clip)
            optimiser.step()
            on_step(step, steps.total, taken)
            if checkpoint.every is not None and step % checkpoint.every == 0:
                checkpoint.save(step)
        if step > done and on_epoch(epoch, step):
            break


def rate_share(done: float, warm_up: float | None) -> float:
    """Return the share of the peak learning rate after a share of the steps.

    It rises to 1 during the warm-up and then falls to 0, both in straight lines; without a warm-up
    it stays 1.
    """
    if warm_up is None:
        return 1.0
    return done / warm_up if done < warm_up else max(0.0, (1 - done) / (1 - warm_up))


def length_batches(
    lengths: Sequence[int],
    chosen: Sequence[int] | np.ndarray,
    size: int,
    rng: np.random.Generator | None,
    pool_size: int = 40,
) -> Iterator[list[int]]:
    """Yield the chosen rows in batches of similar length, in random order with ``rng``.

    Batches are cut from pools of ``pool_size`` batches, sorted by length, so that little is
    padding.
    """
    order = np.asarray(chosen) if rng is None else rng.permutation(np.asarray(chosen))
    cut: list[list[int]] = []
    for start in range(0, len(order), size * pool_size):
        pool = [int(row) for row in order[start : start + size * pool_size]]
        pool.sort(key=lambda row: lengths[row])
        cut += [pool[at : at + size] for at in range(0, len(pool), size)]
    yield from cut if rng is None else (cut[at] for at in rng.permutation(len(cut)))


def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> tuple[Tensor, Tensor]:
    """Return rows of tokens as one table, and its mask."""
    width = max(len(row) for row in rows)
    tokens = torch.full((len(rows), width), fill, dtype=torch.int64)
    mask = torch.zeros_like(tokens)
    for at, row in enumerate(rows):
        tokens[at, : len(row)] = torch.tensor(row)
        mask[at, : len(row)] = 1
    return tokens, mask


def hash_of_weights(weights: Mapping[str, Tensor]) -> str:
    """Return a hash of a network's ``state_dict()``: a run resumes only from the same start."""
    found = sha256()
    for name, value in weights.items():
        found.update(f"{name} {tuple(value.shape)} {value.dtype}".encode())
        found.update(value.detach().cpu().contiguous().numpy().tobytes())
    return found.hexdigest()
