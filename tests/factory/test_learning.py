"""A training run learns, and goes on after a stop to the very same weights."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from factory.learning import Lessons, Settings, mark_tokens, predict, train  # noqa: E402
from factory.network import Network  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from factory import learning  # noqa: E402
from tactful.errors import UsageError  # noqa: E402

SETTINGS = Settings(seed=5, epochs=4, batch=4, rate=2e-3, head_rate=2e-2)


class StopError(Exception):
    """Raised by a test in the middle of a run."""


def tiny() -> Network:
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    return Network(BertModel(config), 16, 2, 1)


def lessons(texts: int = 24) -> Lessons:
    """The first output is whether token 7 occurs; nobody judged the second on every other text."""
    rng = np.random.default_rng(1)
    tokens = [rng.integers(10, 40, rng.integers(3, 9)).tolist() for _ in range(texts)]
    for row in tokens[::2]:
        row[1] = 7
    targets = np.zeros((texts, 2), dtype=np.float32)
    targets[::2] = 1
    weights = np.ones_like(targets)
    weights[1::2, 1] = 0
    marks = [np.array([[float(each == 7)] for each in row], dtype=np.float32) for row in tokens]
    return Lessons(tokens, targets, weights, [*marks[:-1], None])


def everything(data: Lessons) -> "learning.Sampler":
    return lambda _: range(len(data.tokens))


def test_learns_what_is_judged(tmp_path: Path) -> None:
    data, network = lessons(), tiny()
    train(network, data, everything(data), replace(SETTINGS, epochs=20), tmp_path)
    logits = predict(network, data.tokens)
    assert logits[::2, 0].min() > logits[1::2, 0].max()


def test_goes_on_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "CHECKPOINT_STEPS", 5)
    data, straight, stopped = lessons(), tiny(), tiny()
    train(straight, data, everything(data), SETTINGS, tmp_path / "straight")

    def stop(step: int, *_: object) -> None:
        if step == 13:
            raise StopError

    with pytest.raises(StopError):
        train(stopped, data, everything(data), SETTINGS, tmp_path / "stopped", stop)
    resumed = tiny()
    train(resumed, data, everything(data), SETTINGS, tmp_path / "stopped")
    for name, value in straight.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_refuses_the_checkpoint_of_other_data(tmp_path: Path) -> None:
    data = lessons()
    train(tiny(), data, everything(data), SETTINGS, tmp_path)
    data.targets[0, 0] = 0
    with pytest.raises(UsageError, match="other settings or other data"):
        train(tiny(), data, everything(data), SETTINGS, tmp_path)


def test_tokens_are_marked_where_they_overlap_a_place() -> None:
    offsets = [(0, 0), (0, 3), (4, 8), (9, 12), (0, 0)]
    found = mark_tokens({"pcl": [(5, 10)]}, offsets, ["pcl", "toxicity"])
    np.testing.assert_array_equal(found[:, 0], [np.nan, 0, 1, 1, np.nan])
    assert np.isnan(found[:, 1]).all()
