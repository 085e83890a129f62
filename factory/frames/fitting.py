"""Teaching the decoder of statements, and writing it as the two graphs that run without torch."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from factory.frames.decoder import HEADS, WIDTH, FrameDecoder, Memory, Step
from factory.frames.lessons import Batch, Lesson, States, batches, of_epoch
from factory.stages import hash_of
from tactful.frames.decoder import MEMORY_FILE, STEP_FILE
from tactful.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    OnStep,
    Steps,
    hash_of_weights,
    run_steps,
    silent,
)
from tactful.training.onnx_export import export_graph, quantise_onnx

CHECKPOINT_STEPS = 50


@dataclass(frozen=True, slots=True)
class DecoderSettings:
    """The settings of the decoder's run."""

    seed: int = 1
    epochs: int = 8
    batch: int = 64
    rate: float = 5e-4
    weight_decay: float = 0.01
    warm_up: float = 0.1
    smoothing: float = 0.1
    clip: float = 1.0
    blind: float = 0.1
    """The share of lines that are learnt without their text, so from the group alone."""
    free_every: int = 2
    """Free statements are learnt once in this many epochs: there are more of them."""


def fit_decoder(
    decoder: FrameDecoder,
    lessons: Sequence[Lesson],
    states: States,
    settings: DecoderSettings,
    folder: Path,
    on_step: OnStep = silent,
) -> None:
    """Train in place; the folder keeps the checkpoint from which a stopped run resumes."""
    optimiser = torch.optim.AdamW(
        decoder.parameters(), lr=settings.rate, weight_decay=settings.weight_decay
    )
    about = {
        "recipe": asdict(settings),
        "lessons": hash_of(lessons),
        "states": hash_of(
            part.tobytes() for part in (states.numbers, states.pieces, states.starts)
        ),
        "start": hash_of_weights(decoder.state_dict()),
    }
    checkpoint = Checkpoint(
        folder / CHECKPOINT_FILE, about, decoder.state_dict(), optimiser,
        every=CHECKPOINT_STEPS, discard_other=True,
    )  # fmt: skip
    done, *_ = checkpoint.resume()
    run_steps(
        decoder,
        checkpoint,
        range(settings.epochs),
        lambda epoch: batches(
            of_epoch(lessons, epoch, settings.free_every),
            states,
            settings.batch,
            np.random.default_rng([settings.seed, epoch]),
            settings.blind,
        ),
        lambda batch: batch_loss(decoder, batch, settings.smoothing),
        Steps(
            settings.seed,
            sum(
                ceil(len(of_epoch(lessons, epoch, settings.free_every)) / settings.batch)
                for epoch in range(settings.epochs)
            ),
            settings.warm_up,
            settings.clip,
        ),
        done=done,
        on_step=on_step,
    )
    decoder.eval()


def batch_loss(decoder: FrameDecoder, batch: Batch, smoothing: float = 0.0) -> Tensor:
    """Return the weighted mean cross-entropy of each next piece."""
    odds = decoder(batch.pieces[:, :-1], batch.states, batch.mask, batch.source)
    wanted, weights = batch.pieces[:, 1:], batch.weights[:, 1:]
    losses = cross_entropy(
        odds.reshape(-1, odds.shape[-1]),
        wanted.reshape(-1),
        reduction="none",
        label_smoothing=smoothing,
    )
    found: Tensor = (losses * weights.reshape(-1)).sum() / weights.sum()
    return found


def write_decoder(decoder: FrameDecoder, folder: Path) -> None:
    """Write both graphs with int8 weights."""
    layers = len(decoder.layers)
    long = {0: "batch", 1: "length"}
    whole = folder / "float32.onnx"
    export_graph(
        Memory(decoder),
        whole,
        Memory.INPUTS,
        Memory.OUTPUTS,
        {"states": long, "cross": {2: "batch", 4: "length"}},
        [(torch.randn(batch, length, WIDTH),) for batch, length in ((2, 7), (1, 3), (3, 20))],
        force=True,
    )
    quantise_onnx(whole, folder / MEMORY_FILE, force=True)
    export_graph(
        Step(decoder),
        whole,
        Step.INPUTS,
        Step.OUTPUTS,
        {
            "pieces": {0: "batch"},
            "place": {0: "batch"},
            "own": {2: "batch", 4: "kept"},
            "own_mask": {0: "batch", 1: "kept_and_new"},
            "cross": {2: "batch", 4: "length"},
            "mask": long,
            "states": long,
            "logits": {0: "batch"},
            "copied": long,
            "kept": {2: "batch", 4: "kept_and_new"},
        },
        [_step_example(layers, *shape) for shape in ((2, 3, 7), (1, 0, 4), (4, 6, 15))],
        force=True,
    )
    quantise_onnx(whole, folder / STEP_FILE, force=True)
    whole.unlink()


def _step_example(layers: int, batch: int, kept: int, length: int) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(batch)

    def random(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    width = WIDTH // HEADS
    return (
        torch.arange(batch),
        torch.full((batch,), kept),
        random(layers, 2, batch, HEADS, kept, width),
        torch.ones(batch, kept + 1, dtype=torch.long),
        random(layers, 2, batch, HEADS, length, width),
        torch.ones(batch, length, dtype=torch.long),
        random(batch, length, WIDTH),
    )
