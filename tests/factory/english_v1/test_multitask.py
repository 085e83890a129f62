from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from factory.english_v1.batches import TEXT_OUTPUTS, TOKEN_OUTPUTS, batches, collate  # noqa: E402
from factory.english_v1.multitask import (  # noqa: E402
    Settings,
    load_model,
    predict,
    save_model,
    train,
)
from factory.learning import Lessons  # noqa: E402
from factory.network import Network, parameter_groups  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from factory.english_v1 import multitask  # noqa: E402

SETTINGS = Settings(seed=5, epochs=3, batch=4, rate=2e-3, head_rate=2e-2)


def tiny() -> Network:
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32,
    )  # fmt: skip
    return Network(BertModel(config), 16, len(TEXT_OUTPUTS), len(TOKEN_OUTPUTS))


def data(texts: int = 24) -> Lessons:
    """Token 7 says yes to the first id, and is marked by the token head."""
    rng = np.random.default_rng(1)
    tokens = [[1, *rng.integers(8, 40, rng.integers(3, 9)).tolist(), 2] for _ in range(texts)]
    targets = np.zeros((texts, len(TEXT_OUTPUTS)), dtype=np.float32)
    weights = np.zeros_like(targets)
    weights[:, 0] = 1
    marks: list[np.ndarray | None] = []
    for row in range(texts):
        if row % 2:
            tokens[row][2] = 7
            targets[row, 0] = 1
        marked = np.zeros((len(tokens[row]), len(TOKEN_OUTPUTS)), dtype=np.float32)
        marked[np.array(tokens[row]) == 7, 0] = 1
        marks.append(marked if row < texts - 4 else None)
    return Lessons(tokens, targets, weights, marks)


def everything(epoch: int) -> range:
    return range(24)


def test_it_learns_texts_and_tokens(tmp_path: Path) -> None:
    model, encoded = tiny(), data()
    losses: list[float] = []
    settings = Settings(seed=5, epochs=30, batch=8, rate=3e-3, head_rate=2e-2)
    train(model, encoded, everything, settings, tmp_path, lambda *step: losses.append(step[2]))
    found, marks = predict(model, encoded)
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) / 2
    assert ((found[:, 0] > 0) == (encoded.targets[:, 0] > 0.5)).mean() > 0.9
    inside = [float(marks[row][2, 0]) for row in range(1, 20, 2)]
    outside = [float(marks[row][2, 0]) for row in range(0, 20, 2)]
    assert np.mean(inside) > np.mean(outside) + 1


def test_a_stopped_run_ends_as_an_unbroken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multitask, "CHECKPOINT_STEPS", 3)
    whole = tiny()
    train(whole, data(), everything, SETTINGS, tmp_path / "whole")

    def stop(step: int, total: int, loss: float) -> None:
        if step == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tiny(), data(), everything, SETTINGS, tmp_path / "broken", stop)
    seen: list[int] = []
    again = tiny()
    train(
        again, data(), everything, SETTINGS, tmp_path / "broken", lambda *step: seen.append(step[0])
    )
    assert seen[0] == 7, "it goes on after the checkpoint of step 6"
    for name, value in whole.state_dict().items():
        assert torch.allclose(value, again.state_dict()[name], atol=1e-6), name


def test_other_data_does_not_take_up_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multitask, "CHECKPOINT_STEPS", 2)
    train(tiny(), data(), everything, SETTINGS, tmp_path)
    other = data()
    other.targets[0] = 1 - other.targets[0]
    seen: list[int] = []
    train(tiny(), other, everything, SETTINGS, tmp_path, lambda *step: seen.append(step[0]))
    assert seen[0] == 1


def test_other_settings_do_not_take_up_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multitask, "CHECKPOINT_STEPS", 3)
    train(tiny(), data(), everything, SETTINGS, tmp_path)
    seen: list[int] = []
    other = Settings(seed=6, epochs=1, batch=4)
    train(tiny(), data(), everything, other, tmp_path, lambda *step: seen.append(step[0]))
    assert seen[0] == 1


def test_lower_layers_learn_slower_and_word_vectors_not_at_all() -> None:
    model = tiny()
    groups = parameter_groups(model, 1.0, 9.0, 0.5, 0.01)
    assert {group["lr"] for group in groups} == {1.0, 0.5, 9.0}
    assert not any(each.requires_grad for each in model.body.embeddings.parameters())


def test_weights_survive_their_file(tmp_path: Path) -> None:
    model, other = tiny(), tiny()
    with torch.no_grad():
        other.text_head.weight.add_(1)
    save_model(other, tmp_path / "model.safetensors")
    load_model(model, tmp_path / "model.safetensors")
    assert torch.equal(model.text_head.weight, other.text_head.weight)


def test_predictions_do_not_depend_on_the_batch() -> None:
    model, encoded = tiny(), data()
    together, _ = predict(model, encoded, size=24)
    alone, _ = predict(model, encoded, size=1)
    assert together == pytest.approx(alone, abs=1e-5)


def test_every_row_is_in_one_batch() -> None:
    rng = np.random.default_rng(0)
    seen = [row for rows, _ in batches(data(), range(24), 5, rng) for row in rows]
    assert sorted(seen) == list(range(24))


def test_padding_counts_nothing() -> None:
    batch = collate(data(), [0, 1, 2])
    lengths = [len(data().tokens[row]) for row in range(3)]
    assert batch.mask.sum(1).tolist() == lengths
    assert batch.token_weights.count_nonzero(dim=1).tolist() == lengths
