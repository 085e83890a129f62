"""Epochs over labelled texts: batches, early stopping, and a checkpoint after each.

A run can be stopped at any time and goes on from its last epoch to the very same result: the order
of the texts and the dropout of each step follow from the seed and the step's number.
"""

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

from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path
from tactful.training.stages import hash_of_weights

CHECKPOINT_FILE = "checkpoint.safetensors"
HEAVIEST = 100.0
"""A class weights at most so much: one text must not be the whole lesson."""
_POOL = 40
"""Batches are cut from pools of so many batches, sorted by length, so that little is padding."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Every number that a run depends on, apart from its data."""

    seed: int = 1
    epochs: int = 10
    batch: int = 32
    rate: float = 2e-5
    warm_up: float | None = None
    """The share of all steps in which the rate grows, before it falls to 0; None keeps it."""
    weight_decay: float = 0.0
    clip: float | None = None
    patience: int | None = None
    """How many epochs may pass without a lower loss on held-out texts; None runs all epochs."""
    class_weight: str | None = None
    """``balanced``: the yeses of an id count as much as its noes."""
    sampling: str | None = None
    """``balanced``: an epoch sees as many texts with a label as texts without any."""

    def __post_init__(self) -> None:
        for name, value in (("class_weight", self.class_weight), ("sampling", self.sampling)):
            if value not in (None, "balanced"):
                raise UsageError(f"Found {name}={value!r}; expected 'balanced' or None.")
        for name, number in (("epochs", self.epochs), ("batch", self.batch)):
            if number < 1:
                raise UsageError(f"Found {name}={number}; expected at least 1.")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as numbers of tokens, and 0 or 1 for each text and id."""

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
    """What is known when an epoch ends."""

    number: int
    epochs: int
    loss: float
    held_out_loss: float | None
    seconds: float


OnEpoch = Callable[[Epoch], None]
OnStep = Callable[[int, int], None]


def silent(*_: object) -> None:
    """Say nothing about an epoch or a step."""


def run_epochs(
    network: nn.Module,
    data: Encoded,
    held_out: Encoded | None,
    plan: Plan,
    folder: Path | None = None,
    on_epoch: OnEpoch = silent,
    on_step: OnStep = silent,
) -> list[Epoch]:
    """Train in place and return all epochs; with ``patience`` the best weights are kept.

    A folder keeps the checkpoint; one of another plan or other data is a :class:`UsageError`.
    """
    if plan.patience is not None and held_out is None:
        raise UsageError("Found a patience and no held-out texts; expected some to watch.")
    parameters = [each for each in network.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=plan.rate, weight_decay=plan.weight_decay)
    about: dict[str, object] = {
        "plan": asdict(plan),
        "data": data.fingerprint(),
        "held out": None if held_out is None else held_out.fingerprint(),
        "start": None if folder is None else hash_of_weights(network.state_dict()),
    }
    keeper = _Keeper(folder, about)
    history, best = keeper.resume(network, optimiser)
    steps = math.ceil(len(_chosen(data, plan, 0)) / plan.batch)
    weights = _class_weights(data.labels) if plan.class_weight else None
    for number in range(len(history) + 1, plan.epochs + 1):
        if _is_over(history, plan.patience):
            break
        began = time.monotonic()
        loss = _epoch(network, optimiser, data, plan, number, steps, weights, on_step)
        held_out_loss = None if held_out is None else evaluate(network, held_out, plan.batch)
        history.append(Epoch(number, plan.epochs, loss, held_out_loss, time.monotonic() - began))
        if plan.patience is not None and _best(history) == number:
            best = _copied(network)
        keeper.save(network, optimiser, history, best)
        on_epoch(history[-1])
    if best:
        network.load_state_dict(best)
    return history


def evaluate(network: nn.Module, data: Encoded, size: int) -> float:
    """Return the mean cross-entropy of texts that are not learnt from."""
    logits = torch.from_numpy(predict_logits(network, data.tokens, data.labels.shape[1], size))
    return float(cross_entropy(logits, torch.from_numpy(data.labels)))


def predict_logits(
    network: nn.Module, tokens: Sequence[Sequence[int]], ids: int, size: int = 32
) -> np.ndarray:
    """Return the log-odds of each text and id."""
    network.eval()
    found = np.zeros((len(tokens), ids), dtype=np.float32)
    with torch.inference_mode():
        for rows in _batches(tokens, range(len(tokens)), size, None):
            found[rows] = network(*padded([tokens[row] for row in rows])).numpy()
    return found


def padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return texts as one table of tokens and its mask."""
    width = max(len(row) for row in rows)
    tokens = torch.zeros((len(rows), width), dtype=torch.int64)
    mask = torch.zeros_like(tokens)
    for at, row in enumerate(rows):
        tokens[at, : len(row)] = torch.tensor(row)
        mask[at, : len(row)] = 1
    return tokens, mask


def _epoch(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    data: Encoded,
    plan: Plan,
    number: int,
    steps: int,
    weights: Tensor | None,
    on_step: OnStep,
) -> float:
    network.train()
    rng = np.random.default_rng([plan.seed, number])
    total, texts = 0.0, 0
    step, whole = (number - 1) * steps, plan.epochs * steps
    for rows in _batches(data.tokens, _chosen(data, plan, number), plan.batch, rng):
        step += 1
        torch.manual_seed(plan.seed * 1_000_003 + step)
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * _share(step / whole, plan.warm_up)
        logits = network(*padded([data.tokens[row] for row in rows]))
        labels = torch.from_numpy(data.labels[rows])
        loss = cross_entropy(logits, labels, pos_weight=weights)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if plan.clip is not None:
            torch.nn.utils.clip_grad_norm_(network.parameters(), plan.clip)
        optimiser.step()
        total += float(loss.detach()) * len(rows)
        texts += len(rows)
        on_step(step, whole)
    return total / texts


def _share(done: float, warm_up: float | None) -> float:
    if warm_up is None:
        return 1.0
    return done / warm_up if done < warm_up else max(0.0, (1 - done) / (1 - warm_up))


def _chosen(data: Encoded, plan: Plan, number: int) -> np.ndarray:
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


def _batches(
    tokens: Sequence[Sequence[int]],
    chosen: Sequence[int] | np.ndarray,
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


def _best(history: Sequence[Epoch]) -> int:
    return min(history, key=lambda epoch: epoch.held_out_loss or 0.0).number


def _is_over(history: Sequence[Epoch], patience: int | None) -> bool:
    return bool(history) and patience is not None and len(history) - _best(history) >= patience


def _copied(network: nn.Module) -> dict[str, Tensor]:
    return {
        name: value.detach().clone().contiguous() for name, value in network.state_dict().items()
    }


class _Keeper:
    """Writes and reads the checkpoint of a run; without a folder it does neither."""

    def __init__(self, folder: Path | None, about: dict[str, object]):
        self.path = None if folder is None else folder / CHECKPOINT_FILE
        self.about = about

    def save(
        self,
        network: nn.Module,
        optimiser: torch.optim.Optimizer,
        history: Sequence[Epoch],
        best: dict[str, Tensor],
    ) -> None:
        if self.path is None:
            return
        from safetensors.torch import save_file

        tensors = {f"network.{name}": value for name, value in _copied(network).items()}
        tensors |= {f"best.{name}": value for name, value in best.items()}
        for at, parameter in enumerate(optimiser.param_groups[0]["params"]):
            for key, value in optimiser.state[parameter].items():
                tensors[f"optimiser.{at}.{key}"] = value
        about = {
            "about": json.dumps(self.about, sort_keys=True),
            "history": json.dumps([asdict(epoch) for epoch in history]),
        }
        with atomic_path(self.path, force=True) as target:
            save_file(tensors, target, metadata=about)

    def resume(
        self, network: nn.Module, optimiser: torch.optim.Optimizer
    ) -> tuple[list[Epoch], dict[str, Tensor]]:
        if self.path is None or not self.path.is_file():
            return [], {}
        about, tensors = _read(self.path)
        if json.loads(about["about"]) != json.loads(json.dumps(self.about)):
            raise UsageError(
                f"{self.path}: found the checkpoint of other settings or other data; expected one "
                "of this run; start anew with --fresh or name another folder."
            )
        parts: dict[str, dict[str, Tensor]] = {"network": {}, "best": {}}
        for name, value in tensors.items():
            kind, _, rest = name.partition(".")
            parts.setdefault(kind, {})[rest] = value
        network.load_state_dict(parts["network"])
        for at, parameter in enumerate(optimiser.param_groups[0]["params"]):
            for name, value in parts.get("optimiser", {}).items():
                number, _, key = name.partition(".")
                if int(number) == at:
                    optimiser.state[parameter][key] = value
        return [Epoch(**epoch) for epoch in json.loads(about["history"])], parts["best"]


def _read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if not {"about", "history"} <= set(about):
            raise ValueError("no settings")
    except (SafetensorError, ValueError) as error:
        raise FileFormatError(
            f"{path}: found no whole checkpoint ({error}); expected one that training wrote; "
            "start anew with --fresh."
        ) from None
    return about, tensors
