"""The training loop: its schedule, its batches, and checkpoints in the middle of an epoch."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from tactful.errors import UsageError  # noqa: E402
from tactful.training.loop import (  # noqa: E402
    Checkpoint,
    Steps,
    length_batches,
    padded,
    rate_share,
    run_steps,
)


def trained(path: Path | None, seen: list[int], stop: int = 99, **more: bool) -> list[float]:
    """Fit a line in 2 epochs of 5 steps, with a checkpoint after each 3 steps."""
    torch.manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Dropout(0.3), torch.nn.Linear(2, 1))
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.1)
    weights = network.state_dict()
    checkpoint = Checkpoint(path, {"settings": 1, **more}, weights, optimiser, every=3)
    done, *_ = checkpoint.resume()

    def on_step(step: int, total: int, loss: float) -> None:
        seen.append(step)
        assert total == 10
        if step == stop:
            raise KeyboardInterrupt

    run_steps(
        network,
        checkpoint,
        range(2),
        lambda epoch: [torch.full((1, 2), float(epoch + at)) for at in range(5)],
        lambda batch: (network(batch) - 1).square().mean(),
        Steps(seed=1, total=10, warm_up=0.2, clip=1.0),
        done=done,
        on_step=on_step,
    )
    return [float(value) for each in network.parameters() for value in each.detach().flatten()]


def test_a_run_resumes_within_an_epoch(tmp_path: Path) -> None:
    path, seen = tmp_path / "checkpoint.safetensors", list[int]()
    with pytest.raises(KeyboardInterrupt):
        trained(path, [], stop=8)
    assert trained(path, seen) == trained(None, [])
    assert seen == [7, 8, 9, 10]


def test_another_runs_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    trained(path, [])
    with pytest.raises(UsageError, match="delete it"):
        trained(path, [], other=True)


def test_the_rate_rises_and_falls_in_straight_lines() -> None:
    found = [rate_share(done, 0.2) for done in (0.1, 0.2, 0.6, 1.0)]
    assert found == pytest.approx([0.5, 1.0, 0.5, 0.0])
    assert rate_share(0.9, None) == 1.0


def test_batches_hold_rows_of_similar_length_once_each() -> None:
    lengths = np.random.default_rng(1).integers(1, 50, 200).tolist()
    cut = list(length_batches(lengths, range(200), 10, np.random.default_rng(2)))
    assert sorted(row for rows in cut for row in rows) == list(range(200))
    for rows in cut:
        assert np.ptp([lengths[row] for row in rows]) < 10


def test_padding_has_no_mask() -> None:
    tokens, mask = padded([[5, 6], [7]], fill=-1)
    assert tokens.tolist() == [[5, 6], [7, -1]]
    assert mask.tolist() == [[1, 1], [1, 0]]
