"""Where a network is trained: CUDA, Apple's MPS or the CPU, and mixed precision where it helps."""

import os
from contextlib import AbstractContextManager, nullcontext

import torch

from tactful.errors import UsageError
from tactful.registry import unknown_name

DEVICES = ("auto", "cpu", "cuda", "mps")


def find_device(name: str = "auto") -> torch.device:
    """Return the device of a name; ``auto`` is the fastest that is here."""
    if name not in DEVICES:
        raise unknown_name("device", name, list(DEVICES))
    here = available()
    name = here[0] if name == "auto" else name
    if name == "cuda" in here:
        # torchrun gives each of its processes a device of its own.
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    if name not in here:
        raise UsageError(
            f"Found no device '{name}' here; expected one of {', '.join(here)}; choose another "
            "--device, or leave it out."
        )
    return torch.device(name)


def available() -> list[str]:
    """Return the devices that are here, the fastest first."""
    cuda = ["cuda"] if torch.cuda.is_available() else []
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return [*cuda, *mps, "cpu"]


def mixed_precision(device: torch.device) -> AbstractContextManager[object]:
    """Compute with bfloat16 where a CUDA device can; elsewhere with full precision.

    bfloat16 has the range of float32, so losses need no scaling.
    """
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        half: AbstractContextManager[object] = torch.autocast("cuda", dtype=torch.bfloat16)
        return half
    return nullcontext()
