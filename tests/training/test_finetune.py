"""Fine-tuning a tiny random encoder: it learns, stops, resumes and leaves torch behind."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from safetensors.torch import load_file, save_file  # noqa: E402

from tactful.detectors import load_detector, read_card  # noqa: E402
from tactful.errors import UsageError  # noqa: E402
from tactful.training.epochs import Epoch  # noqa: E402
from tactful.training.finetune import FineTuned  # noqa: E402

FAST: dict[str, Any] = {"epochs": 10, "batch": 8, "rate": 2e-2}


def test_it_learns_and_exports(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    model = FineTuned(tiny_encoder, **FAST).fit(texts, labels)
    assert model.predict(texts).tolist() == labels.tolist()
    model.export(tmp_path / "fp32", ["pcl"], precision="fp32")
    model.export(tmp_path / "int8", ["pcl"])
    long = "poor souls need help " * 80
    tried = [*texts[:4], "", "nothing known here", long]
    expected = model.predict_proba(tried)[:, 1]
    whole = load_detector(tmp_path / "fp32").score(tried)["pcl"]
    small = load_detector(tmp_path / "int8").score(tried)["pcl"]
    np.testing.assert_allclose(whole, expected, atol=1e-4)
    np.testing.assert_allclose(small, expected, atol=0.1)
    card = read_card(tmp_path / "int8")
    assert card.kind == "encoder"
    assert card.training["base"] == "tiny-bert"
    assert card.training["settings"]["epochs"] == 10


def test_transformers_opens_what_was_saved(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    """No class of ours is needed: the answers are those of the model in memory."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = FineTuned(tiny_encoder, **FAST).fit(texts, np.stack([labels, 1 - labels], axis=1))
    model.save_pretrained(tmp_path / "hub", ["pcl", "other"])
    opened: Any = AutoModelForSequenceClassification.from_pretrained(tmp_path / "hub")
    tokenizer: Any = AutoTokenizer.from_pretrained(tmp_path / "hub")
    assert opened.config.id2label == {0: "pcl", 1: "other"}
    assert opened.config.problem_type == "multi_label_classification"
    assert tokenizer.model_max_length == model.max_tokens
    with torch.inference_mode():
        found = np.concatenate(
            [opened(**tokenizer(text, return_tensors="pt")).logits.numpy() for text in texts]
        )
    np.testing.assert_allclose(found, model.decision_function(texts), atol=1e-4)
    with pytest.raises(UsageError, match="exists"):
        model.save_pretrained(tmp_path / "hub", ["pcl", "other"])


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_a_score_is_the_same_alone_and_in_company(
    wide_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path, precision: str
) -> None:
    model = FineTuned(wide_encoder, epochs=1, batch=8).fit(texts, labels)
    model.export(tmp_path / "out", ["pcl"], precision=precision)
    detector = load_detector(tmp_path / "out")
    tried = [*texts[:6], "", "poor souls", "these poor people need our help " * 9, "help " * 300]
    together = detector.score(tried)["pcl"]
    assert [detector.score([text])["pcl"][0] for text in tried] == together.tolist()
    scales = read_card(tmp_path / "out").training.get("scales")
    assert (scales or {}).get("texts") == (len(texts) if precision == "int8" else None)


def test_windows_are_as_long_as_those_it_learnt_from(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    """An encoder may have no places beyond them, not even for padding."""
    short = Path(shutil.copytree(tiny_encoder, tmp_path / "short"))
    config = json.loads((short / "config.json").read_text(encoding="utf-8"))
    config["max_position_embeddings"] = 60
    (short / "config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = load_file(short / "model.safetensors")
    name = "embeddings.position_embeddings.weight"
    save_file({**weights, name: weights[name][:60].clone()}, short / "model.safetensors")
    model = FineTuned(short, epochs=1, max_tokens=60).fit(texts, labels)
    model.export(tmp_path / "out", ["pcl"], precision="fp32")
    tried = ["help " * 56, "help " * 58, "poor souls need help " * 80]
    found = load_detector(tmp_path / "out").score(tried)["pcl"]
    np.testing.assert_allclose(found, model.predict_proba(tried)[:, 1], atol=1e-4)


def test_several_labels_and_early_stopping(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray
) -> None:
    table = np.stack([labels, 1 - labels], axis=1)
    model = FineTuned(tiny_encoder, **FAST, patience=1, validation=0.25).fit(texts, table)
    assert model.predict_proba(texts).shape == (48, 2)
    assert all(epoch.held_out_loss is not None for epoch in model.history_)


def test_a_stopped_run_goes_on_to_the_same_result(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    def interrupt(epoch: Epoch) -> None:
        raise KeyboardInterrupt

    whole = FineTuned(tiny_encoder, epochs=2, batch=16).fit(texts, labels)
    with pytest.raises(KeyboardInterrupt):
        FineTuned(tiny_encoder, epochs=2, batch=16).fit(
            texts, labels, folder=tmp_path, on_epoch=interrupt
        )
    resumed = FineTuned(tiny_encoder, epochs=2, batch=16).fit(texts, labels, folder=tmp_path)
    assert resumed.predict_proba(texts).tolist() == whole.predict_proba(texts).tolist()


def test_the_network_is_asked_only_when_allowed(texts: list[str], labels: np.ndarray) -> None:
    with pytest.raises(UsageError, match="--download"):
        FineTuned("nobody/has-this-encoder").fit(texts, labels)


def test_pickled_weights_are_refused(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny_encoder, tmp_path / "pickled"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(UsageError, match=r"model\.safetensors"):
        FineTuned(folder).fit(texts, labels)


def test_wrong_settings_are_refused(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="at most 160 tokens"):
        FineTuned(tiny_encoder, max_tokens=512).fit(texts, labels)
    model = FineTuned(tiny_encoder, epochs=1).fit(texts, labels)
    with pytest.raises(UsageError, match="int8 or fp32"):
        model.export(tmp_path / "out", ["pcl"], precision="int4")
