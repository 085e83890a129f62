"""One training run: soft targets with blanks, batches of like length, exact resumption.

A run can be stopped at any time and goes on from its last checkpoint to the very same result: the
order of the batches and the dropout of each step follow from the seed and the step's number. A
checkpoint of other data or other settings is refused.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from factory.network import Network, parameter_groups
from tactful.errors import UsageError
from tactful.files import atomic_path

CHECKPOINT = "checkpoint.safetensors"
CHECKPOINT_STEPS = 100
_POOL = 40
"""Batches are cut from pools of this many batches, sorted by length, so that little is padding."""

Marks = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Settings:
    """Every number that a run depends on, apart from its data."""

    seed: int = 1
    epochs: int = 1
    batch: int = 32
    max_tokens: int = 128
    rate: float = 5e-5
    head_rate: float = 1e-3
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    warm_up: float = 0.06
    token_loss: float = 0.3
    clip: float = 1.0
    bfloat16: bool = False
    """Multiply matrices in bfloat16: faster on processors that have it, less exact elsewhere."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Texts as tokens; a weight of 0 says that there is no target."""

    tokens: list[list[int]]
    targets: np.ndarray
    weights: np.ndarray
    token_targets: list[np.ndarray | None]
    """One row a token and one column a token output; NaN where nobody looked."""

    def fingerprint(self) -> str:
        """Return a hash: equal lessons, equal hash."""
        digest = sha256(self.targets.tobytes())
        digest.update(self.weights.tobytes())
        for row, marks in zip(self.tokens, self.token_targets, strict=True):
            digest.update(np.array([len(row), *row], dtype=np.int64).tobytes())
            digest.update(b"" if marks is None else marks.tobytes())
        return digest.hexdigest()


Sampler = Callable[[int], Sequence[int]]
"""Which rows an epoch sees, by its number."""
OnStep = Callable[[int, int, float], None]


def load_tokenizer(folder: Path, max_tokens: int) -> Tokenizer:
    """Read the tokenizer of an encoder."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def mark_tokens(
    marks: Marks, offsets: Sequence[tuple[int, int]], outputs: Sequence[str]
) -> np.ndarray:
    """Return 1 for each token inside a marked place, 0 outside, NaN for what nobody judged."""
    found = np.full((len(offsets), len(outputs)), np.nan, dtype=np.float32)
    for column, name in enumerate(outputs):
        if name in marks:
            found[:, column] = [
                float(any(start < right and left < end for left, right in marks[name]))
                if start < end
                else np.nan
                for start, end in offsets
            ]
    return found


def train(
    network: Network,
    data: Lessons,
    sampler: Sampler,
    settings: Settings,
    folder: Path,
    on_step: OnStep = lambda *_: None,
) -> None:
    """Train in place; the folder keeps the checkpoint."""
    plan = [list(sampler(epoch)) for epoch in range(settings.epochs)]
    total = sum(math.ceil(len(rows) / settings.batch) for rows in plan)
    groups = parameter_groups(
        network, settings.rate, settings.head_rate, settings.layer_decay, settings.weight_decay
    )
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6)
    peaks = [group["lr"] for group in optimiser.param_groups]
    about = json.dumps({"settings": asdict(settings), "data": data.fingerprint()}, sort_keys=True)
    done = _resume(network, optimiser, folder, about)
    step = 0
    network.train()
    for epoch, rows in enumerate(plan):
        rng = np.random.default_rng([settings.seed, epoch])
        for batch in _batches(data.tokens, rows, settings.batch, rng):
            step += 1
            if step <= done:
                continue
            torch.manual_seed(settings.seed * 1_000_003 + step)
            share = _rate_share(step / total, settings.warm_up)
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * share
            loss = _loss(network, data, batch, settings)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
            optimiser.step()
            on_step(step, total, float(loss.detach()))
            if step % CHECKPOINT_STEPS == 0 or step == total:
                _save(network, optimiser, folder, about, step)


def predict(network: Network, tokens: Sequence[Sequence[int]], size: int = 64) -> np.ndarray:
    """Return the logits of each text and output."""
    network.eval()
    found: np.ndarray | None = None
    with torch.inference_mode():
        for rows in _batches(tokens, range(len(tokens)), size, None):
            logits = network(*_padded(tokens, rows))[0].numpy()
            if found is None:
                found = np.zeros((len(tokens), logits.shape[1]), dtype=np.float32)
            found[rows] = logits
    return np.zeros((0, 0), dtype=np.float32) if found is None else found


def _loss(network: Network, data: Lessons, rows: Sequence[int], settings: Settings) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
        texts, tokens = network(*_padded(data.tokens, rows))
    texts, tokens = texts.float(), tokens.float()
    weights = torch.from_numpy(data.weights[rows])
    each = cross_entropy(texts, torch.from_numpy(data.targets[rows]), reduction="none")
    loss = (each * weights).sum() / len(rows)
    marked = [
        (at, found) for at, row in enumerate(rows) if (found := data.token_targets[row]) is not None
    ]
    if marked:
        parts = []
        for at, found in marked:
            target = torch.from_numpy(found)
            judged = ~torch.isnan(target)
            if judged.any():
                parts.append(cross_entropy(tokens[at, : len(found)][judged], target[judged]))
        if parts:
            loss = loss + settings.token_loss * torch.stack(parts).sum() / len(rows)
    return loss


def _padded(tokens: Sequence[Sequence[int]], rows: Sequence[int]) -> tuple[Tensor, Tensor]:
    width = max(len(tokens[row]) for row in rows)
    table = torch.zeros((len(rows), width), dtype=torch.int64)
    mask = torch.zeros_like(table)
    for at, row in enumerate(rows):
        table[at, : len(tokens[row])] = torch.tensor(tokens[row])
        mask[at, : len(tokens[row])] = 1
    return table, mask


def _batches(
    tokens: Sequence[Sequence[int]],
    chosen: Sequence[int],
    size: int,
    rng: np.random.Generator | None,
) -> Iterator[list[int]]:
    order = np.asarray(chosen) if rng is None else rng.permutation(np.asarray(chosen))
    cut: list[list[int]] = []
    for start in range(0, len(order), size * _POOL):
        pool = [int(row) for row in order[start : start + size * _POOL]]
        pool.sort(key=lambda row: len(tokens[row]))
        cut += [pool[at : at + size] for at in range(0, len(pool), size)]
    yield from cut if rng is None else (cut[at] for at in rng.permutation(len(cut)))


def _rate_share(done: float, warm_up: float) -> float:
    """Return the share of the peak rate: it rises to 1 and falls to 0 in straight lines."""
    return done / warm_up if done < warm_up else max(0.0, (1 - done) / (1 - warm_up))


def _save(
    network: Network, optimiser: torch.optim.Optimizer, folder: Path, about: str, step: int
) -> None:
    tensors = {f"network.{k}": v.contiguous() for k, v in network.state_dict().items()}
    for at, parameter in enumerate(_parameters(optimiser)):
        for key, value in optimiser.state.get(parameter, {}).items():
            tensors[f"optimiser.{at}.{key}"] = value
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(folder / CHECKPOINT, force=True) as target:
        save_file(tensors, target, metadata={"about": about, "step": str(step)})


def _resume(network: Network, optimiser: torch.optim.Optimizer, folder: Path, about: str) -> int:
    path = folder / CHECKPOINT
    if not path.is_file():
        return 0
    with safe_open(path, "pt") as file:
        known = file.metadata()
    if known["about"] != about:
        raise UsageError(
            f"{path}: found a checkpoint of other data or other settings; remove the folder to "
            "train again, or name another work folder."
        )
    tensors = load_file(path)
    body = {k.removeprefix("network."): v for k, v in tensors.items() if k.startswith("network.")}
    network.load_state_dict(body)
    for at, parameter in enumerate(_parameters(optimiser)):
        prefix = f"optimiser.{at}."
        found = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
        if found:
            optimiser.state[parameter] = found
    return int(known["step"])


def _parameters(optimiser: torch.optim.Optimizer) -> Iterator[Tensor]:
    for group in optimiser.param_groups:
        yield from group["params"]
