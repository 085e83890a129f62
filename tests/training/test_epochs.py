"""Epochs: early stopping, checkpoints that go on to the very same result, and sampling."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from tactful.errors import FileFormatError, UsageError  # noqa: E402
from tactful.training.epochs import (  # noqa: E402
    Epoch,
    LabelledTokens,
    Plan,
    run_epochs,
)
from tactful.training.loop import CHECKPOINT_FILE  # noqa: E402


class Bag(torch.nn.Module):  # type: ignore[name-defined, misc]
    """The mean of learnt numbers, with dropout: enough to depend on every seed."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(7)
        self.words = torch.nn.Embedding(12, 4)
        self.dropout = torch.nn.Dropout(0.3)
        self.head = torch.nn.Linear(4, 1)

    def forward(self, tokens: Any, mask: Any) -> Any:
        inside = mask.unsqueeze(-1).float()
        mean = (self.words(tokens) * inside).sum(1) / inside.sum(1)
        return self.head(self.dropout(mean))


def data(texts: int = 20) -> LabelledTokens:
    rng = np.random.default_rng(1)
    tokens = [rng.integers(0, 12, rng.integers(1, 6)).tolist() for _ in range(texts)]
    return LabelledTokens(
        tokens, np.array([[float(max(row) > 8)] for row in tokens], dtype=np.float32)
    )


def weights(network: Any) -> list[float]:
    parts = [each.detach().flatten() for each in network.parameters()]
    found: list[float] = torch.cat(parts).tolist()
    return found


def test_a_stopped_run_goes_on_to_the_same_result(tmp_path: Path) -> None:
    plan = Plan(epochs=4, batch=4, rate=0.01, warm_up=0.1, patience=9)
    whole = Bag()
    run_epochs(whole, data(), data(6), plan)

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_epochs(Bag(), data(), data(6), plan, tmp_path, interrupt)
    numbers: list[int] = []
    resumed = Bag()
    history = run_epochs(
        resumed, data(), data(6), plan, tmp_path, lambda epoch: numbers.append(epoch.number)
    )
    assert numbers == [3, 4]
    assert [epoch.number for epoch in history] == [1, 2, 3, 4]
    assert weights(resumed) == weights(whole)


def test_a_checkpoint_of_other_settings_or_data_is_refused(tmp_path: Path) -> None:
    run_epochs(Bag(), data(), None, Plan(epochs=1), tmp_path)
    with pytest.raises(UsageError, match="--fresh"):
        run_epochs(Bag(), data(), None, Plan(epochs=2), tmp_path)
    with pytest.raises(UsageError, match="other data"):
        run_epochs(Bag(), data(21), None, Plan(epochs=1), tmp_path)


def test_a_broken_checkpoint_is_said_so(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"not a checkpoint")
    with pytest.raises(FileFormatError, match="incomplete checkpoint"):
        run_epochs(Bag(), data(), None, Plan(epochs=1), tmp_path)


def test_patience_stops_and_keeps_the_best_weights() -> None:
    """A rate so high that the loss on held-out texts grows at once."""
    network = Bag()
    plan = Plan(epochs=50, batch=4, rate=3.0, patience=3)
    after: list[list[float]] = []
    history = run_epochs(
        network, data(), data(6), plan, on_epoch=lambda _: after.append(weights(network))
    )
    losses = [epoch.held_out_loss or 0.0 for epoch in history]
    best = losses.index(min(losses))
    assert len(history) == best + 1 + 3 < 50
    assert weights(network) == after[best]


def test_steps_are_counted_over_all_epochs() -> None:
    seen: list[tuple[int, int, float]] = []
    run_epochs(
        Bag(), data(10), None, Plan(epochs=2, batch=4), on_step=lambda *step: seen.append(step)
    )
    assert [each[:2] for each in seen] == [(step, 6) for step in range(1, 7)]


@pytest.mark.parametrize("option", ["class_weight", "sampling"])
def test_balance_finds_more_of_a_rare_label(option: str) -> None:
    tokens = [[1 + row % 3] for row in range(60)] + [[1]] * 3
    rare = LabelledTokens(tokens, np.array([[0.0]] * 60 + [[1.0]] * 3, dtype=np.float32))
    plain, balanced = Bag(), Bag()
    settings: dict[str, Any] = {"epochs": 12, "batch": 8, "rate": 0.05}
    run_epochs(plain, rare, None, Plan(**settings))
    run_epochs(balanced, rare, None, Plan(**(settings | {option: "balanced"})))
    example = (torch.tensor([[1]]), torch.tensor([[1]]))
    with torch.no_grad():
        assert float(balanced.eval()(*example)) > float(plain.eval()(*example)) + 0.5


def test_wrong_plans_are_refused() -> None:
    with pytest.raises(UsageError, match="class_weight"):
        Plan(class_weight="heavy")
    with pytest.raises(UsageError, match="epochs=0"):
        Plan(epochs=0)
    with pytest.raises(UsageError, match="no held-out texts"):
        run_epochs(Bag(), data(), None, Plan(patience=1))
