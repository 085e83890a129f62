"""Devices and pieces of batches, on the CPU; nobody has tested CUDA and MPS here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.cli.train import options  # noqa: E402
from tactful.errors import UnknownNameError, UsageError  # noqa: E402
from tactful.training import devices  # noqa: E402
from tactful.training.finetune import Classifier, FineTuned  # noqa: E402
from tactful_lab.cli.reproduce import command  # noqa: E402


class WithoutDropout(FineTuned):
    def _network(self, classifier: Classifier, labels: int) -> Any:
        for each in classifier.modules():
            if isinstance(each, torch.nn.Dropout):
                each.p = 0.0
        return classifier


def test_the_lists_are_those_of_the_room() -> None:
    assert options.DEVICES == command.DEVICES == devices.DEVICES


def test_auto_is_the_fastest_device_that_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert devices.find_device().type == "cpu"
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert devices.find_device().type == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert devices.find_device().type == "cuda"
    assert devices.find_device("cpu").type == "cpu"


def test_a_device_that_is_not_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match="no device 'cuda' here"):
        devices.find_device("cuda")
    with pytest.raises(UnknownNameError, match="cuda"):
        devices.find_device("cuba")


def test_the_cpu_computes_with_full_precision() -> None:
    with devices.mixed_precision(torch.device("cpu")):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


def test_pieces_of_a_batch_are_the_same_step(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray
) -> None:
    """Without dropout the gradients of the pieces add up to that of the batch."""
    found = []
    for pieces in (1, 3):
        model = WithoutDropout(
            tiny_encoder, epochs=2, batch=7, rate=1e-3, accumulate=pieces, device="cpu"
        )
        found.append(model.fit(texts, labels).predict_proba(texts))
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


def test_longer_inputs_are_for_measuring_only(
    tiny_encoder: Path, texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    model = FineTuned(tiny_encoder, epochs=1, batch=8, max_tokens=4)
    with pytest.raises(UsageError, match="expected more than"):
        model.fit(texts, labels)
    model = FineTuned(tiny_encoder, epochs=1, batch=8, max_tokens=150).fit(texts, labels)
    with pytest.raises(UsageError, match="at most 128"):
        model.export(tmp_path / "out", ["pcl"])
