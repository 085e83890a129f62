"""Teaching the decoder of statements, and writing it as the two graphs that run without torch."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from factory.english_v1.multitask import resume_checkpoint, save_checkpoint, schedule
from factory.frames.decoder import HEADS, WIDTH, FrameDecoder, Memory, Step
from factory.frames.lessons import Batch, Lesson, States, batches
from tactful.frames.decoder import MEMORY_FILE, STEP_FILE
from tactful.training.onnx_export import export_graph, quantise_onnx
from tactful.training.stages import hash_of, hash_of_weights

CHECKPOINT_STEPS = 100


@dataclass(frozen=True, slots=True)
class DecoderRecipe:
    """Every number that the decoder's run depends on, apart from its data."""

    seed: int = 1
    epochs: int = 3
    batch: int = 48
    rate: float = 5e-4
    weight_decay: float = 0.01
    warm_up: float = 0.1
    smoothing: float = 0.1
    clip: float = 1.0


def fit_decoder(
    decoder: FrameDecoder,
    lessons: Sequence[Lesson],
    states: States,
    recipe: DecoderRecipe,
    folder: Path,
    on_step: Callable[[int, int, float], None] = lambda *_: None,
) -> None:
    """Train in place; the folder keeps checkpoints, from which a stopped run goes on."""
    optimiser = torch.optim.AdamW(
        decoder.parameters(), lr=recipe.rate, weight_decay=recipe.weight_decay
    )
    about = {
        "recipe": asdict(recipe),
        "lessons": hash_of(lessons),
        "states": hash_of([states.numbers.tobytes(), states.starts.tobytes()]),
        "start": hash_of_weights(decoder.state_dict()),
    }
    done = resume_checkpoint(decoder, optimiser, folder, about)
    total = recipe.epochs * _steps(len(lessons), recipe.batch)
    step = 0
    decoder.train()
    for epoch in range(recipe.epochs):
        rng = np.random.default_rng([recipe.seed, epoch])
        for batch in batches(lessons, states, recipe.batch, rng):
            step += 1
            if step <= done:
                continue
            torch.manual_seed(recipe.seed * 1_000_003 + step)
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * schedule(step / total, recipe.warm_up)
            loss = batch_loss(decoder, batch, recipe.smoothing)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(decoder.parameters(), recipe.clip)
            optimiser.step()
            on_step(step, total, float(loss.detach()))
            if step % CHECKPOINT_STEPS == 0:
                save_checkpoint(decoder, optimiser, folder, about, step)
    decoder.eval()


def _steps(lessons: int, batch: int) -> int:
    """Return how many batches an epoch has: the pools that batches are cut from are multiples."""
    return ceil(lessons / batch)


def batch_loss(decoder: FrameDecoder, batch: Batch, smoothing: float = 0.0) -> Tensor:
    """Return the weighted mean of how surprising each next piece is."""
    odds = decoder(batch.pieces[:, :-1], batch.states, batch.mask)
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
            "logits": {0: "batch"},
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
    )
