"""Several processes that train one network: ``torchrun --nproc-per-node N -m tactful train …``.

Every process has the network and all texts, computes its share of each batch, and adds up the
gradients with the others, so that all take the same step. Only the first one writes.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import torch
from torch import distributed, nn

_RANK_SEED = 7_919


def _connected() -> bool:
    return bool(distributed.is_available() and distributed.is_initialized())


def processes() -> int:
    """Return how many processes train together."""
    return distributed.get_world_size() if _connected() else 1


def rank() -> int:
    """Return the number of this process; the first is 0."""
    return distributed.get_rank() if _connected() else 0


@contextmanager
def joined() -> Iterator[bool]:
    """Connect the processes that torchrun started; say whether this is the first one."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield True
        return
    # Optimisers import this. Imported after the start, it holds the group beyond its end, and
    # threads of the group that outlive Python abort the process.
    import_module("torch._dynamo")
    distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield rank() == 0
    finally:
        distributed.destroy_process_group()


def own_share(pieces: list[Any]) -> list[Any]:
    """Return the pieces of a batch that this process computes."""
    return pieces[rank() :: processes()]


def own_seed(seed: int) -> int:
    """Return a seed that no two processes share, for dropout."""
    return seed + rank() * _RANK_SEED


def add_gradients(network: nn.Module) -> None:
    """Add up what all processes found; one without a share of the batch adds nothing."""
    if processes() > 1:
        for each in network.parameters():
            if each.requires_grad:
                each.grad = torch.zeros_like(each) if each.grad is None else each.grad
                distributed.all_reduce(each.grad)


def total(numbers: list[float], device: torch.device) -> list[float]:
    """Return the sums of numbers over all processes."""
    if processes() == 1:
        return numbers
    found = torch.tensor(numbers, dtype=torch.float32, device=device)
    distributed.all_reduce(found)
    return [float(each) for each in found]
