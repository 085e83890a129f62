"""LoRA (DaMinCi) and a head for each category (MALNIS) on a tiny random encoder."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from tactful.detectors import load_detector
from tactful.errors import InputError, UsageError
from tactful_lab.training import adapters
from tactful_lab.training.stereotypes.encoder import StereotypeEncoder

FAST: dict[str, Any] = {"epochs": 40, "batch": 8, "rate": 1e-2}


@pytest.fixture
def table(texts: list[str]) -> np.ndarray:
    """The binary label, and two categories that divide it."""
    poor = np.array(["souls" in text for text in texts])
    help_us = np.array(["our" in text for text in texts])
    return np.stack([poor | help_us, poor, help_us], axis=1).astype(int)


def test_heads_learn_the_categories_and_any_of_them_is_a_yes(
    tiny_encoder: Path, texts: list[str], table: np.ndarray, tmp_path: Path
) -> None:
    model = StereotypeEncoder(tiny_encoder, heads=True, **FAST).fit(texts, table)
    assert model.predict(texts).tolist() == table.tolist()
    found = model.predict_proba(["the bridge needs help", *texts])
    assert found[:, 0].tolist() == found[:, 1:].max(axis=1).tolist()
    ids = ["stereotype", "stereotype.suffering", "stereotype.others"]
    model.export(tmp_path / "out", ids, precision="fp32")
    scores = load_detector(tmp_path / "out").score(texts[:4])
    for at, name in enumerate(ids):
        np.testing.assert_allclose(scores[name], model.predict_proba(texts[:4])[:, at], atol=1e-4)


@pytest.mark.parametrize("heads", [False, True])
def test_adapters_learn_and_are_merged(
    tiny_encoder: Path, texts: list[str], table: np.ndarray, heads: bool, tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    from transformers import AutoModel

    model = StereotypeEncoder(
        tiny_encoder, epochs=15, batch=8, rate=2e-2, lora=True, rank=4, heads=heads
    )
    model.fit(texts, table)
    # The plain head reads a frozen random pooler, from which little can be learnt.
    assert model.history_[-1].loss < (0.6 if heads else 0.9) * model.history_[0].loss
    before = AutoModel.from_pretrained(tiny_encoder)
    network: Any = model.network_.body
    after = network.encoder if heads else network.bert
    # Adapters are beside linear layers; the rest of the encoder is frozen.
    old, new = before.embeddings.word_embeddings.weight, after.embeddings.word_embeddings.weight
    assert old.tolist() == new.tolist()
    old, new = (each.encoder.layer[0].output.dense.weight for each in (before, after))
    assert old.tolist() != new.tolist()
    assert not [name for name, _ in model.network_.named_parameters() if "lora" in name]
    model.export(tmp_path / "out", ["a", "b", "c"], precision="fp32")
    scores = load_detector(tmp_path / "out").score(texts[:2])
    np.testing.assert_allclose(scores["a"], model.predict_proba(texts[:2])[:, 0], atol=1e-4)


@pytest.mark.parametrize("heads", [False, True])
def test_bottlenecks_learn_and_the_encoder_stays(
    tiny_encoder: Path, texts: list[str], table: np.ndarray, heads: bool, tmp_path: Path
) -> None:
    from transformers import AutoModel

    model = StereotypeEncoder(
        tiny_encoder, epochs=25, batch=8, rate=3e-2, adapters=True, size=8, heads=heads
    ).fit(texts, table)
    assert model.history_[-1].loss < 0.9 * model.history_[0].loss
    before = AutoModel.from_pretrained(tiny_encoder)
    network: Any = model.network_.body
    layer = (network.encoder if heads else network.bert).encoder.layer[0]
    assert isinstance(layer, adapters.Bottleneck)
    assert layer.up.weight.abs().max() > 0
    old = before.encoder.layer[0].output.dense.weight
    assert layer.layer.output.dense.weight.tolist() == old.tolist()
    model.export(tmp_path / "out", ["a", "b", "c"], precision="fp32")
    scores = load_detector(tmp_path / "out").score(texts[:2])
    np.testing.assert_allclose(scores["a"], model.predict_proba(texts[:2])[:, 0], atol=1e-4)
    with pytest.raises(UsageError, match="one kind of adapters"):
        StereotypeEncoder(tiny_encoder, adapters=True, lora=True).fit(texts, table)


def test_without_peft_the_command_is_named(
    tiny_encoder: Path, texts: list[str], table: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(adapters, "import_module", absent)
    with pytest.raises(UsageError, match="pip install peft"):
        StereotypeEncoder(tiny_encoder, lora=True).fit(texts, table)


def test_labels_that_break_the_hierarchy_are_refused(tiny_encoder: Path, texts: list[str]) -> None:
    model = StereotypeEncoder(tiny_encoder, heads=True)
    with pytest.raises(InputError, match="at least two categories"):
        model.fit(texts, np.zeros((len(texts), 2)))
    broken = np.zeros((len(texts), 3))
    broken[0, 1] = 1
    with pytest.raises(InputError, match="Found 1 of 48"):
        model.fit(texts, broken)
    with pytest.raises(UsageError, match="rank 0"):
        StereotypeEncoder(tiny_encoder, lora=True, rank=0).fit(texts, broken)
