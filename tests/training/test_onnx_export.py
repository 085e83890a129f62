"""ONNX files answer as torch does, at any batch and length, and int8 is a quarter of the size."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import onnxruntime  # noqa: E402
from factory.network import Network, TextTokensStates  # noqa: E402
from transformers import (  # noqa: E402
    AutoModel,
    BertConfig,
    DistilBertConfig,
    RobertaConfig,
)

from tactful.errors import OutputError, UsageError  # noqa: E402
from tactful.training.onnx_export import (  # noqa: E402
    export_onnx,
    quantise_onnx,
)
from tactful.training.task_data import FRAME_IDS, PCL_IDS, UNHEALTHY_IDS  # noqa: E402

IDS = PCL_IDS + UNHEALTHY_IDS + FRAME_IDS
SMALL: dict[str, Any] = {
    "vocab_size": 300,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}
CONFIGS = {
    "bert": BertConfig(**SMALL),
    "roberta": RobertaConfig(**SMALL, max_position_embeddings=140),
    "distilbert": DistilBertConfig(vocab_size=300, dim=32, n_layers=2, n_heads=2, hidden_dim=64),
}


def multi_task(config: Any = CONFIGS["bert"]) -> TextTokensStates:
    torch.manual_seed(1)
    return TextTokensStates(
        Network(AutoModel.from_config(config), 32, len(IDS) + 1, len(PCL_IDS)), len(IDS)
    )


def run(path: Path, tokens: Any, mask: Any) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found: list[np.ndarray] = session.run(None, {"tokens": tokens.numpy(), "mask": mask.numpy()})
    return found


def batch(size: int, length: int, vocabulary: int = 300) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(length)
    tokens = torch.randint(5, vocabulary, (size, length), generator=generator)
    mask = torch.ones_like(tokens)
    mask[-1, length // 2 + 1 :] = 0
    return tokens, mask


@pytest.mark.parametrize("kind", CONFIGS)
def test_the_file_answers_as_the_module_does(kind: str, tmp_path: Path) -> None:
    module = multi_task(CONFIGS[kind])
    export_onnx(module, tmp_path / "model.onnx", TextTokensStates.OUTPUTS)
    module.eval()
    for size, length in ((1, 1), (1, 3), (5, 40), (2, 128)):
        example = batch(size, length)
        with torch.no_grad():
            expected = module(*example)
        found = run(tmp_path / "model.onnx", *example)
        assert found[0].shape == (size, len(IDS))
        assert found[1].shape == (size, length, len(PCL_IDS))
        for ours, theirs in zip(expected, found, strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-4)


def test_padding_changes_nothing(tmp_path: Path) -> None:
    export_onnx(multi_task(), tmp_path / "model.onnx", TextTokensStates.OUTPUTS)
    tokens, _ = batch(1, 6)
    alone = run(tmp_path / "model.onnx", tokens, torch.ones_like(tokens))[0]
    wide = torch.zeros((1, 20), dtype=torch.int64)
    wide[:, :6] = tokens
    mask = (torch.arange(20) < 6).to(torch.int64).unsqueeze(0)
    np.testing.assert_allclose(run(tmp_path / "model.onnx", wide, mask)[0], alone, atol=1e-4)


def test_a_module_stays_in_its_mode(tmp_path: Path) -> None:
    module = multi_task()
    module.train()
    export_onnx(module, tmp_path / "model.onnx", TextTokensStates.OUTPUTS)
    assert module.training


def test_int8_is_a_quarter_of_the_size_and_says_nearly_the_same(tmp_path: Path) -> None:
    size = {**SMALL, "vocab_size": 20_000, "hidden_size": 64, "intermediate_size": 256}
    torch.manual_seed(1)
    body = AutoModel.from_config(BertConfig(**size))
    network = Network(body, 64, len(IDS) + 1, len(PCL_IDS))
    module = TextTokensStates(network, len(IDS))
    whole, small = tmp_path / "model.onnx", tmp_path / "int8.onnx"
    export_onnx(module, whole, TextTokensStates.OUTPUTS)
    quantise_onnx(whole, small)
    assert 0.24 < small.stat().st_size / whole.stat().st_size < 0.32
    example = batch(6, 30, 20_000)
    for ours, theirs in zip(run(whole, *example), run(small, *example), strict=True):
        flat, other = ours.reshape(-1, ours.shape[-1]), theirs.reshape(-1, ours.shape[-1])
        norms = np.linalg.norm(flat, axis=1) * np.linalg.norm(other, axis=1)
        assert ((flat * other).sum(axis=1) / norms).min() > 0.99


def test_word_vectors_keep_one_scale_each(tmp_path: Path) -> None:
    """One word of large numbers must not cost all others their precision."""
    module = multi_task()
    with torch.no_grad():
        module.network.body.embeddings.word_embeddings.weight[7] *= 1000
    whole, small = tmp_path / "model.onnx", tmp_path / "int8.onnx"
    export_onnx(module, whole, TextTokensStates.OUTPUTS)
    quantise_onnx(whole, small)
    tokens, mask = batch(4, 20)
    tokens[tokens == 7] = 8
    ours, theirs = run(whole, tokens, mask)[2], run(small, tokens, mask)[2]
    norms = np.linalg.norm(ours, axis=-1) * np.linalg.norm(theirs, axis=-1)
    assert ((ours * theirs).sum(-1) / norms).min() > 0.98


class DependsOnLength(torch.nn.Module):  # type: ignore[name-defined, misc]
    """A trace freezes this branch: the file would be wrong for other lengths."""

    def forward(self, tokens: Any, mask: Any) -> Any:
        scale = 1.0 if tokens.shape[1] > 8 else -1.0
        return (tokens * mask).sum(1, keepdim=True).float() * scale + 1.0


def test_a_file_with_other_answers_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="away from the trained model"):
        export_onnx(DependsOnLength(), tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"mine")
    with pytest.raises(UsageError, match="exists already"):
        export_onnx(multi_task(), tmp_path / "model.onnx", TextTokensStates.OUTPUTS)
    assert (tmp_path / "model.onnx").read_bytes() == b"mine"
